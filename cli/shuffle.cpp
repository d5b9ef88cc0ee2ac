// wrsgpu shuffle: items in random order, all of them or some, or the lines of a file.

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "choice.hpp"
#include "commands.hpp"
#include "draw.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "wrsgpu/detail/shuffle/lazy_permutation.hpp"
#include "wrsgpu/detail/weights/files.hpp"
#include "wrsgpu/without_replacement.hpp"
#ifdef WRSGPU_WITH_CUDA
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/gpu_without_replacement.cuh"
#endif

namespace wrsgpu::cli {
namespace {

struct ShuffleOptions {
  std::uint64_t items = 0;
  bool has_items = false;  ///< `items` was given
  std::string input;
  std::uint64_t samples = 0;
  bool takes_all = true;  ///< `samples` was not given
  std::uint64_t first = 0;
  std::uint64_t seed = 0;
  std::string device = "auto";
  unsigned threads = 0;
  std::string output = "-";
  std::string format;
};

/// What is drawn: [first, first + samples) of the random order. Throws `Error`.
struct Draws {
  std::uint64_t items;
  std::uint64_t first;
  std::uint64_t samples;

  Draws(const ShuffleOptions& options, std::uint64_t all, std::string_view argument)
      : items(all), first(options.first), samples(options.samples) {
    if (items == 0 || items > shuffle::max_keys) {
      throw Error(fmt::format("argument {}: {} items; there must be 1 to 2^40", argument, items));
    }
    if (first >= items) {
      throw Error(fmt::format("argument --first: {} of {} items leaves none", first, items));
    }
    if (options.takes_all) samples = items - first;
    require_samples(samples);
    if (samples > items - first) {
      throw Error(
          fmt::format("argument --samples: {} of {} items without replacement, from the "
                      "one at place {} on",
                      samples, items, first));
    }
  }
};

template <class Number>
void draw_piece(const Draws& draws, const ShuffleOptions& options, Device device,
                std::uint64_t first, std::span<Number> out) {
#ifdef WRSGPU_WITH_CUDA
  if (device == Device::cuda) {
    DeviceBuffer<Number> drawn(out.size());
    shuffle::gpu_sample_without_replacement(draws.items, drawn.span(), options.seed, first);
    copy_to_host(static_cast<const Number*>(drawn.data()), out);
    return;
  }
#endif
  static_cast<void>(device);
  shuffle::sample_without_replacement(draws.items, out, options.seed, first, options.threads);
}

template <class Number>
void write_items(const ShuffleOptions& options, const Draws& draws) {
  const Format format = choose_format(options.format, options.output);
  const Device device = choose_device(options.device);
  OutputFile file(options.output);
  ItemWriter<Number> writer(file, format, draws.samples);
  std::vector<Number> piece(std::min<std::uint64_t>(draws.samples, std::uint64_t{1} << 22));
  Progress progress("shuffling", draws.samples);
  for (std::uint64_t done = 0; done < draws.samples; done += piece.size()) {
    piece.resize(std::min<std::uint64_t>(piece.size(), draws.samples - done));
    draw_piece(draws, options, device, draws.first + done, std::span<Number>(piece));
    writer.write(piece);
    progress.update(done + piece.size());
  }
  file.commit();
}

std::vector<std::string> read_lines(std::istream& stream) {
  std::vector<std::string> lines;
  errno = 0;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  if (stream.bad() || errno != 0) {
    throw Error(fmt::format("reading failed: {}", std::strerror(errno == 0 ? EIO : errno)));
  }
  return lines;
}

std::vector<std::string> read_lines(const std::string& path) {
  try {
    if (path == "-") return read_lines(std::cin);
    std::ifstream file = weights::open_file(path);
    return read_lines(file);
  } catch (const Error& error) {
    throw Error(fmt::format("argument --input: {}", error.what()));
  }
}

void write_lines(const ShuffleOptions& options) {
  if (!options.format.empty()) {
    throw Error("argument --format: lines are written as they are");
  }
  if (options.threads > 0) throw Error("argument --threads: one thread reads and writes lines");
  const std::vector<std::string> lines = read_lines(options.input);
  static_cast<void>(choose_device(options.device));
  const Draws draws(options, lines.size(), "--input");
  OutputFile file(options.output);
  const shuffle::LazyPermutation order = shuffle::lazy_permutation(draws.items, options.seed);
  for (std::uint64_t k = 0; k < draws.samples; ++k) {
    file.write(lines[order(draws.first + k)]);
    file.write("\n");
  }
  file.commit();
}

int run_shuffle(const ShuffleOptions& options) {
  if (options.has_items != options.input.empty()) {
    throw Error("arguments --items, --input: give one of them");
  }
  if (!options.has_items) {
    write_lines(options);
    return exit_ok;
  }
  const Draws draws(options, options.items, "--items");
  if (draws.items <= std::uint64_t{1} << 32) {
    write_items<Index>(options, draws);
  } else {
    write_items<std::uint64_t>(options, draws);
  }
  return exit_ok;
}

}  // namespace

void add_shuffle(CLI::App& program, Action& action) {
  CLI::App& command = *program.add_subcommand(
      "shuffle",
      "Write items, or lines, in random order: all, or some of them without replacement");
  const auto options = std::make_shared<ShuffleOptions>();
  CLI::Option* const items =
      add_number(command, "--items", options->items, "Shuffle the items 0 to this number - 1");
  command.add_option("--input", options->input,
                     "Shuffle the lines of this file instead, - for standard input");
  CLI::Option* const samples =
      add_number(command, "--samples", options->samples, "How many to write; default: all");
  add_number(command, "--first", options->first,
             "Begin at this place of the random order, to go on where a draw ended")
      ->capture_default_str();
  add_number(command, "--seed", options->seed, "Seed of the order")->capture_default_str();
  command
      .add_option("--device", options->device,
                  "cpu, cuda, or auto: a GPU where there is one; never changes the result")
      ->capture_default_str();
  add_number(command, "--threads", options->threads, "Host threads, 0 for all")
      ->capture_default_str();
  command.add_option("--output", options->output, "File to write, - for standard output")
      ->capture_default_str();
  command.add_option("--format", options->format,
                     "text, csv or npy; default: by the extension of --output");
  command.callback([options, items, samples, &action] {
    options->has_items = items->count() > 0;
    options->takes_all = samples->count() == 0;
    action = [options] { return run_shuffle(*options); };
  });
}

}  // namespace wrsgpu::cli

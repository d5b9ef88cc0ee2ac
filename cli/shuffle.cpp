// wrsgpu shuffle: writes items, or the lines of a file, in random order: all or a subset.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "formats.hpp"
#include "lines.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "sampling.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/shuffle/lazy_permutation.hpp"
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
  Reporting reporting;
};

/// The range to draw: [first, first + samples) of the random order. Throws `Error`.
struct Draws {
  std::uint64_t items;
  std::uint64_t first;
  std::uint64_t samples;

  Draws(const ShuffleOptions& options, std::uint64_t all, std::string_view argument)
      : items(all), first(options.first), samples(options.samples) {
    const std::string_view noun = argument == "--input" ? "line" : "item";
    if (items == 0 || items > shuffle::max_keys) {
      throw Error(
          fmt::format("argument {}: {} {}s; there must be 1 to 2^40", argument, items, noun));
    }
    if (first >= items) {
      throw Error(
          fmt::format("argument --first: {} must be below the number of items ({})", first, items));
    }
    if (options.takes_all) samples = items - first;
    if (samples > items - first) {
      throw Error(fmt::format("argument --samples {} exceeds the {} {}{}{}", samples, items - first,
                              noun, items - first == 1 ? "" : "s",
                              first == 0 ? "" : fmt::format(" from --first {} on", first)));
    }
  }
};

template <class Number>
void draw_chunk(const Draws& draws, const ShuffleOptions& options, Device device,
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
void write_items(const ShuffleOptions& options, const Draws& draws, Device device, Format format,
                 OutputFile& file) {
  constexpr std::uint64_t chunk_items = std::uint64_t{1} << 22;
  require_room_for_items(file, format, draws.samples, sizeof(Number));
  ItemWriter<Number> writer(file, format, draws.samples);
  HostBuffer<Number> buffer(std::min(draws.samples, chunk_items));
  Progress progress("shuffling", draws.samples, options.reporting.quiet());
  for_each_chunk(draws.samples, chunk_items, progress,
                 [&](std::uint64_t begin, std::uint64_t size) {
                   const std::span<Number> chunk = buffer.span().first(size);
                   draw_chunk(draws, options, device, draws.first + begin, chunk);
                   writer.write(chunk);
                 });
}

// Prefetches later lines while one is written, because the order of accesses is random.
void write_lines(const Lines& lines, std::span<const std::uint64_t> order, OutputFile& file) {
  constexpr std::size_t ahead = 32;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k + 2 * ahead < order.size()) lines.prefetch_begin(order[k + 2 * ahead]);
    if (k + ahead < order.size()) lines.prefetch(order[k + ahead]);
    file.write(lines.with_end(order[k]));
  }
}

void report_written(const ShuffleOptions& options, const Draws& draws, const char* what,
                    const OutputFile& file, double seconds) {
  if (!file.is_standard_output()) {
    options.reporting.say(fmt::format("wrote {} of {} {} to {}, {}, in {:.2f} s", draws.samples,
                                      draws.items, what, file.name(), format_bytes(file.bytes()),
                                      seconds));
  }
  options.reporting.print_timings();
}

void shuffle_items(ShuffleOptions& options) {
  const auto start = Clock::now();
  const Draws draws(options, options.items, "--items");
  const Format format = choose_format(options.format, options.output);
  const Device device =
      options.reporting.time("device", [&] { return choose_device(options.device); });
  OutputFile file(options.output);
  options.reporting.time("shuffle and write", [&] {
    if (draws.items <= std::uint64_t{1} << 32) {
      write_items<Index>(options, draws, device, format, file);
    } else {
      write_items<std::uint64_t>(options, draws, device, format, file);
    }
    file.commit();
  });
  report_written(options, draws, "items", file, seconds_since(start));
}

// Always on the CPU: lines and their order are in host memory.
void shuffle_lines(ShuffleOptions& options) {
  const auto start = Clock::now();
  if (!options.format.empty()) throw Error("argument --format: lines are written as they are");
  if (options.device != "auto") static_cast<void>(choose_device(options.device));
  const Lines lines = options.reporting.time(
      "read", [&] { return with_argument_name("--input", [&] { return Lines(options.input); }); });
  const Draws draws(options, lines.size(), "--input");
  OutputFile file(options.output);
  options.reporting.time("shuffle and write", [&] {
    constexpr std::uint64_t chunk_items = std::uint64_t{1} << 16;
    HostBuffer<std::uint64_t> buffer(std::min(draws.samples, chunk_items));
    Progress progress("shuffling", draws.samples, options.reporting.quiet());
    for_each_chunk(draws.samples, chunk_items, progress,
                   [&](std::uint64_t begin, std::uint64_t size) {
                     const std::span<std::uint64_t> order = buffer.span().first(size);
                     draw_chunk(draws, options, Device::cpu, draws.first + begin, order);
                     write_lines(lines, order, file);
                   });
    file.commit();
  });
  report_written(options, draws, "lines", file, seconds_since(start));
}

int run_shuffle(ShuffleOptions& options) {
  if (options.has_items != options.input.empty()) {
    throw Error("arguments --items, --input: exactly one is required");
  }
  if (options.has_items) {
    shuffle_items(options);
  } else {
    shuffle_lines(options);
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
      add_number(command, "--items", options->items, "Shuffle the items 0 to this number - 1", 1);
  command.add_option("--input", options->input,
                     "Shuffle the lines of this file instead, - for standard input");
  CLI::Option* const samples =
      add_number(command, "--samples", options->samples, "How many to write; default: all", 1);
  add_number(command, "--first", options->first,
             "Position in the random order to start at, to continue a previous draw")
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
  options->reporting.add_to(command);
  command.footer(
      "Examples:\n"
      "  wrsgpu shuffle --input words.txt --output shuffled.txt\n"
      "  wrsgpu shuffle --input words.txt --samples 10\n"
      "  wrsgpu shuffle --items 1e12 --samples 10 --seed 7");
  command.callback([options, items, samples, &action] {
    options->has_items = items->count() > 0;
    options->takes_all = samples->count() == 0;
    action = [options] { return run_shuffle(*options); };
  });
}

}  // namespace wrsgpu::cli

// wrsgpu sample: draws items and writes them, or their histogram.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "commands.hpp"
#include "formats.hpp"
#include "numbers.hpp"
#include "sampling.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"

namespace wrsgpu::cli {
namespace {

struct SampleOptions {
  WeightsChoice weights;
  SamplerArguments sampler;
  Reporting reporting;
  std::uint64_t samples = 0;
  bool has_samples = false;
  RandomState state;
  bool histogram = false;
  bool without_replacement = false;
  bool allow_fewer = false;
  bool counts = false;
  std::string output = "-";
  std::string format;
};

void require_counting_ends(const SampleOptions& options) {
  if (!options.histogram || options.samples <= max_counted_samples) return;
  throw Error(fmt::format("argument --samples: '{}' must be at most {} with --histogram",
                          options.samples, max_counted_samples));
}

/// Throws `Error` for options that exclude each other.
void require_one_kind_of_draw(const SampleOptions& options) {
  if (int{options.histogram} + int{options.without_replacement} + int{options.counts} > 1) {
    throw Error("arguments --histogram, --without-replacement, --counts: several given; give one");
  }
  if (options.allow_fewer && !options.without_replacement) {
    throw Error("argument --allow-fewer: needs --without-replacement");
  }
  const WeightedSamplerOptions sampler = options.sampler.options();
  if (!options.without_replacement && !options.counts) return;
  if (sampler.generator != Generator::philox || sampler.order != SampleOrder::random) {
    throw Error(
        "arguments --generator, --order: --without-replacement and --counts have one of each");
  }
}

void require_names_make_sense(const SampleOptions& options, Format format) {
  const bool has_lines = options.weights.reading.lines;
  const bool has_labels = !options.weights.reading.labels.empty();
  if (!has_lines && !has_labels) return;
  if (has_lines && has_labels) {
    throw Error("arguments --lines, --labels: both given; give one");
  }
  if (options.weights.file.empty()) {
    throw Error("arguments --lines, --labels: a distribution has neither; give --weights FILE");
  }
  if (format == Format::npy) {
    throw Error("arguments --lines, --labels: .npy files hold numbers; write text or CSV");
  }
}

void write_histogram(const SampleOptions& options, Format format, const Sampling& sampling,
                     const ItemNames& names, OutputFile& file) {
  HistogramWriter writer(file, format, sampling.size(), names);
  Progress progress("counting", options.samples, options.reporting.quiet());
  sampling.count(
      options.samples, options.state, [&](auto counts) { writer.write(counts); }, progress);
}

template <class Writer>
void write_samples(const SampleOptions& options, const Sampling& sampling, Writer writer) {
  Progress progress("sampling", options.samples, options.reporting.quiet());
  sampling.draw(
      options.samples, options.state, [&](std::span<const Index> items) { writer.write(items); },
      progress);
}

void report_written(const SampleOptions& options, std::uint64_t items, const OutputFile& file,
                    double seconds) {
  if (file.is_standard_output()) return;
  options.reporting.say(
      fmt::format("wrote {} {} of {} items to {}, {}, in {:.2f} s", options.samples,
                  options.histogram || options.counts ? "counted samples" : "samples", items,
                  file.name(), format_bytes(file.bytes()), seconds));
}

/// Draws from a table and returns the number of items.
std::uint64_t write_from_table(SampleOptions& options, Format format, OutputFile& file) {
  const NamedSampling made = make_sampling(options.weights, options.sampler, options.reporting);
  const Sampling& sampling = *made.sampling;
  const ItemNames& names = made.names;
  options.reporting.time("light items", [&] { warn_of_zero_mass_items(sampling); });
  if (options.histogram) {
    write_histogram(options, format, sampling, names, file);
  } else if (names.are_numbers()) {
    write_samples(options, sampling, ItemWriter<Index>(file, format, options.samples));
  } else {
    write_samples(options, sampling, NameWriter(file, format, names));
  }
  return sampling.size();
}

/// Writes the items chosen without replacement, or the counts of samples that are not drawn, and
/// returns the number of items.
std::uint64_t write_without_table(SampleOptions& options, Format format, OutputFile& file) {
  const Device device = choose_device(options.sampler.device);
  WeightFile read = options.reporting.time(
      "weights", [&] { return options.weights.load(options.sampler.threads); });
  const OwnedWeights weights = std::move(read.weights);
  options.weights.report(read, options.reporting);
  const ItemNames names(std::move(read));
  const std::uint64_t items = weights.view().size();
  if (options.allow_fewer) options.samples = std::min(options.samples, items);
  if (options.without_replacement && options.samples > items) {
    throw Error(fmt::format("argument --samples: '{}' exceeds the {} items, without replacement",
                            options.samples, items));
  }
  HostBuffer<Index> chosen(options.counts ? 0 : options.samples);
  HostBuffer<std::uint64_t> counts(options.counts ? items : 0);
  with_argument_name(options.weights.argument(), [&] {
    options.reporting.time("draw", [&] {
      if (options.counts) {
        count_without_samples(weights.view(), counts.span(), options.samples, options.state, device,
                              options.sampler.threads);
        return;
      }
      options.samples =
          choose_items(weights.view(), chosen.span(), options.state, device,
                       {.allow_fewer = options.allow_fewer, .threads = options.sampler.threads});
    });
  });
  if (options.counts) {
    HistogramWriter(file, format, items, names).write(counts.span());
  } else if (names.are_numbers()) {
    ItemWriter<Index>(file, format, options.samples).write(chosen.span().first(options.samples));
  } else {
    NameWriter(file, format, names).write(chosen.span().first(options.samples));
  }
  return items;
}

int run_sample(SampleOptions& options) {
  if (!options.has_samples) {
    throw Error("argument --samples is required, for example --samples 1000");
  }
  const auto start = Clock::now();
  const Format format = choose_format(options.format, options.output);
  require_names_make_sense(options, format);
  require_counting_ends(options);
  require_one_kind_of_draw(options);
  OutputFile file(options.output);
  // Checked before reading the weights, which may take long.
  if (!options.histogram && !options.counts && !options.allow_fewer) {
    require_room_for_items(file, format, options.samples, sizeof(Index));
  }
  const std::uint64_t items = options.without_replacement || options.counts
                                  ? write_without_table(options, format, file)
                                  : write_from_table(options, format, file);
  options.reporting.time("write", [&] { file.commit(); });
  report_written(options, items, file, seconds_since(start));
  options.reporting.print_timings();
  return exit_ok;
}

}  // namespace

void add_sample(CLI::App& program, Action& action) {
  CLI::App& command = *program.add_subcommand(
      "sample", "Draw items with probability proportional to their weights");
  const auto options = std::make_shared<SampleOptions>();
  options->weights.add_to(command);
  CLI::Option* const samples = add_number(command, "--samples", options->samples,
                                          "How many samples to draw, as 1000 or 1e6", 1);
  add_random_state(command, options->state);
  command.add_flag("--histogram", options->histogram,
                   "Write how often each item was drawn instead of the samples: a line of item and "
                   "count each, with a tab between after lines and labels; CSV has a header");
  command.add_flag("--without-replacement", options->without_replacement,
                   "Draw different items: the first by weight, the next by weight among the rest, "
                   "and so on, by the weights as given");
  command.add_flag("--allow-fewer", options->allow_fewer,
                   "With --without-replacement: if fewer items have a positive weight, write them "
                   "all");
  command.add_flag("--counts", options->counts,
                   "Write how often each item comes in so many samples, without drawing them: in "
                   "time for the items alone; other counts than those of --histogram");
  command.add_flag("--lines", options->weights.reading.lines,
                   "Write the lines of the file of weights instead of item numbers");
  command.add_option("--labels", options->weights.reading.labels,
                     "Write this column of the file, by name or counted from 1, instead");
  command.add_option("--output", options->output, "File to write, - for standard output")
      ->capture_default_str();
  command.add_option("--format", options->format,
                     "text, csv or npy; default: by the extension of --output");
  options->sampler.add_to(command);
  options->reporting.add_to(command);
  command.footer(
      "Examples:\n"
      "  wrsgpu sample --weights cities.csv --samples 5 --lines\n"
      "  wrsgpu sample --weights weights.npy --samples 1e6 --seed 7 --output samples.npy\n"
      "  wrsgpu sample --distribution uniform --items 1M --samples 1G --histogram --output h.npy\n"
      "Items are numbered from 0. Weights are rounded to units of 2^-32 of their mean, "
      "but not with --without-replacement.");
  command.callback([options, samples, &action] {
    options->has_samples = samples->count() > 0;
    action = [options] { return run_sample(*options); };
  });
}

}  // namespace wrsgpu::cli

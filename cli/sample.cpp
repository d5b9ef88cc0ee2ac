// wrsgpu sample: draws items and writes them, or how often each was drawn.

#include <memory>
#include <string>

#include "choice.hpp"
#include "commands.hpp"
#include "draw.hpp"
#include "numbers.hpp"
#include "output.hpp"

namespace wrsgpu::cli {
namespace {

struct SampleOptions {
  WeightsChoice weights;
  MethodChoice method;
  std::uint64_t samples = 0;
  RandomState state;
  bool histogram = false;
  std::string output = "-";
  std::string format;
};

int run_sample(const SampleOptions& options) {
  require_samples(options.samples);
  const Format format = choose_format(options.format, options.output);
  BuiltMethod method(options.method);
  const OwnedWeights weights = options.weights.load(options.method.threads);
  OutputFile file(options.output);
  method.build(weights, options.weights);
  if (options.histogram) {
    write_histogram(file, format, draw_counts(method, options.samples, options.state));
  } else {
    SampleWriter writer(file, format, options.samples);
    draw(method, options.samples, options.state,
         [&](std::span<const Index> samples) { writer.write(samples); });
  }
  file.commit();
  return exit_ok;
}

}  // namespace

void add_sample(CLI::App& program, Action& action) {
  CLI::App& command = *program.add_subcommand(
      "sample", "Draw items with probability proportional to their weights, with replacement");
  const auto options = std::make_shared<SampleOptions>();
  options->weights.add_to(command);
  options->method.add_to(command);
  add_number(command, "--samples", options->samples, "How many samples to draw")->required();
  add_random_state(command, options->state);
  command.add_flag("--histogram", options->histogram,
                   "Write how often each item was drawn instead of the samples");
  command.add_option("--output", options->output, "File to write, - for standard output")
      ->capture_default_str();
  command.add_option("--format", options->format,
                     "text, csv or npy; default: by the extension of --output");
  command.callback([options, &action] { action = [options] { return run_sample(*options); }; });
}

}  // namespace wrsgpu::cli

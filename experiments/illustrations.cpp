// What the thesis's explaining pictures are drawn from, by the library and small enough to draw
// every item: `illustrations <picture>` writes CSV, the same on every machine, with the commit in
// each row.
//   distributions  Figure 1.1: the weights of named distributions
//   points         Figure 1.2: points of a square, by Philox and by Halton (builds with CUDA)
//   table          Figure 2.1: an alias table, row by row
// The records are experiments/results/cpu/figure_1_1.csv, figure_1_2.csv and figure_2_1.csv.
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "construction/alias_table.hpp"
#include "registry/methods.hpp"
#include "registry/verify.hpp"
#include "sampling/generators/quasi_random.hpp"
#include "verification/reconstruction.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/uniform.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu/generate_weights.hpp"
#include "wrsgpu_commit.hpp"

namespace wrsgpu {
namespace {

constexpr std::uint64_t seed = 1;

void distributions() {
  fmt::print("distribution,item,weight,commit\n");
  for (const char* name :
       {"equal", "uniform", "normal", "binomial", "powerlaw_1", "powerlaw_1_shuffled"}) {
    const HostBuffer<double> weights = weights::generate<double>(name, 100, seed);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      fmt::print("{},{},{:.9g},{}\n", name, i, weights.span()[i], source_commit);
    }
  }
}

void points() {
  fmt::print("sequence,x,y,commit\n");
  constexpr std::uint64_t count = 500;
  for (std::uint64_t i = 0; i < count; ++i) {
    fmt::print("philox,{:.6f},{:.6f},{}\n", random::unit_double(random::philox_word(seed, 2 * i)),
               random::unit_double(random::philox_word(seed, 2 * i + 1)), source_commit);
  }
  for (std::uint64_t i = 1; i <= count; ++i) {  // point 0 is a corner
    fmt::print("halton,{:.6f},{:.6f},{}\n", random::unit_double(random::radical_inverse(i, 2)),
               random::unit_double(random::radical_inverse(i, 3)), source_commit);
  }
}

/// Own parts as shares of a bucket, which holds W/N.
void table() {
  const HostBuffer<double> weights = weights::generate<double>("powerlaw_0.5_shuffled", 8, seed);
  const std::unique_ptr<SamplingAlgorithm> built = make_method("sweep", {});
  built->build(weights);
  if (const verification::TableReport report = verification::verify(*built, weights); !report.ok) {
    throw Error("the table is wrong: " + report.message);
  }
  const HostTable rows = dynamic_cast<const AliasTable&>(*built).to_host();
  fmt::print("item,weight,own_share,alias,commit\n");
  rows.visit([&](auto view) {
    for (Index i = 0; i < view.size(); ++i) {
      const auto row = view.load(i);
      fmt::print("{},{:.9g},{:.9g},{},{}\n", i, weights.span()[i], view.own(row) / rows.bucket(),
                 view.alias(row), source_commit);
    }
  });
}

}  // namespace
}  // namespace wrsgpu

int main(int argc, char** argv) {
  const std::map<std::string, std::function<void()>> pictures{
      {"distributions", wrsgpu::distributions},
      {"points", wrsgpu::points},
      {"table", wrsgpu::table}};
  const auto picture = pictures.find(argc == 2 ? argv[1] : "");
  if (picture == pictures.end()) {
    std::string names;
    for (const auto& [name, draw] : pictures) names += " " + name;
    fmt::print(stderr, "usage: illustrations <picture>, one of:{}\n", names);
    return 2;
  }
  try {
    picture->second();
  } catch (const std::exception& error) {
    fmt::print(stderr, "illustrations: {}\n", error.what());
    return 1;
  }
  return 0;
}

// Edges of an R-MAT graph (Chakrabarti, Zhan, Faloutsos, SDM 2004) from precomputed paths. On each
// of `scale` levels an edge selects one of the four quadrants of the adjacency matrix; one sample
// from a table of all paths of eight levels makes eight of these selections at once
// (Huebschle-Schneider, Sanders, "Linear work generation of R-MAT graphs", Network Science 2020).
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "verification/goodness_of_fit.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu/sampler_view.hpp"

#ifdef __CUDACC__
#define RMAT_HOST_DEVICE __host__ __device__
#else
#define RMAT_HOST_DEVICE
#endif

namespace rmat {

/// Probabilities of the quadrants: rows are sources, columns targets. The defaults are those of
/// Graph 500.
struct Quadrants {
  double a = 0.57;  ///< source bit 0, target bit 0
  double b = 0.19;  ///< 0, 1
  double c = 0.19;  ///< 1, 0
  double d = 0.05;  ///< 1, 1
};

struct Edge {
  std::uint32_t source;
  std::uint32_t target;
};

/// 65,536 paths, with 8 bytes each in the table.
inline constexpr int path_levels = 8;
inline constexpr std::uint32_t path_mask = (1U << path_levels) - 1;

/// Weights of all paths: path s * 2^path_levels + t has the bits of s and t, highest level first.
inline std::vector<double> path_weights(const Quadrants& q) {
  std::vector<double> weights(std::size_t{1} << (2 * path_levels));
  for (std::uint32_t path = 0; path < weights.size(); ++path) {
    const std::uint32_t s = path >> path_levels;
    const std::uint32_t t = path & path_mask;
    weights[path] = std::pow(q.a, std::popcount(~(s | t) & path_mask)) *
                    std::pow(q.b, std::popcount(~s & t)) * std::pow(q.c, std::popcount(s & ~t)) *
                    std::pow(q.d, std::popcount(s & t));
  }
  return weights;
}

/// Word `number` of the generator SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): 64 random bits,
/// which any thread can compute by itself.
RMAT_HOST_DEVICE inline std::uint64_t random_word(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t word = seed + (number + 1) * 0x9E3779B97F4A7C15;
  word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
  word = (word ^ word >> 27) * 0x94D049BB133111EB;
  return word ^ word >> 31;
}

/// Edge `number` of stream `seed` in a graph of 2^scale vertices.
RMAT_HOST_DEVICE inline Edge make_edge(const wrsgpu::SamplerView& paths, std::uint64_t seed,
                                       std::uint64_t number, int scale) {
  const int draws = (scale + path_levels - 1) / path_levels;
  std::uint64_t word = number * static_cast<std::uint64_t>(draws);
  Edge edge{0, 0};
  for (int left = scale; left > 0; left -= path_levels) {
    const std::uint32_t path = paths(wrsgpu::RandomWord(random_word(seed, word++))).item;
    // A prefix of a path is a path of fewer levels.
    const int levels = left < path_levels ? left : path_levels;
    const int unused = path_levels - levels;
    edge.source = edge.source << levels | path >> path_levels >> unused;
    edge.target = edge.target << levels | (path & path_mask) >> unused;
  }
  return edge;
}

/// Chi-squared test of the degrees. The expected degree of a vertex depends only on the number of
/// 1 bits in its index, each of which is 1 with probability `one`; the test compares the numbers of
/// edges of these classes.
template <class BitsOf>
wrsgpu::verification::StatisticalReport test_degrees(std::span<const Edge> edges, int scale,
                                                     double one, const BitsOf& bits_of) {
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(scale) + 1);
  for (const Edge& edge : edges) ++counts[static_cast<std::size_t>(std::popcount(bits_of(edge)))];
  std::vector<double> probabilities(counts.size());
  for (int ones = 0; ones <= scale; ++ones) {
    const double ways = std::exp(std::lgamma(scale + 1.0) - std::lgamma(ones + 1.0) -
                                 std::lgamma(scale - ones + 1.0));
    probabilities[static_cast<std::size_t>(ones)] =
        ways * std::pow(one, ones) * std::pow(1 - one, scale - ones);
  }
  return wrsgpu::verification::chi_squared(counts, probabilities);
}

/// Prints the p-values for out-degrees, for in-degrees and for both ends jointly (the number of
/// levels on which an edge selects the last quadrant). Returns whether all are at least 1e-6: a
/// correct generator fails at most one run in 333,333.
inline bool degrees_match(std::span<const Edge> edges, int scale, const Quadrants& q) {
  constexpr double minimum = 1e-6;
  const double out =
      test_degrees(edges, scale, q.c + q.d, [](const Edge& e) { return e.source; }).p_value;
  const double in =
      test_degrees(edges, scale, q.b + q.d, [](const Edge& e) { return e.target; }).p_value;
  const double both =
      test_degrees(edges, scale, q.d, [](const Edge& e) { return e.source & e.target; }).p_value;
  std::printf("out-degrees: p = %g, in-degrees: p = %g, both ends: p = %g\n", out, in, both);
  return out >= minimum && in >= minimum && both >= minimum;
}

constexpr std::uint64_t max_edges = 1'000'000'000;

struct Arguments {
  int scale = 20;
  std::uint64_t edges = 1'000'000;
};

/// Parses the arguments [scale [edges]].
inline Arguments parse(int argc, char** argv) {
  Arguments arguments;
  const auto is_number = [](std::string_view text, auto& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
  };
  const bool are_numbers = (argc < 2 || is_number(argv[1], arguments.scale)) &&
                           (argc < 3 || is_number(argv[2], arguments.edges)) && argc < 4;
  if (!are_numbers || arguments.scale < 1 || arguments.scale > 32 || arguments.edges == 0 ||
      arguments.edges > max_edges) {
    throw wrsgpu::Error("usage: rmat [scale, 1 to 32 [edges, 1 to 1000000000]]");
  }
  return arguments;
}

}  // namespace rmat

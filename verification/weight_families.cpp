#include "verification/weight_families.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "verification/brief.hpp"
#include "wrsgpu/detail/core/find_by_name.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/weights/distributions/binomial.hpp"
#include "wrsgpu/detail/weights/distributions/normal.hpp"

namespace wrsgpu::verification {
namespace {

std::uint64_t hash(std::uint64_t seed, std::uint64_t i) { return random::philox_word(seed, i); }

/// Uniform in (0, 1].
double uniform(std::uint64_t seed, std::uint64_t i) {
  return (static_cast<double>(hash(seed, i) >> 11) + 1) * 0x1p-53;
}

/// Weights that are a function of the position i and the number of items n.
template <class F>
WeightFamily each(std::string name, std::string summary, F weight, bool fits_float = true) {
  return {std::move(name), std::move(summary), fits_float, [weight](Index n) {
            std::vector<double> w(n);
            for (Index i = 0; i < n; ++i) w[i] = weight(i, n);
            return w;
          }};
}

WeightFamily constant(std::string name, std::string summary, double value, bool fits_float = true) {
  return each(
      std::move(name), std::move(summary), [value](Index, Index) { return value; }, fits_float);
}

/// The weights of `family`, in the order of a random permutation (Fisher and Yates).
WeightFamily shuffled(WeightFamily family) {
  family.name += "_shuffled";
  family.summary += ", in random order";
  family.make = [make = std::move(family.make)](Index n) {
    std::vector<double> w = make(n);
    for (Index i = n; i > 1; --i) std::swap(w[i - 1], w[hash(9, i) % i]);
    return w;
  };
  return family;
}

WeightFamily sorted(std::string name, std::string summary, bool descending) {
  return {std::move(name), std::move(summary), true, [descending](Index n) {
            std::vector<double> w(n);
            for (Index i = 0; i < n; ++i) w[i] = uniform(4, i);
            std::sort(w.begin(), w.end());
            if (descending) std::reverse(w.begin(), w.end());
            return w;
          }};
}

WeightFamily power_law(std::string name, double exponent) {
  return each(std::move(name), "i^-" + std::to_string(exponent).substr(0, 3),
              [exponent](Index i, Index) { return std::pow(i + 1.0, -exponent); });
}

std::vector<WeightFamily> make_families() {
  constexpr double smallest = std::numeric_limits<double>::denorm_min();
  constexpr double greatest = std::numeric_limits<double>::max();
  const WeightFamily power_1 = power_law("powerlaw_1", 1);
  return {
      constant("equal_one", "all 1", 1),
      constant("equal_tenth", "all 0.1, whose sums round", 0.1),
      constant("equal_third", "all 1/3, whose sums round the other way", 1.0 / 3),
      each("one_nonzero_first", "all zero but the first",
           [](Index i, Index) { return i == 0 ? 0.1 : 0.0; }),
      each("one_nonzero_middle", "all zero but one in the middle",
           [](Index i, Index n) { return i == n / 2 ? 3.0 : 0.0; }),
      each("one_nonzero_last", "all zero but the last",
           [](Index i, Index n) { return i + 1 == n ? 0.7 : 0.0; }),
      each("zeros_and_ones", "0 or 1 at random, the last 1",
           [](Index i, Index n) { return i + 1 == n || (hash(1, i) & 1) != 0 ? 1.0 : 0.0; }),
      each("mostly_zeros", "one in 64 positive, and the first",
           [](Index i, Index) { return i == 0 || hash(2, i) % 64 == 0 ? uniform(3, i) : 0.0; }),
      each("one_heavy_first", "all 1 but the first, N^2",
           [](Index i, Index n) { return i == 0 ? static_cast<double>(n) * n : 1.0; }),
      each("one_heavy_last", "all 1 but the last, N^2",
           [](Index i, Index n) { return i + 1 == n ? static_cast<double>(n) * n : 1.0; }),
      each("one_light", "all 1 but one of 10^-3 in the middle",
           [](Index i, Index n) { return i == n / 2 ? 1e-3 : 1.0; }),
      each("one_just_heavier", "all 1 but one that is an ulp heavier",
           [](Index i, Index n) { return i == n / 3 ? 1 + 0x1p-23 : 1.0; }),
      each("alternating", "0.001 and 1 in turn",
           [](Index i, Index) { return i % 2 == 0 ? 1e-3 : 1.0; }),
      each("alternating_blocks", "0.1 and 0.9 in turns of 256",
           [](Index i, Index) { return i / 256 % 2 == 0 ? 0.1 : 0.9; }),
      each("near_mean", "1 up to 1e-12, so that all are nearly neither light nor heavy",
           [](Index i, Index) { return 1 + 1e-12 * uniform(5, i); }),
      each("sixty_orders", "10^-30 to 10^30, logarithmically uniform",
           [](Index i, Index) { return std::pow(10.0, 60 * uniform(6, i) - 30); }),
      each(
          "six_hundred_orders", "10^-300 to 10^300, logarithmically uniform",
          [](Index i, Index) { return std::pow(10.0, 600 * uniform(6, i) - 300); }, false),
      each(
          "denormal", "denormal numbers of up to 1000 units",
          [](Index i, Index) { return smallest * static_cast<double>(1 + hash(7, i) % 1000); },
          false),
      constant("denormal_smallest", "all the smallest positive number", smallest, false),
      each(
          "denormal_mixed", "denormal numbers among numbers near 1",
          [](Index i, Index) { return hash(8, i) % 2 == 0 ? 37 * smallest : uniform(8, i); },
          false),
      each("denormal_float", "denormal numbers of float",
           [](Index i, Index) {
             return static_cast<double>(std::numeric_limits<float>::denorm_min()) *
                    static_cast<double>(1 + hash(7, i) % 1000);
           }),
      each(
          "tiny", "uniform times 10^-305, normal while W/N is not",
          [](Index i, Index) { return 1e-305 * uniform(10, i); }, false),
      each(
          "huge", "up to the largest number over N",
          [](Index i, Index n) { return greatest / n * (0.25 + 0.7 * uniform(11, i)); }, false),
      each(
          "huge_and_tiny", "one of 10^307 among numbers of 10^-300",
          [](Index i, Index n) { return i == n / 2 ? 1e307 : 1e-300; }, false),
      each("uniform", "uniform in (0, 1]", [](Index i, Index) { return uniform(12, i); }),
      sorted("ascending", "uniform, sorted", false),
      sorted("descending", "uniform, sorted downwards", true),
      each("ramp", "i + 1", [](Index i, Index) { return i + 1.0; }),
      each("ramp_from_zero", "i, and 1 when alone",
           [](Index i, Index n) { return n == 1 ? 1.0 : static_cast<double>(i); }),
      each("sine", "1 + sin over ten periods",
           [](Index i, Index n) { return 1 + std::sin(20 * std::numbers::pi * i / n); }),
      each("normal", "the bell curve, four standard deviations each way",
           [](Index i, Index n) { return weights::Normal{static_cast<double>(n)}(i); }),
      each(
          "binomial", "heads in N - 1 throws of a fair coin, zero at the ends of many",
          [](Index i, Index n) { return weights::Binomial{n - 1.0}(i); }, false),
      each(
          "geometric", "2^-i, zero in the end",
          [](Index i, Index) { return std::ldexp(1.0, -static_cast<int>(std::min(i, 2000U))); },
          false),
      each("np_edge", "1/2, then ones, then 3/2 (thesis 2.4.7)",
           [](Index i, Index n) {
             return n == 1 ? 1.0 : (i == 0 ? 0.5 : (i + 1 == n ? 1.5 : 1.0));
           }),
      each("heavy_tenth_leading", "the first tenth 100 times as heavy as the rest",
           [](Index i, Index n) { return i < (n + 9) / 10 ? 100.0 : 1.0; }),
      each("heavy_tenth_random", "one in ten 100 times as heavy as the rest",
           [](Index i, Index) { return hash(13, i) % 10 == 0 ? 100.0 : 1.0; }),
      power_1,
      shuffled(power_law("powerlaw_0.5", 0.5)),
      shuffled(power_1),
      shuffled(power_law("powerlaw_2", 2)),
      shuffled(power_law("powerlaw_8", 8)),
  };
}

const std::vector<WeightFamily>& all_families() {
  static const std::vector<WeightFamily> all = make_families();
  return all;
}

}  // namespace

const WeightFamily& find_weight_family(std::string_view name) {
  return find_by_name(all_families(), name, "weight family");
}

const std::vector<WeightFamily>& weight_families() {
  static const auto families = all_or_few<std::vector<WeightFamily>>(
      all_families(), {find_weight_family("zeros_and_ones"), find_weight_family("one_heavy_last"),
                       find_weight_family("one_light"), find_weight_family("sixty_orders"),
                       find_weight_family("powerlaw_1_shuffled")});
  return families;
}

const std::vector<Index>& adversarial_sizes() {
  static const auto sizes = all_or_few<std::vector<Index>>(
      {1,    2,    3,    4,    5,    7,    8,     9,     15,    16,    17,  31,
       32,   33,   63,   64,   65,   127,  128,   129,   255,   256,   257, 1000,
       1023, 1024, 1025, 4095, 4096, 4097, 65535, 65536, 65537, 100003},
      {2, 4097});  // the last tile is incomplete
  return sizes;
}

}  // namespace wrsgpu::verification

#include "wrsgpu/detail/masses/tile_arithmetic.hpp"

#include <algorithm>
#include <bit>

#include "wrsgpu/detail/core/avx512.hpp"
#include "wrsgpu/detail/core/target_clones.hpp"

namespace wrsgpu {
namespace {

// The sum over a tile does not fit in 64 bits: all loops accumulate it in two parts.

#ifdef WRSGPU_HAS_AVX512_CODE

// Eight weights as doubles.
WRSGPU_AVX512 inline __m512d load(const double* weights) { return _mm512_loadu_pd(weights); }
WRSGPU_AVX512 inline __m512d load(const float* weights) {
  return _mm512_maskz_cvtps_pd(0xFF, _mm256_loadu_ps(weights));
}

template <class T>
WRSGPU_AVX512 inline __m512d products(__m512d weights, const IntegerWeight<T, std::uint64_t>& by) {
  return _mm512_mul_pd(_mm512_mul_pd(weights, _mm512_set1_pd(by.first())),
                       _mm512_set1_pd(by.second()));
}

// Each of these functions processes the first weights, a multiple of eight, and returns their
// number.
template <class T>
WRSGPU_AVX512 std::size_t largest_by_eight(std::span<const T> weights, T& largest) {
  __m512d maximum = _mm512_setzero_pd();
  std::size_t i = 0;
  for (; i + 8 <= weights.size(); i += 8) {
    maximum = _mm512_maskz_max_pd(0xFF, maximum, load(weights.data() + i));
  }
  std::array<double, 8> each;
  _mm512_storeu_pd(each.data(), maximum);
  largest = static_cast<T>(*std::max_element(each.begin(), each.end()));
  return i;
}

template <class T>
WRSGPU_AVX512 std::size_t sum_by_eight(std::span<const T> weights,
                                       const IntegerWeight<T, std::uint64_t>& integer,
                                       WideSum& sum) {
  constexpr int low_digits = std::countr_zero(mass_tile_items);
  const __m512i mask = _mm512_set1_epi64(mass_tile_items - 1);
  __m512i high = _mm512_setzero_si512();
  __m512i low = _mm512_setzero_si512();
  std::size_t i = 0;
  for (; i + 8 <= weights.size(); i += 8) {
    const __m512d product = products(load(weights.data() + i), integer);
    const __m512i part = _mm512_maskz_cvttpd_epu64(0xFF, product);
    high = _mm512_add_epi64(high, _mm512_maskz_srli_epi64(0xFF, part, low_digits));
    low = _mm512_add_epi64(low, _mm512_and_si512(part, mask));
  }
  sum = (WideSum{sum_of(high)} << low_digits) + sum_of(low);
  return i;
}

template <class T>
WRSGPU_AVX512 std::size_t round_by_eight(std::span<const T> weights,
                                         const IntegerWeight<T, std::uint64_t>& integer,
                                         std::uint64_t* masses, RoundedMasses& rounded) {
  __m512i sum = _mm512_setzero_si512();
  __m512i minimum = _mm512_set1_epi64(-1);
  std::size_t i = 0;
  for (; i + 8 <= weights.size(); i += 8) {
    const __m512d product = products(load(weights.data() + i), integer);
    const __m512i mass = _mm512_maskz_cvtpd_epu64(0xFF, product);  // rounds to nearest
    _mm512_storeu_si512(masses + i, mass);
    sum = _mm512_add_epi64(sum, mass);
    minimum = _mm512_maskz_min_epu64(0xFF, minimum, mass);
  }
  rounded.sum = sum_of(sum);
  rounded.all_have_mass = _mm512_cmpeq_epi64_mask(minimum, _mm512_setzero_si512()) == 0;
  return i;
}

#endif

// The other loops convert to integers by adding a constant, which leaves the integer in the low
// bits of the double. The compiler can vectorise them all; there is no vector conversion to 64-bit
// integers before AVX-512.

/// Rounds `x` in [0, 2^52) to the nearest integer, ties to even.
[[nodiscard]] inline std::uint64_t nearest_by_addition(double x) {
  return std::bit_cast<std::uint64_t>(x + 0x1p52) - std::bit_cast<std::uint64_t>(0x1p52);
}
/// The same for `x` in (-2^51, 2^51), modulo 2^64.
[[nodiscard]] inline std::uint64_t nearest_signed(double x) {
  return std::bit_cast<std::uint64_t>(x + 0x1.8p52) - std::bit_cast<std::uint64_t>(0x1.8p52);
}

/// The sum of the v_i. Each is split into two parts of at most 32 bits; the lower part may be
/// negative, because the upper one is rounded to nearest.
template <class T>
[[nodiscard]] inline WideSum add_floors(std::span<const T> weights, const IntegerWeight<T>& by) {
  constexpr int cut = 31;
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  for (const T weight : weights) {
    const double product = by.product(weight);
    const double upper = product * 0x1p-31 + 0x1p52 - 0x1p52;
    const double lower = product - upper * 0x1p31;
    const double nearest = lower + 0x1.8p52 - 0x1.8p52;
    high += nearest_by_addition(upper);
    low += nearest_signed(lower) - (nearest > lower ? 1 : 0);
  }
  return (WideSum{high} << cut) + static_cast<WideSum>(static_cast<std::int64_t>(low));
}

/// Masses below 2^52.
template <class T>
[[nodiscard]] inline RoundedMasses round_small(std::span<const T> weights,
                                               const IntegerWeight<T>& by, std::uint64_t* masses) {
  std::uint64_t sum = 0;
  std::uint64_t without = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::uint64_t mass = nearest_by_addition(by.product(weights[i]));
    masses[i] = mass;
    sum += mass;
    without += mass == 0 ? 1 : 0;
  }
  return {sum, without == 0};
}

#define WRSGPU_CLONES(T)                                                                        \
  WRSGPU_TARGET_CLONES WideSum sum_by_clones(std::span<const T> weights, IntegerWeight<T> by) { \
    return add_floors(weights, by);                                                             \
  }                                                                                             \
  WRSGPU_TARGET_CLONES RoundedMasses round_by_clones(std::span<const T> weights,                \
                                                     IntegerWeight<T> by, std::uint64_t* to) {  \
    return round_small(weights, by, to);                                                        \
  }
WRSGPU_CLONES(float)
WRSGPU_CLONES(double)
#undef WRSGPU_CLONES

}  // namespace

template <class T>
T largest_of(std::span<const T> weights) {
  T largest = 0;
  std::size_t done = 0;
#ifdef WRSGPU_HAS_AVX512_CODE
  if (has_avx512()) done = largest_by_eight(weights, largest);
#endif
  for (const T weight : weights.subspan(done)) largest = std::max(largest, weight);
  return largest;
}

template <class T>
WideSum integer_sum(std::span<const T> weights, int shift, [[maybe_unused]] HostCode code) {
  WideSum sum = 0;
  std::size_t done = 0;
#ifdef WRSGPU_HAS_AVX512_CODE
  if (code == HostCode::best && has_avx512()) {
    done = sum_by_eight(weights, IntegerWeight<T, std::uint64_t>(shift), sum);
  }
#endif
  return sum + sum_by_clones(weights.subspan(done), IntegerWeight<T>(shift));
}

template <class T>
RoundedMasses round_masses(std::span<const T> weights, const MassTile& tile, std::uint64_t* masses,
                           [[maybe_unused]] HostCode code) {
  RoundedMasses rounded{0, true};
  std::size_t done = 0;
#ifdef WRSGPU_HAS_AVX512_CODE
  if (code == HostCode::best && has_avx512()) {
    done = round_by_eight(weights, IntegerWeight<T, std::uint64_t>(tile.shift, tile.slope), masses,
                          rounded);
  }
#endif
  const auto round_rest = [&]<class Whole>(Whole /*kind*/) {
    const IntegerWeight<T, Whole> integer(tile.shift, tile.slope);
    for (std::size_t i = done; i < weights.size(); ++i) {
      masses[i] = integer.nearest(weights[i]);
      rounded.sum += masses[i];
      rounded.all_have_mass = rounded.all_have_mass && masses[i] > 0;
    }
  };
  // The sum of the products is less than the tile's mass. A conversion to signed integers is one
  // instruction; a conversion to unsigned ones may not be.
  if (tile.mass < std::uint64_t{1} << 52) {
    const RoundedMasses rest = round_by_clones(
        weights.subspan(done), IntegerWeight<T>(tile.shift, tile.slope), masses + done);
    rounded.sum += rest.sum;
    rounded.all_have_mass = rounded.all_have_mass && rest.all_have_mass;
  } else if (tile.mass < std::uint64_t{1} << 63) {
    round_rest(std::int64_t{0});
  } else {
    round_rest(std::uint64_t{0});
  }
  return rounded;
}

#define INSTANTIATE(T)                                                                     \
  template T largest_of(std::span<const T>);                                               \
  template WideSum integer_sum(std::span<const T>, int, HostCode);                         \
  template RoundedMasses round_masses(std::span<const T>, const MassTile&, std::uint64_t*, \
                                      HostCode);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace wrsgpu

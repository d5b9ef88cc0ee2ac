#include "wrsgpu/construction/tile_arithmetic.hpp"

#include <algorithm>
#include <bit>

#include "wrsgpu/core/avx512.hpp"

namespace wrsgpu {
namespace {

// A tile's sum does not fit in 64 bits: it is kept in two parts.
constexpr int low_digits = std::countr_zero(mass_tile_items);
constexpr std::uint64_t low_mask = mass_tile_items - 1;
struct TwoParts {
  std::uint64_t high = 0;  // of all but the lowest digits
  std::uint64_t low = 0;   // of the lowest digits

  void add(std::uint64_t part) {
    high += part >> low_digits;
    low += part & low_mask;
  }
  [[nodiscard]] WideSum sum() const { return (WideSum{high} << low_digits) + low; }
};

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

// Each of these does the first weights, a multiple of eight, and returns how many.
template <class T>
WRSGPU_AVX512 std::size_t largest_by_eight(std::span<const T> weights, T& largest) {
  __m512d most = _mm512_setzero_pd();
  std::size_t i = 0;
  for (; i + 8 <= weights.size(); i += 8) {
    most = _mm512_maskz_max_pd(0xFF, most, load(weights.data() + i));
  }
  std::array<double, 8> each;
  _mm512_storeu_pd(each.data(), most);
  largest = static_cast<T>(*std::max_element(each.begin(), each.end()));
  return i;
}

template <class T>
WRSGPU_AVX512 std::size_t sum_by_eight(std::span<const T> weights,
                                       const IntegerWeight<T, std::uint64_t>& integer,
                                       TwoParts& parts) {
  const __m512i mask = _mm512_set1_epi64(static_cast<long long>(low_mask));
  __m512i high = _mm512_setzero_si512();
  __m512i low = _mm512_setzero_si512();
  std::size_t i = 0;
  for (; i + 8 <= weights.size(); i += 8) {
    const __m512d product = products(load(weights.data() + i), integer);
    const __m512i part = _mm512_maskz_cvttpd_epu64(0xFF, product);
    high = _mm512_add_epi64(high, _mm512_maskz_srli_epi64(0xFF, part, low_digits));
    low = _mm512_add_epi64(low, _mm512_and_si512(part, mask));
  }
  parts = {sum_of(high), sum_of(low)};
  return i;
}

template <class T>
WRSGPU_AVX512 std::size_t round_by_eight(std::span<const T> weights,
                                         const IntegerWeight<T, std::uint64_t>& integer,
                                         std::uint64_t* masses, RoundedMasses& rounded) {
  __m512i sum = _mm512_setzero_si512();
  __m512i least = _mm512_set1_epi64(-1);
  std::size_t i = 0;
  for (; i + 8 <= weights.size(); i += 8) {
    const __m512d product = products(load(weights.data() + i), integer);
    const __m512i mass = _mm512_maskz_cvtpd_epu64(0xFF, product);  // to the nearest
    _mm512_storeu_si512(masses + i, mass);
    sum = _mm512_add_epi64(sum, mass);
    least = _mm512_maskz_min_epu64(0xFF, least, mass);
  }
  rounded.sum = sum_of(sum);
  rounded.all_have_mass = _mm512_cmpeq_epi64_mask(least, _mm512_setzero_si512()) == 0;
  return i;
}

#endif

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
WideSum integer_sum(std::span<const T> weights, int shift) {
  TwoParts parts;
  std::size_t done = 0;
#ifdef WRSGPU_HAS_AVX512_CODE
  if (has_avx512()) {
    done = sum_by_eight(weights, IntegerWeight<T, std::uint64_t>(shift), parts);
  }
#endif
  const IntegerWeight<T> integer(shift);
  for (const T weight : weights.subspan(done)) parts.add(integer.floor(weight));
  return parts.sum();
}

template <class T>
RoundedMasses round_masses(std::span<const T> weights, const MassTile& tile,
                           std::uint64_t* masses) {
  RoundedMasses rounded{0, true};
  std::size_t done = 0;
#ifdef WRSGPU_HAS_AVX512_CODE
  if (has_avx512()) {
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
  // A conversion to signed integers is one instruction, the other one may not be.
  if (tile.mass < std::uint64_t{1} << 63) {
    round_rest(std::int64_t{0});
  } else {
    round_rest(std::uint64_t{0});
  }
  return rounded;
}

#define INSTANTIATE(T)                                   \
  template T largest_of(std::span<const T>);             \
  template WideSum integer_sum(std::span<const T>, int); \
  template RoundedMasses round_masses(std::span<const T>, const MassTile&, std::uint64_t*);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace wrsgpu

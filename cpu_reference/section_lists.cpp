#include "wrsgpu/cpu_reference/section_lists.hpp"

#include <algorithm>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define WRSGPU_HAS_AVX512_CODE
#endif

namespace wrsgpu {
namespace {

double slack_of(double mass, double bucket) { return mass - bucket; }

std::int64_t slack_of(std::uint64_t mass, std::uint64_t bucket) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 62;
  return static_cast<std::int64_t>(std::min(mass, limit + bucket) - bucket);
}

// Every item is stored at the end of both lists, and one of the ends moves on: no branch depends on
// the weights.
template <class Masses>
void classify_from(const Masses& masses, Index first, Index begin, Index count,
                   SectionLists<typename Masses::Mass>& lists) {
  Index lights = lists.lights;
  for (Index i = begin; i < count; ++i) {
    const auto mass = masses[first + i];
    const auto slack = slack_of(mass, masses.bucket);
    const Index heavies = i - lights;
    lists.own[i] = mass;
    lists.light_slack[lights] = slack;
    lists.light[lights] = i;
    lists.heavy_slack[heavies] = slack;
    lists.heavy[heavies] = i;
    lights += slack > 0 ? 0 : 1;
  }
  lists.lights = lights;
  lists.heavies = count - lights;
}

#ifdef WRSGPU_HAS_AVX512_CODE

// Where all lanes are wanted the masked forms say so: g++ 12 takes the plain forms of some for uses
// of an uninitialised value.
#define WRSGPU_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq")))

WRSGPU_AVX512 inline __m512i load_masses(const ScaledWeights<double>& masses, Index i) {
  return _mm512_castpd_si512(
      _mm512_mul_pd(_mm512_loadu_pd(masses.weights + i), _mm512_set1_pd(masses.scale)));
}
WRSGPU_AVX512 inline __m512i load_masses(const ScaledWeights<float>& masses, Index i) {
  return _mm512_castpd_si512(
      _mm512_mul_pd(_mm512_maskz_cvtps_pd(0xFF, _mm256_loadu_ps(masses.weights + i)),
                    _mm512_set1_pd(masses.scale)));
}
WRSGPU_AVX512 inline __m512i load_masses(const IntegerMasses& masses, Index i) {
  return _mm512_loadu_si512(masses.masses + i);
}

WRSGPU_AVX512 inline __m512i slacks_of(__m512i masses, double bucket) {
  return _mm512_castpd_si512(_mm512_sub_pd(_mm512_castsi512_pd(masses), _mm512_set1_pd(bucket)));
}
WRSGPU_AVX512 inline __m512i slacks_of(__m512i masses, std::uint64_t bucket) {
  const __m512i limit =
      _mm512_set1_epi64(static_cast<long long>((std::uint64_t{1} << 62) + bucket));
  return _mm512_sub_epi64(_mm512_maskz_min_epu64(0xFF, masses, limit),
                          _mm512_set1_epi64(static_cast<long long>(bucket)));
}

WRSGPU_AVX512 inline __mmask8 positive(__m512i slacks, double /*kind*/) {
  return _mm512_cmp_pd_mask(_mm512_castsi512_pd(slacks), _mm512_setzero_pd(), _CMP_GT_OQ);
}
WRSGPU_AVX512 inline __mmask8 positive(__m512i slacks, std::uint64_t /*kind*/) {
  return _mm512_cmpgt_epi64_mask(slacks, _mm512_setzero_si512());
}

// Eight items at a time; the lists are those of `classify_from`.
template <class Masses>
WRSGPU_AVX512 Index classify_by_eight(const Masses& masses, Index first, Index count,
                                      SectionLists<typename Masses::Mass>& lists) {
  Index lights = 0;
  Index i = 0;
  __m256i positions = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  for (; i + 8 <= count; i += 8) {
    const __m512i mass = load_masses(masses, first + i);
    const __m512i slack = slacks_of(mass, masses.bucket);
    const __mmask8 heavy = positive(slack, masses.bucket);
    const auto light = static_cast<__mmask8>(~heavy);
    const Index heavies = i - lights;
    _mm512_store_si512(lists.own + i, mass);
    _mm512_storeu_si512(lists.light_slack + lights, _mm512_maskz_compress_epi64(light, slack));
    _mm512_storeu_si512(lists.heavy_slack + heavies, _mm512_maskz_compress_epi64(heavy, slack));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lists.light + lights),
                        _mm256_maskz_compress_epi32(light, positions));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lists.heavy + heavies),
                        _mm256_maskz_compress_epi32(heavy, positions));
    positions = _mm256_add_epi32(positions, _mm256_set1_epi32(8));
    lights += static_cast<Index>(__builtin_popcount(light));
  }
  lists.lights = lights;
  return i;
}

bool has_avx512() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512dq");
  return has;
}

#endif

}  // namespace

template <class Masses>
void classify(const Masses& masses, Index first, Index count,
              SectionLists<typename Masses::Mass>& lists) {
  Index done = 0;
  lists.lights = 0;
#ifdef WRSGPU_HAS_AVX512_CODE
  if (has_avx512()) done = classify_by_eight(masses, first, count, lists);
#endif
  classify_from(masses, first, done, count, lists);
}

template void classify(const ScaledWeights<float>&, Index, Index, SectionLists<double>&);
template void classify(const ScaledWeights<double>&, Index, Index, SectionLists<double>&);
template void classify(const IntegerMasses&, Index, Index, SectionLists<std::uint64_t>&);

}  // namespace wrsgpu

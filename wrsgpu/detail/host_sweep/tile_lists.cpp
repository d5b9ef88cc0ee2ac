#include "wrsgpu/detail/host_sweep/tile_lists.hpp"

#include "wrsgpu/detail/core/avx512.hpp"

namespace wrsgpu {
namespace {

// Every item is stored at the end of both lists, and only one of the ends advances: no branch
// depends on the weights.
template <class Masses>
void read_from(const Masses& masses, Index first, Index begin, Index count,
               TileLists<typename Masses::Mass>& lists) {
  Index lights = lists.lights;
  for (Index i = begin; i < count; ++i) {
    const auto slack = slack_of(masses[first + i], masses.bucket);
    const Index heavies = i - lights;
    lists.light_slack[lights] = slack;
    lists.heavy_slack[heavies] = slack;
    lists.heavy[heavies] = first + i;
    lights += slack > 0 ? 0 : 1;
  }
  lists.lights = lights;
  lists.heavies = count - lights;
}

#ifdef WRSGPU_HAS_AVX512_CODE

// One register holds eight masses, slacks or own parts, of doubles or of integers.
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
  return _mm512_loadu_si512(masses.masses + (i - masses.first));
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

WRSGPU_AVX512 inline __m512d own_parts(__m512i masses, __m512i slacks, __mmask8 heavy,
                                       double bucket) {
  return _mm512_mask_add_pd(_mm512_castsi512_pd(masses), heavy, _mm512_castsi512_pd(slacks),
                            _mm512_set1_pd(bucket));
}
WRSGPU_AVX512 inline __m512i own_integers(__m512i masses, __m512i slacks, __mmask8 heavy,
                                          std::uint64_t bucket) {
  return _mm512_mask_add_epi64(masses, heavy, slacks,
                               _mm512_set1_epi64(static_cast<long long>(bucket)));
}
WRSGPU_AVX512 inline __m512d own_parts(__m512i masses, __m512i slacks, __mmask8 heavy,
                                       std::uint64_t bucket) {
  return _mm512_maskz_cvtepu64_pd(0xFF, own_integers(masses, slacks, heavy, bucket));
}

WRSGPU_AVX512 inline __m256i eight_indices(Index first) {
  return _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(first)),
                          _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

// Builds the same lists as `read_from`, eight items at a time. Returns where it stopped.
template <class Masses>
WRSGPU_AVX512 Index read_by_eight(const Masses& masses, Index first, Index count,
                                  TileLists<typename Masses::Mass>& lists) {
  Index lights = 0;
  Index i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m512i slack = slacks_of(load_masses(masses, first + i), masses.bucket);
    const __mmask8 heavy = positive(slack, masses.bucket);
    const auto light = static_cast<__mmask8>(~heavy);
    const Index heavies = i - lights;
    _mm512_storeu_si512(lists.light_slack + lights, _mm512_maskz_compress_epi64(light, slack));
    _mm512_storeu_si512(lists.heavy_slack + heavies, _mm512_maskz_compress_epi64(heavy, slack));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lists.heavy + heavies),
                        _mm256_maskz_compress_epi32(heavy, eight_indices(first + i)));
    lights += static_cast<Index>(__builtin_popcount(light));
  }
  lists.lights = lights;
  return i;
}

// The aliases of eight items from `item` on: its own index for a full item, the next heavy item for
// another heavy one, the donor for a light one. `lights` and `heavies` are the numbers of such
// items before them.
template <class Mass>
WRSGPU_AVX512 inline __m512i aliases_of(const TileLists<Mass>& lists, Index lights, Index heavies,
                                        __mmask8 heavy, __mmask8 full, Index item) {
  const __m256i donors = _mm256_maskz_expand_epi32(
      static_cast<__mmask8>(~heavy),
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lists.donor + lights)));
  const __m256i others = _mm256_mask_expand_epi32(
      donors, heavy,
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lists.heavy + heavies + 1)));
  return _mm512_maskz_cvtepu32_epi64(0xFF,
                                     _mm256_mask_mov_epi32(others, full, eight_indices(item)));
}
// The own parts of the heavy items among eight, less a bucket.
template <class Mass>
WRSGPU_AVX512 inline __m512i kept_slacks(const TileLists<Mass>& lists, Index heavies,
                                         __mmask8 heavy) {
  return _mm512_maskz_expand_epi64(heavy, _mm512_loadu_si512(lists.heavy_slack + heavies));
}

template <Stores stores>
WRSGPU_AVX512 inline void store_words(void* to, __m512i words) {
  if constexpr (stores == Stores::non_temporal) {
    _mm512_stream_si512(static_cast<__m512i*>(to), words);
  } else {
    _mm512_store_si512(to, words);
  }
}

// The rows of `write_tile`, eight at a time; `count` is a multiple of eight.
template <Stores stores, class Masses>
WRSGPU_AVX512 void write_by_eight(const Masses& masses, Index first, Index count,
                                  const TileLists<typename Masses::Mass>& lists, WideRow* rows) {
  const __m512i low_rows = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
  const __m512i high_rows = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
  Index light = 0;
  for (Index i = 0; i < count; i += 8) {
    const __m512i mass = load_masses(masses, first + i);
    const __mmask8 heavy = positive(slacks_of(mass, masses.bucket), masses.bucket);
    const __m512d own = own_parts(mass, kept_slacks(lists, i - light, heavy), heavy, masses.bucket);
    const __mmask8 full =
        _mm512_cmp_pd_mask(own, _mm512_set1_pd(static_cast<double>(masses.bucket)), _CMP_EQ_OQ);
    const __m512i alias = aliases_of(lists, light, i - light, heavy, full, first + i);
    const __m512i own_bits = _mm512_castpd_si512(own);
    store_words<stores>(rows + i, _mm512_permutex2var_epi64(own_bits, low_rows, alias));
    store_words<stores>(rows + i + 4, _mm512_permutex2var_epi64(own_bits, high_rows, alias));
    light += 8 - static_cast<Index>(__builtin_popcount(heavy));
  }
}
template <Stores stores>
WRSGPU_AVX512 void write_by_eight(const IntegerMasses& masses, Index first, Index count,
                                  const TileLists<std::uint64_t>& lists, CompactRow* rows) {
  const __m512i bucket = _mm512_set1_epi64(static_cast<long long>(masses.bucket));
  const __m512i low_half = _mm512_set1_epi64(0xFFFF'FFFF);
  Index light = 0;
  for (Index i = 0; i < count; i += 8) {
    const __m512i mass = load_masses(masses, first + i);
    const __mmask8 heavy = positive(slacks_of(mass, masses.bucket), masses.bucket);
    const __m512i own =
        own_integers(mass, kept_slacks(lists, i - light, heavy), heavy, masses.bucket);
    const __mmask8 full = _mm512_cmpeq_epi64_mask(own, bucket);
    const __m512i alias = aliases_of(lists, light, i - light, heavy, full, first + i);
    store_words<stores>(rows + i, _mm512_or_si512(_mm512_and_si512(own, low_half),
                                                  _mm512_maskz_slli_epi64(0xFF, alias, 32)));
    light += 8 - static_cast<Index>(__builtin_popcount(heavy));
  }
}

#endif

}  // namespace

template <class Masses>
void read_tile(const Masses& masses, Index first, Index count,
               TileLists<typename Masses::Mass>& lists) {
  Index done = 0;
  lists.lights = 0;
#ifdef WRSGPU_HAS_AVX512_CODE
  if (has_avx512()) done = read_by_eight(masses, first, count, lists);
#endif
  read_from(masses, first, done, count, lists);
}

template <Stores stores, class Masses, class Rows>
void write_tile_by_vectors(const Masses& masses, Index first, Index count,
                           const TileLists<typename Masses::Mass>& lists, const Rows& rows) {
#ifdef WRSGPU_HAS_AVX512_CODE
  if (count == host_tile_items && has_avx512()) {
    write_by_eight<stores>(masses, first, count, lists, rows.data() + first);
    return;
  }
#endif
  write_tile(masses, first, count, lists, rows);
}

#define INSTANTIATE_WRITING(Masses, Rows)                                        \
  template void write_tile_by_vectors<Stores::cached>(                           \
      const Masses&, Index, Index, const TileLists<Masses::Mass>&, const Rows&); \
  template void write_tile_by_vectors<Stores::non_temporal>(                     \
      const Masses&, Index, Index, const TileLists<Masses::Mass>&, const Rows&);
#define INSTANTIATE(Masses)                                                       \
  template void read_tile(const Masses&, Index, Index, TileLists<Masses::Mass>&); \
  INSTANTIATE_WRITING(Masses, WideRows)
INSTANTIATE(ScaledWeights<float>)
INSTANTIATE(ScaledWeights<double>)
INSTANTIATE(IntegerMasses)
INSTANTIATE_WRITING(IntegerMasses, CompactRows)
#undef INSTANTIATE
#undef INSTANTIATE_WRITING

}  // namespace wrsgpu

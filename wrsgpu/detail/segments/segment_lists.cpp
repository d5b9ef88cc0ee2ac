#include "wrsgpu/detail/segments/segment_lists.hpp"

#include <algorithm>
#include <numeric>

#include "wrsgpu/detail/core/avx512.hpp"
#include "wrsgpu/detail/core/target_clones.hpp"

namespace wrsgpu::segments {
namespace {

/// The loops over the items of a part, and a segment's largest weight.
struct Portable {
  template <class T>
  static T largest(std::span<const T> weights) {
    std::array<T, 4> all{};  // one would wait for itself
    std::size_t i = 0;
    for (; i + 4 <= weights.size(); i += 4) {
      for (std::size_t k = 0; k < 4; ++k) all[k] = std::max(all[k], weights[i + k]);
    }
    for (; i < weights.size(); ++i) all[0] = std::max(all[0], weights[i]);
    return std::max(std::max(all[0], all[1]), std::max(all[2], all[3]));
  }

  template <class T>
  static std::uint64_t write_sums(std::span<const T> weights, int shift, std::uint64_t* sums) {
    const IntegerWeight<T> integer(shift);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sums[i] = sum += integer.floor(weights[i]);
    return sum;
  }

  static void to_prefix_masses(const Part& part, std::uint64_t before, std::uint64_t* sums,
                               std::uint64_t items) {
    sums_to_prefix_masses({sums, items}, part, before);
  }

  static void append(const std::uint64_t* masses, std::uint64_t items, Index first, Lists& lists) {
    std::uint64_t light = lists.light.end;
    std::uint64_t heavy = lists.heavy.end;
    std::uint64_t deficits = lists.light.sum;
    std::uint64_t excesses = lists.heavy.sum;
    std::uint64_t before = 0;
    for (std::uint64_t i = 0; i < items; ++i, ++first) {
      const std::uint64_t mass = masses[i] - before;
      before = masses[i];
      // Whether an item is heavy is unpredictable, so it is stored in both lists, and one is
      // extended.
      const auto is_heavy = static_cast<std::uint64_t>(mass > fixed_bucket);
      const std::uint64_t excess = mass - fixed_bucket;  // modulo 2^64
      excesses += excess & (0 - is_heavy);
      lists.sums[light] = deficits;
      lists.items[light] = first;
      lists.sums[heavy] = excesses;
      lists.items[heavy] = first;
      deficits -= excess & (is_heavy - 1);
      light += 1 - is_heavy;
      heavy += is_heavy;
    }
    lists.light = {lists.light.begin, light, deficits};
    lists.heavy = {lists.heavy.begin, heavy, excesses};
  }
};

/// `ListLoops` of these.
template <class Loops, class T>
[[gnu::always_inline]] inline TileSum write_prefix_sums(std::span<const T> weights,
                                                        std::uint64_t* sums) {
  const int shift = part_shift(exponent_of(Loops::largest(weights)));
  return {Loops::write_sums(weights, shift, sums), shift};
}
template <class Loops, class T>
[[gnu::always_inline]] inline void append(std::span<const T> weights, const Part& part, Index first,
                                          Lists& lists) {
  std::uint64_t* const sums = lists.prefix_sums.data();
  Loops::write_sums(weights, part.sum.shift, sums);
  Loops::to_prefix_masses(part, 0, sums, weights.size());
  Loops::append(sums, weights.size(), first, lists);
}
template <class Loops, class T>
[[gnu::always_inline]] inline void append_segments(const T* weights,
                                                   std::span<const std::uint64_t> offsets,
                                                   Lists& lists,
                                                   std::vector<Range>& without_weight) {
  std::uint64_t* const all_sums = lists.prefix_sums.data();
  const std::uint64_t first = offsets.front();
  // Loops over the items of one segment have as many steps, which processors learn. The one over
  // those of all, whose masses add up to a bucket each, is apart.
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const std::uint64_t begin = offsets[s];
    const std::uint64_t items = offsets[s + 1] - begin;
    if (items == 0) continue;
    std::uint64_t* const sums = all_sums + (begin - first);
    TileSum sum = write_prefix_sums<Loops, T>({weights + begin, items}, sums);
    if (sum.sum == 0) {
      without_weight.push_back({begin, begin + items});
      std::iota(sums, sums + items, 1);
      sum.sum = items;
    }
    Loops::to_prefix_masses({sum, items << 32}, (begin - first) << 32, sums, items);
  }
  const std::uint64_t items = offsets.back() - first;
  if (items > 0) Loops::append(all_sums, items, static_cast<Index>(first), lists);
}

#ifdef WRSGPU_HAS_AVX512_CODE

/// The same loops, eight items at a time.
struct ByEight {
  WRSGPU_AVX512 static __mmask8 mask_of(std::uint64_t items) {
    return static_cast<__mmask8>(
        _bzhi_u32(0xFF, static_cast<unsigned>(std::min<std::uint64_t>(items, 8))));
  }
  // The processor's own prefetching ends with a page.
  WRSGPU_AVX512 static __m512d load(const double* weights, __mmask8 here) {
    __builtin_prefetch(weights + 512);
    return _mm512_maskz_loadu_pd(here, weights);
  }
  WRSGPU_AVX512 static __m512d load(const float* weights, __mmask8 here) {
    __builtin_prefetch(weights + 512);
    return _mm512_maskz_cvtps_pd(0xFF, _mm256_maskz_loadu_ps(here, weights));
  }
  /// Inclusive prefix sums of eight words.
  WRSGPU_AVX512 static __m512i scan(__m512i words) {
    const __m512i zero = _mm512_setzero_si512();
    words = _mm512_add_epi64(words, _mm512_maskz_alignr_epi64(0xFF, words, zero, 7));
    words = _mm512_add_epi64(words, _mm512_maskz_alignr_epi64(0xFF, words, zero, 6));
    return _mm512_add_epi64(words, _mm512_maskz_alignr_epi64(0xFF, words, zero, 4));
  }
  WRSGPU_AVX512 static __m512i last_of(__m512i words) {
    return _mm512_maskz_permutexvar_epi64(0xFF, _mm512_set1_epi64(7), words);
  }
  WRSGPU_AVX512 static std::uint64_t first_word(__m512i words) {
    return static_cast<std::uint64_t>(
        _mm_cvtsi128_si64(_mm512_maskz_extracti64x2_epi64(0xFF, words, 0)));
  }

  template <class T>
  WRSGPU_AVX512 static double largest(std::span<const T> weights) {
    __m512d all = _mm512_setzero_pd();
    for (std::size_t i = 0; i < weights.size(); i += 8) {
      all = _mm512_maskz_max_pd(0xFF, all, load(weights.data() + i, mask_of(weights.size() - i)));
    }
    const __m256d four = _mm256_max_pd(_mm512_maskz_extractf64x4_pd(0xFF, all, 0),
                                       _mm512_maskz_extractf64x4_pd(0xFF, all, 1));
    const __m128d two = _mm_max_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_max_pd(two, _mm_unpackhi_pd(two, two)));
  }

  template <class T>
  WRSGPU_AVX512 static std::uint64_t write_sums(std::span<const T> weights, int shift,
                                                std::uint64_t* sums) {
    const IntegerWeight<T> integer(shift);
    const __m512d first = _mm512_set1_pd(integer.first());
    const __m512d second = _mm512_set1_pd(integer.second());
    __m512i before = _mm512_setzero_si512();
    for (std::size_t i = 0; i < weights.size(); i += 8) {
      const __m512d weight = load(weights.data() + i, mask_of(weights.size() - i));
      const __m512d product = _mm512_mul_pd(_mm512_mul_pd(weight, first), second);
      const __m512i sum = _mm512_add_epi64(scan(_mm512_maskz_cvttpd_epi64(0xFF, product)), before);
      _mm512_storeu_si512(sums + i, sum);
      before = last_of(sum);
    }
    return first_word(before);
  }

  WRSGPU_AVX512 static void to_prefix_masses(const Part& part, std::uint64_t before,
                                             std::uint64_t* sums, std::uint64_t items) {
    const __m512d slope = _mm512_set1_pd(PrefixMass(part.sum.sum, part.mass).slope());
    const __m512i all_mass = _mm512_set1_epi64(static_cast<long long>(part.mass));
    const __m512i all_before = _mm512_set1_epi64(static_cast<long long>(before));
    for (std::uint64_t i = 0; i < items; i += 8) {
      const __m512d sum = _mm512_maskz_cvtepi64_pd(0xFF, _mm512_loadu_si512(sums + i));
      const __m512i mass = _mm512_maskz_min_epu64(
          0xFF, _mm512_maskz_cvttpd_epu64(0xFF, _mm512_mul_pd(sum, slope)), all_mass);
      _mm512_storeu_si512(sums + i, _mm512_add_epi64(mass, all_before));
    }
  }

  WRSGPU_AVX512 static void append(const std::uint64_t* masses, std::uint64_t items, Index first,
                                   Lists& lists) {
    const __m512i bucket = _mm512_set1_epi64(static_cast<long long>(fixed_bucket));
    __m256i numbers = _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(first)),
                                       _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    // Deficits less excesses are the buckets of the items before, less their mass.
    const std::uint64_t difference = lists.light.sum - lists.heavy.sum;
    __m512i buckets =
        _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(difference)),
                         _mm512_slli_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), 32));
    __m512i inclusive_before = _mm512_setzero_si512();
    __m512i excesses_before = _mm512_set1_epi64(static_cast<long long>(lists.heavy.sum));
    std::uint64_t light = lists.light.end;
    std::uint64_t heavy = lists.heavy.end;
    for (std::uint64_t i = 0; i < items; i += 8) {
      const __mmask8 here = mask_of(items - i);
      const __m512i inclusive = _mm512_loadu_si512(masses + i);
      const __m512i before = _mm512_maskz_alignr_epi64(0xFF, inclusive, inclusive_before, 7);
      const __m512i mass = _mm512_sub_epi64(inclusive, before);
      const __mmask8 is_heavy = _mm512_mask_cmpgt_epu64_mask(here, mass, bucket);
      const auto is_light = static_cast<__mmask8>(here & ~is_heavy);
      const __m512i excesses =
          _mm512_add_epi64(scan(_mm512_maskz_sub_epi64(is_heavy, mass, bucket)), excesses_before);
      const __m512i deficits = _mm512_add_epi64(_mm512_sub_epi64(buckets, before), excesses);
      store(lists, light, is_light, deficits, numbers);
      store(lists, heavy, is_heavy, excesses, numbers);
      light += static_cast<unsigned>(__builtin_popcount(is_light));
      heavy += static_cast<unsigned>(__builtin_popcount(is_heavy));
      inclusive_before = inclusive;
      excesses_before = last_of(excesses);
      buckets = _mm512_add_epi64(buckets, _mm512_slli_epi64(bucket, 3));
      numbers = _mm256_add_epi32(numbers, _mm256_set1_epi32(8));
    }
    lists.heavy.end = heavy;
    lists.heavy.sum = first_word(excesses_before);
    lists.light.end = light;
    lists.light.sum = lists.heavy.sum + difference + (items << 32) - masses[items - 1];
  }
  WRSGPU_AVX512 static void store(Lists& lists, std::uint64_t place, __mmask8 which, __m512i sums,
                                  __m256i numbers) {
    _mm512_storeu_si512(lists.sums.data() + place, _mm512_maskz_compress_epi64(which, sums));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lists.items.data() + place),
                        _mm256_maskz_compress_epi32(which, numbers));
  }
};

template <class T>
WRSGPU_AVX512 TileSum write_prefix_sums_by_eight(std::span<const T> weights, std::uint64_t* sums) {
  return write_prefix_sums<ByEight>(weights, sums);
}
template <class T>
WRSGPU_AVX512 void append_by_eight(std::span<const T> weights, const Part& part, Index first,
                                   Lists& lists) {
  append<ByEight>(weights, part, first, lists);
}
template <class T>
WRSGPU_AVX512 void append_segments_by_eight(const T* weights,
                                            std::span<const std::uint64_t> offsets, Lists& lists,
                                            std::vector<Range>& without_weight) {
  append_segments<ByEight>(weights, offsets, lists, without_weight);
}

#endif

}  // namespace

WRSGPU_TARGET_CLONES void sums_to_prefix_masses(std::span<std::uint64_t> sums, const Part& part,
                                                std::uint64_t before) {
  const PrefixMass prefix_mass(part.sum.sum, part.mass);
  if (part.mass < std::uint64_t{1} << 62) {
    for (std::uint64_t& sum : sums) sum = before + std::min(prefix_mass(sum), part.mass);
  } else {
    for (std::uint64_t& sum : sums) sum = before + prefix_mass.of_part(sum, part.mass);
  }
}

template <class T>
const ListLoops<T>& list_loops([[maybe_unused]] HostCode code) {
#ifdef WRSGPU_HAS_AVX512_CODE
  static constexpr ListLoops<T> by_eight{write_prefix_sums_by_eight<T>, ByEight::write_sums<T>,
                                         append_by_eight<T>, append_segments_by_eight<T>};
  if (code == HostCode::best && has_avx512()) return by_eight;
#endif
  static constexpr ListLoops<T> portable{write_prefix_sums<Portable, T>, Portable::write_sums<T>,
                                         append<Portable, T>, append_segments<Portable, T>};
  return portable;
}
template const ListLoops<float>& list_loops(HostCode);
template const ListLoops<double>& list_loops(HostCode);

}  // namespace wrsgpu::segments

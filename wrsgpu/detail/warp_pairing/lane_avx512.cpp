#include "wrsgpu/detail/core/avx512.hpp"
#include "wrsgpu/detail/warp_pairing/lane_vectors.hpp"

namespace wrsgpu::warp_pairing {

#ifdef WRSGPU_HAS_AVX512_CODE
namespace {

/// The names of sixteen items, each widened to 32 bits, and back.
WRSGPU_AVX512 inline __m512i load_names(const Name* names) {
  return _mm512_maskz_cvtepu16_epi32(0xFFFF,
                                     _mm256_loadu_si256(reinterpret_cast<const __m256i*>(names)));
}
WRSGPU_AVX512 inline void store_names(Name* to, __m512i names) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_maskz_cvtepi32_epi16(0xFFFF, names));
}
/// The first or the second eight of them.
template <int which>
WRSGPU_AVX512 inline __m256i eight_of(__m512i names) {
  return _mm512_maskz_extracti32x8_epi32(0xFF, names, which);
}

/// The lowest `count` set bits.
WRSGPU_AVX512 inline unsigned first_bits(unsigned bits, Index count) {
  return count >= 32 ? bits : _pdep_u32((1U << count) - 1, bits);
}

/// Makes the rows that eight lanes `done` with a step have, of those that are `going`.
WRSGPU_AVX512 inline void step_eight(Word* words, __m256i taken, __m256i done, __m256i alias,
                                     unsigned going, unsigned from_heavies, __m512i& excess) {
  const __m512i bucket = _mm512_set1_epi64(static_cast<long long>(fixed_bucket));
  const __m512i low_half = _mm512_set1_epi64(0xFFFF'FFFF);
  const auto lanes_going = static_cast<__mmask8>(going);
  const __m512i mass = _mm512_mask_i32gather_epi64(bucket, lanes_going, taken, words, sizeof(Word));
  const __m512i own = _mm512_mask_mov_epi64(mass, static_cast<__mmask8>(from_heavies), excess);
  const __m512i upper = _mm512_maskz_slli_epi64(0xFF, _mm512_maskz_cvtepu32_epi64(0xFF, alias), 32);
  const __m512i row = _mm512_or_si512(_mm512_and_si512(own, low_half), upper);
  _mm512_mask_i32scatter_epi64(words, lanes_going, done, row, sizeof(Word));
  excess = _mm512_add_epi64(excess, _mm512_sub_epi64(mass, bucket));
}

/// Eight rows of light items, from their masses.
WRSGPU_AVX512 inline __m512i rows_of(__m512i masses, Name alias) {
  const __m512i low_half = _mm512_set1_epi64(0xFFFF'FFFF);
  return _mm512_or_si512(_mm512_and_si512(masses, low_half),
                         _mm512_set1_epi64(static_cast<long long>(row_word(0, alias))));
}

WRSGPU_AVX512 Index list_by_sixteen(const Word* words, Index begin, Index end,
                                    const ItemSet& exported_mask, Lists& lists) {
  const __m512i bucket = _mm512_set1_epi64(static_cast<long long>(fixed_bucket));
  __m512i names =
      _mm512_add_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                       _mm512_set1_epi32(static_cast<int>(begin)));
  Name* light = lists.lights.end();
  Name* heavy = lists.heavies.end();
  Index i = begin;
  for (; i + 16 <= end; i += 16) {
    const unsigned first = _mm512_cmplt_epu64_mask(_mm512_loadu_si512(words + i), bucket);
    const unsigned second = _mm512_cmplt_epu64_mask(_mm512_loadu_si512(words + i + 8), bucket);
    const unsigned here = 0xFFFFU & ~unsigned{exported_mask.sixteen(i)};
    const unsigned lights = first | second << 8;
    const auto to_lights = static_cast<__mmask16>(lights & here);
    const auto to_heavies = static_cast<__mmask16>(~lights & here);
    store_names(light, _mm512_maskz_compress_epi32(to_lights, names));
    store_names(heavy, _mm512_maskz_compress_epi32(to_heavies, names));
    light += __builtin_popcount(to_lights);
    heavy += __builtin_popcount(to_heavies);
    names = _mm512_add_epi32(names, _mm512_set1_epi32(16));
  }
  lists.lights.end_at(light);
  lists.heavies.end_at(heavy);
  return i;
}

WRSGPU_AVX512 void step_by_sixteen(Word* words, Lanes& current, Lists& lists, Index minimum,
                                   Index min_active_beside_heavies) {
  __m512i item[2] = {load_names(current.item.data()), load_names(current.item.data() + 16)};
  __m512i excess[4];
  for (std::size_t k = 0; k < 4; ++k) excess[k] = _mm512_loadu_si512(current.excess.data() + 8 * k);
  const Name* light = lists.lights.data();
  const Name* heavy = lists.heavies.data();
  const Name* const light_end = light + lists.lights.size();
  const Name* const heavy_end = heavy + lists.heavies.size();
  for (;;) {
    unsigned light_lanes = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      light_lanes |= static_cast<unsigned>(_mm512_movepi64_mask(excess[k])) << (8 * k);
    }
    const auto heavies_left = static_cast<Index>(heavy_end - heavy);
    const unsigned take_heavy = first_bits(light_lanes, heavies_left);
    const unsigned take_light = first_bits(~light_lanes, static_cast<Index>(light_end - light));
    const auto going =
        static_cast<Index>(__builtin_popcount(take_heavy) + __builtin_popcount(take_light));
    if (going < (heavies_left > 0 ? min_active_beside_heavies : minimum)) break;
    for (std::size_t h = 0; h < 2; ++h) {
      const auto from_heavies = static_cast<__mmask16>(take_heavy >> (16 * h));
      const auto from_lights = static_cast<__mmask16>(take_light >> (16 * h));
      __m512i taken = _mm512_maskz_expand_epi32(from_heavies, load_names(heavy));
      taken = _mm512_mask_expand_epi32(taken, from_lights, load_names(light));
      heavy += __builtin_popcount(from_heavies);
      light += __builtin_popcount(from_lights);
      // Builds the row of the light one of both.
      const __m512i done = _mm512_mask_mov_epi32(taken, from_heavies, item[h]);
      const __m512i alias = _mm512_mask_mov_epi32(item[h], from_heavies, taken);
      item[h] = alias;
      const unsigned going_here = from_heavies | from_lights;
      step_eight(words, eight_of<0>(taken), eight_of<0>(done), eight_of<0>(alias), going_here,
                 from_heavies, excess[2 * h]);
      step_eight(words, eight_of<1>(taken), eight_of<1>(done), eight_of<1>(alias), going_here >> 8,
                 from_heavies >> 8, excess[2 * h + 1]);
    }
  }
  for (std::size_t h = 0; h < 2; ++h) {
    store_names(current.item.data() + 16 * h, item[h]);
  }
  for (std::size_t k = 0; k < 4; ++k) _mm512_storeu_si512(current.excess.data() + 8 * k, excess[k]);
  lists.lights.drop(static_cast<Index>(light - lists.lights.data()));
  lists.heavies.drop(static_cast<Index>(heavy - lists.heavies.data()));
}

WRSGPU_AVX512 Index store_by_eight(const Word* words, Index begin, Index items,
                                   const ItemSet& exported_mask, const Index* beyond,
                                   const CompactRows& all_rows) {
  CompactRow* const rows = all_rows.data() + begin;
  const bool non_temporal = rows_use_non_temporal_stores(all_rows, begin);
  const __m512i first = _mm512_set1_epi64(static_cast<long long>(std::uint64_t{begin} << 32));
  const __m512i names = _mm512_set1_epi32(static_cast<int>(mass_tile_items));
  // Many aliases may be the item without a row; few are other received items.
  const __m512i rowless_names = _mm512_set1_epi32(rowless);
  const __m512i residual_item =
      _mm512_set1_epi32(static_cast<int>(beyond[rowless - mass_tile_items]));
  Index i = 0;
  for (; i + 16 <= items; i += 16) {
    const unsigned exported_here = exported_mask.sixteen(i);
    for (Index k = 0; k < 16; k += 8) {
      const __m512i word = _mm512_loadu_si512(words + i + k);
      __m512i row = _mm512_add_epi64(word, first);
      const auto here = static_cast<__mmask8>(~(exported_here >> k));
      // Compares aliases only, the upper one of each two.
      const __mmask16 received = _mm512_mask_cmpge_epu32_mask(
          static_cast<__mmask16>(_pdep_u32(here, 0xAAAA)), word, names);
      const __mmask16 residual = _mm512_mask_cmpeq_epi32_mask(received, word, rowless_names);
      row = _mm512_mask_mov_epi32(row, residual, residual_item);
      if (received != residual) {
        row = _mm512_mask_i32gather_epi32(row, static_cast<__mmask16>(received & ~residual),
                                          _mm512_sub_epi32(word, names), beyond, sizeof(Index));
      }
      if (non_temporal && here == 0xFF) {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(rows + i + k), row);
      } else {
        _mm512_mask_storeu_epi64(rows + i + k, here, row);
      }
    }
  }
  return i;
}

WRSGPU_AVX512 void fill_runs_by_sixteen(Word* words, Lanes& current, List& lights,
                                        std::uint64_t& residual, std::int64_t minimum) {
  __m512i excess[4];
  for (std::size_t k = 0; k < 4; ++k) excess[k] = _mm512_loadu_si512(current.excess.data() + 8 * k);
  const auto lanes_with = [&excess](std::int64_t number) WRSGPU_AVX512 {
    unsigned found = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      found |= unsigned{_mm512_cmpge_epi64_mask(excess[k], _mm512_set1_epi64(number))} << (8 * k);
    }
    return found;
  };
  while (lights.size() >= lanes) {
    if (lanes_with(minimum) == 0 && residual < static_cast<std::uint64_t>(minimum)) break;
    const __m512i first = load_names(lights.data());
    const __m512i second = load_names(lights.data() + 16);
    const __m256i names[4] = {eight_of<0>(first), eight_of<1>(first), eight_of<0>(second),
                              eight_of<1>(second)};
    __m512i mass[4];
    __m512i sum = _mm512_setzero_si512();
    for (std::size_t k = 0; k < 4; ++k) {
      mass[k] = _mm512_mask_i32gather_epi64(sum, 0xFF, names[k], words, sizeof(Word));
      sum = _mm512_add_epi64(sum, mass[k]);
    }
    const std::int64_t run =
        static_cast<std::int64_t>(lanes * fixed_bucket) - static_cast<std::int64_t>(sum_of(sum));
    const unsigned can = lanes_with(run);
    Name alias = rowless;
    if (can != 0) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(can));
      alias = current.item[lane];
      const auto one = static_cast<__mmask8>(1U << (lane % 8));
      excess[lane / 8] =
          _mm512_mask_sub_epi64(excess[lane / 8], one, excess[lane / 8], _mm512_set1_epi64(run));
    } else if (residual >= static_cast<std::uint64_t>(run)) {
      residual -= static_cast<std::uint64_t>(run);
    } else {
      break;
    }
    for (std::size_t k = 0; k < 4; ++k) {
      _mm512_i32scatter_epi64(words, names[k], rows_of(mass[k], alias), sizeof(Word));
    }
    lights.drop(lanes);
  }
  for (std::size_t k = 0; k < 4; ++k) _mm512_storeu_si512(current.excess.data() + 8 * k, excess[k]);
}

WRSGPU_AVX512 Index fill_by_sixteen(Word* words, const List& lights, Index begin, Name alias) {
  const __m512i places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  Index i = begin;
  for (; i + 16 <= lights.size(); i += 16) {
    const Name first = lights[i];
    const __m512i neighbours = _mm512_add_epi32(places, _mm512_set1_epi32(first));
    if (_mm512_cmpeq_epi32_mask(load_names(lights.data() + i), neighbours) != 0xFFFF) {
      for (Index k = i; k < i + 16; ++k) words[lights[k]] = row_word(words[lights[k]], alias);
      continue;
    }
    for (Index k = first; k < first + 16U; k += 8) {
      _mm512_storeu_si512(words + k, rows_of(_mm512_loadu_si512(words + k), alias));
    }
  }
  return i;
}

}  // namespace

const VectorLoops* avx512_loops() {
  static constexpr VectorLoops loops{list_by_sixteen, step_by_sixteen, fill_runs_by_sixteen,
                                     fill_by_sixteen, store_by_eight};
  return has_avx512() ? &loops : nullptr;
}

#else

const VectorLoops* avx512_loops() { return nullptr; }

#endif

}  // namespace wrsgpu::warp_pairing

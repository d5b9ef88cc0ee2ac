#include "wrsgpu/detail/core/avx2.hpp"
#include "wrsgpu/detail/warp_pairing/lane_vectors.hpp"

namespace wrsgpu::warp_pairing {

#ifdef WRSGPU_HAS_AVX2_CODE
namespace {

/// For each subset of eight: the indices of its members in order, one byte each.
constexpr auto members_of_sets = [] {
  std::array<std::uint64_t, 256> members{};
  for (unsigned set = 0; set < 256; ++set) {
    unsigned bit = 0;
    for (std::uint64_t k = 0; k < 8; ++k) {
      if ((set >> k & 1) != 0) members[set] |= k << (8 * bit++);
    }
  }
  return members;
}();

/// Shuffle control for each subset of eight: the bytes of the name that each member gets if the
/// members take names in order. The others get 0.
struct alignas(16) ByteOrder {
  std::array<std::uint8_t, 16> bytes;
};
constexpr auto orders_of_sets = [] {
  std::array<ByteOrder, 256> orders{};
  for (unsigned set = 0; set < 256; ++set) {
    std::uint8_t byte = 0;
    for (unsigned k = 0; k < 8; ++k) {
      const bool is_member = (set >> k & 1) != 0;
      for (unsigned b = 0; b < 2; ++b) {
        orders[set].bytes[2 * k + b] = is_member ? byte++ : std::uint8_t{0x80};
      }
    }
  }
  return orders;
}();

WRSGPU_AVX2 inline __m128i load_names(const Name* names) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(names));
}
WRSGPU_AVX2 inline void store_names(Name* to, __m128i names) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), names);
}
WRSGPU_AVX2 inline __m256i load_four(const void* words) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(words));
}
WRSGPU_AVX2 inline __m256i all_four(std::uint64_t word) {
  return _mm256_set1_epi64x(static_cast<long long>(word));
}

/// The sign bits of four words.
WRSGPU_AVX2 inline unsigned highest_bits(__m256i words) {
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(words)));
}

/// Expands consecutive names to the lanes in a subset of eight.
WRSGPU_AVX2 inline __m128i expand(const Name* names, unsigned set) {
  const __m128i order =
      _mm_load_si128(reinterpret_cast<const __m128i*>(orders_of_sets[set].bytes.data()));
  return _mm_shuffle_epi8(load_names(names), order);
}
/// Mask with all ones in the lanes of the subset.
WRSGPU_AVX2 inline __m128i places_of(unsigned set) {
  const __m128i bits = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
  return _mm_cmpeq_epi16(_mm_and_si128(_mm_set1_epi16(static_cast<short>(set)), bits), bits);
}

/// The lowest `count` set bits, or all of them; `count` may exceed 31.
WRSGPU_AVX2 inline unsigned first_bits(unsigned bits, Index count) {
  return static_cast<Index>(__builtin_popcount(bits)) <= count ? bits
                                                               : _pdep_u32((1U << count) - 1, bits);
}

/// Four names, one above the other.
class FourNames {
 public:
  explicit FourNames(std::uint64_t names) : names_(names) {}
  [[nodiscard]] Index operator[](int k) const { return static_cast<Name>(names_ >> (16 * k)); }

 private:
  std::uint64_t names_;
};
template <int which>
WRSGPU_AVX2 inline FourNames four_of(__m128i names) {
  return FourNames(static_cast<std::uint64_t>(_mm_extract_epi64(names, which)));
}

WRSGPU_AVX2 inline __m256i words_of(const Word* words, FourNames names) {
  return _mm256_setr_epi64x(
      static_cast<long long>(words[names[0]]), static_cast<long long>(words[names[1]]),
      static_cast<long long>(words[names[2]]), static_cast<long long>(words[names[3]]));
}
WRSGPU_AVX2 inline void set_words(Word* words, FourNames names, __m256i to) {
  const __m128i low = _mm256_castsi256_si128(to);
  const __m128i high = _mm256_extracti128_si256(to, 1);
  words[names[0]] = static_cast<Word>(_mm_cvtsi128_si64(low));
  words[names[1]] = static_cast<Word>(_mm_extract_epi64(low, 1));
  words[names[2]] = static_cast<Word>(_mm_cvtsi128_si64(high));
  words[names[3]] = static_cast<Word>(_mm_extract_epi64(high, 1));
}

/// The rows that four lanes with these excesses build in a step in which each takes a mass. Updates
/// the excesses.
WRSGPU_AVX2 inline __m256i step_four(__m256i mass, __m128i alias, __m256i& excess) {
  // A light current item keeps its excess, which is negative, modulo 2^32.
  const __m256d own = _mm256_blendv_pd(_mm256_castsi256_pd(mass), _mm256_castsi256_pd(excess),
                                       _mm256_castsi256_pd(excess));
  excess = _mm256_add_epi64(excess, _mm256_sub_epi64(mass, all_four(fixed_bucket)));
  return _mm256_blend_epi32(_mm256_castpd_si256(own),
                            _mm256_slli_epi64(_mm256_cvtepu16_epi64(alias), 32), 0b10101010);
}

/// A step of eight lanes; `from_heavies` is all ones for lanes that take heavy items.
WRSGPU_AVX2 inline void step_eight(Word* words, __m128i taken, __m128i from_heavies, __m128i& item,
                                   __m256i& first, __m256i& second) {
  // Builds the row of the light one.
  const __m128i alias = _mm_blendv_epi8(item, taken, from_heavies);
  const __m128i done = _mm_blendv_epi8(taken, item, from_heavies);
  item = alias;
  const __m256i first_mass = words_of(words, four_of<0>(taken));
  const __m256i second_mass = words_of(words, four_of<1>(taken));
  set_words(words, four_of<0>(done), step_four(first_mass, alias, first));
  set_words(words, four_of<1>(done),
            step_four(second_mass, _mm_unpackhi_epi64(alias, alias), second));
}

constexpr std::size_t groups = lanes / 8;

/// Lanes that find no item take this dummy of exactly one bucket, which leaves their current item
/// unchanged. Each of them also writes a row to it, so its bucket is restored before it is taken
/// again.
constexpr Name idle = rowless;

WRSGPU_AVX2 Index list_by_eight(const Word* words, Index begin, Index end,
                                const ItemSet& exported_mask, Lists& lists) {
  const __m256i bucket = all_four(fixed_bucket);
  Name* light = lists.lights.end();
  Name* heavy = lists.heavies.end();
  Index i = begin;
  for (; i + 8 <= end; i += 8) {
    const unsigned lights = highest_bits(_mm256_sub_epi64(load_four(words + i), bucket)) |
                            highest_bits(_mm256_sub_epi64(load_four(words + i + 4), bucket)) << 4;
    const unsigned here = 0xFFU & ~unsigned{exported_mask.eight(i)};
    const auto append = [i](Name*& to, unsigned set) WRSGPU_AVX2 {
      const __m128i members = _mm_cvtsi64_si128(static_cast<long long>(members_of_sets[set]));
      store_names(to,
                  _mm_add_epi16(_mm_cvtepu8_epi16(members), _mm_set1_epi16(static_cast<short>(i))));
      to += __builtin_popcount(set);
    };
    append(light, lights & here);
    append(heavy, ~lights & here);
  }
  lists.lights.end_at(light);
  lists.heavies.end_at(heavy);
  return i;
}

WRSGPU_AVX2 void step_by_eight(Word* words, Lanes& current, Lists& lists, Index minimum,
                               Index min_active_beside_heavies) {
  __m128i item[groups];
  __m256i excess[2 * groups];
  for (std::size_t g = 0; g < groups; ++g) item[g] = load_names(current.item.data() + 8 * g);
  for (std::size_t k = 0; k < 2 * groups; ++k) excess[k] = load_four(current.excess.data() + 4 * k);
  const Name* light = lists.lights.data();
  const Name* heavy = lists.heavies.data();
  const Name* const light_end = light + lists.lights.size();
  const Name* const heavy_end = heavy + lists.heavies.size();
  while (light_end - light >= lanes && heavy_end - heavy >= lanes) {
#pragma GCC unroll 4
    for (std::size_t g = 0; g < groups; ++g) {
      const unsigned from_heavies = highest_bits(excess[2 * g]) | highest_bits(excess[2 * g + 1])
                                                                      << 4;
      const unsigned from_lights = 0xFF & ~from_heavies;
      const __m128i taken = _mm_or_si128(expand(heavy, from_heavies), expand(light, from_lights));
      const auto heavies = __builtin_popcount(from_heavies);
      heavy += heavies;
      light += 8 - heavies;
      step_eight(words, taken, places_of(from_heavies), item[g], excess[2 * g], excess[2 * g + 1]);
    }
  }
  words[idle] = fixed_bucket;
  for (;;) {
    unsigned light_lanes = 0;
    for (std::size_t k = 0; k < 2 * groups; ++k) light_lanes |= highest_bits(excess[k]) << (4 * k);
    const auto heavies_left = static_cast<Index>(heavy_end - heavy);
    const unsigned take_heavy = first_bits(light_lanes, heavies_left);
    const unsigned take_light = first_bits(~light_lanes, static_cast<Index>(light_end - light));
    const auto going =
        static_cast<Index>(__builtin_popcount(take_heavy) + __builtin_popcount(take_light));
    if (going < (heavies_left > 0 ? min_active_beside_heavies : minimum)) break;
#pragma GCC unroll 4
    for (std::size_t g = 0; g < groups; ++g) {
      const unsigned from_heavies = take_heavy >> (8 * g) & 0xFF;
      const unsigned from_lights = take_light >> (8 * g) & 0xFF;
      const __m128i found = _mm_or_si128(expand(heavy, from_heavies), expand(light, from_lights));
      heavy += __builtin_popcount(from_heavies);
      light += __builtin_popcount(from_lights);
      const __m128i taken =
          _mm_blendv_epi8(_mm_set1_epi16(idle), found, places_of(from_heavies | from_lights));
      step_eight(words, taken, places_of(from_heavies), item[g], excess[2 * g], excess[2 * g + 1]);
      words[idle] = fixed_bucket;
    }
  }
  for (std::size_t g = 0; g < groups; ++g) store_names(current.item.data() + 8 * g, item[g]);
  for (std::size_t k = 0; k < 2 * groups; ++k) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(current.excess.data() + 4 * k), excess[k]);
  }
  lists.lights.drop(static_cast<Index>(light - lists.lights.data()));
  lists.heavies.drop(static_cast<Index>(heavy - lists.heavies.data()));
}

WRSGPU_AVX2 void fill_runs_by_four(Word* words, Lanes& current, List& lights,
                                   std::uint64_t& residual, std::int64_t minimum) {
  __m256i excess[2 * groups];
  for (std::size_t k = 0; k < 2 * groups; ++k) excess[k] = load_four(current.excess.data() + 4 * k);
  const auto lanes_with = [&excess](std::int64_t number) WRSGPU_AVX2 {
    const __m256i below = all_four(static_cast<std::uint64_t>(number - 1));
    unsigned found = 0;
    for (std::size_t k = 0; k < 2 * groups; ++k) {
      found |= highest_bits(_mm256_cmpgt_epi64(excess[k], below)) << (4 * k);
    }
    return found;
  };
  while (lights.size() >= lanes) {
    if (lanes_with(minimum) == 0 && residual < static_cast<std::uint64_t>(minimum)) break;
    const Name* const names = lights.data();
    std::uint64_t masses = 0;
    for (Index k = 0; k < lanes; ++k) masses += words[names[k]];
    const auto run = static_cast<std::int64_t>(lanes * fixed_bucket - masses);
    const unsigned can = lanes_with(run);
    Name alias = rowless;
    if (can != 0) {
      const auto lane = static_cast<std::uint64_t>(__builtin_ctz(can));
      alias = current.item[lane];
      const __m256i less = all_four(static_cast<std::uint64_t>(run));
      for (std::size_t k = 0; k < 2 * groups; ++k) {
        const __m256i is_it =
            _mm256_cmpeq_epi64(_mm256_setr_epi64x(0, 1, 2, 3), all_four(lane - 4 * k));
        excess[k] = _mm256_sub_epi64(excess[k], _mm256_and_si256(is_it, less));
      }
    } else if (residual >= static_cast<std::uint64_t>(run)) {
      residual -= static_cast<std::uint64_t>(run);
    } else {
      break;
    }
    for (Index k = 0; k < lanes; ++k) words[names[k]] = row_word(words[names[k]], alias);
    lights.drop(lanes);
  }
  for (std::size_t k = 0; k < 2 * groups; ++k) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(current.excess.data() + 4 * k), excess[k]);
  }
}

WRSGPU_AVX2 Index fill_by_eight(Word* words, const List& lights, Index begin, Name alias) {
  const __m128i places = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i aliases = all_four(row_word(0, alias));
  Index i = begin;
  for (; i + 8 <= lights.size(); i += 8) {
    const Name first = lights[i];
    const __m128i neighbours = _mm_add_epi16(places, _mm_set1_epi16(static_cast<short>(first)));
    const __m128i same = _mm_cmpeq_epi16(load_names(lights.data() + i), neighbours);
    if (_mm_movemask_epi8(same) != 0xFFFF) {
      for (Index k = i; k < i + 8; ++k) words[lights[k]] = row_word(words[lights[k]], alias);
      continue;
    }
    // The masses of light items are less than 2^32.
    for (Index k = first; k < first + 8U; k += 4) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(words + k),
                          _mm256_or_si256(load_four(words + k), aliases));
    }
  }
  return i;
}

WRSGPU_AVX2 Index store_by_eight(const Word* words, Index begin, Index items,
                                 const ItemSet& exported_mask, const Index* beyond,
                                 const CompactRows& all_rows) {
  CompactRow* const rows = all_rows.data() + begin;
  const bool non_temporal = rows_use_non_temporal_stores(all_rows, begin);
  const __m256i first = all_four(std::uint64_t{begin} << 32);
  const __m256i last_own = _mm256_set1_epi32(static_cast<int>(mass_tile_items - 1));
  // Many aliases may be the item without a row; few are other received items.
  const __m256i rowless_alias = all_four(row_word(0, rowless));
  const __m256i residual_item = all_four(std::uint64_t{beyond[rowless - mass_tile_items]} << 32);
  Index i = 0;
  for (; i + 8 <= items; i += 8) {
    __m256i row[2];
    unsigned received = 0;
    for (std::size_t k = 0; k < 2; ++k) {
      const __m256i word = load_four(words + i + 4 * k);
      // The lower half of `residual_item` is 0, and takes the place of none but 0.
      const __m256i residual = _mm256_cmpeq_epi32(word, rowless_alias);
      row[k] = _mm256_blendv_epi8(_mm256_add_epi64(word, first), residual_item, residual);
      const __m256i is_received = _mm256_andnot_si256(residual, _mm256_cmpgt_epi32(word, last_own));
      received |= highest_bits(is_received) << (4 * k);
    }
    const unsigned here = 0xFFU & ~unsigned{exported_mask.eight(i)};
    received &= here;
    if (here == 0xFF && received == 0) {
      auto* const to = reinterpret_cast<__m256i*>(rows + i);
      if (non_temporal) {
        _mm256_stream_si256(to, row[0]);
        _mm256_stream_si256(to + 1, row[1]);
      } else {
        _mm256_storeu_si256(to, row[0]);
        _mm256_storeu_si256(to + 1, row[1]);
      }
      continue;
    }
    for (Index k = i; k < i + 8; ++k) {
      if (exported_mask.contains(k)) continue;
      rows[k] = {own_of(words[k]), item_of(alias_of(words[k]), begin, beyond)};
    }
  }
  return i;
}

}  // namespace

const VectorLoops* avx2_loops() {
  static constexpr VectorLoops loops{list_by_eight, step_by_eight, fill_runs_by_four, fill_by_eight,
                                     store_by_eight};
  return has_avx2() ? &loops : nullptr;
}

#else

const VectorLoops* avx2_loops() { return nullptr; }

#endif

}  // namespace wrsgpu::warp_pairing

#include "wrsgpu/detail/shuffle/blocks.hpp"

#include <algorithm>
#include <cstddef>

#include "wrsgpu/detail/core/avx512.hpp"
#include "wrsgpu/detail/core/target_clones.hpp"

namespace wrsgpu::shuffle {
namespace {

// Number of places evaluated in parallel: enough to hide the latency of a round's multiplications,
// few enough for their halves to stay in the L1 cache.
constexpr std::size_t lanes = 128;

/// The halves of `lanes` numbers as a structure of arrays, for vector registers.
struct HalvesOfLanes {
  alignas(64) std::uint32_t left[lanes];
  alignas(64) std::uint32_t right[lanes];
};

// Bijections are passed by value: nothing can alias the copy, so it stays in registers.

WRSGPU_TARGET_CLONES void walk_rounds(ProductFeistel<> bijection, HalvesOfLanes& numbers) {
  for (unsigned round = 0; round < ProductFeistel<>::round_count(); round += 2) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto halves = bijection.two_rounds({numbers.left[lane], numbers.right[lane]}, round);
      numbers.left[lane] = halves.left;
      numbers.right[lane] = halves.right;
    }
  }
}

WRSGPU_TARGET_CLONES void walk_rounds(VariablePhilox<> bijection, HalvesOfLanes& numbers) {
  for (unsigned round = 0; round < VariablePhilox<>::round_count(); ++round) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto halves = bijection.one_round({numbers.left[lane], numbers.right[lane]}, round);
      numbers.left[lane] = halves.left;
      numbers.right[lane] = halves.right;
    }
  }
}

#ifdef WRSGPU_HAS_AVX512_CODE
// Rounds vectorised by hand, because the compiler does not use the widening product of AVX-512:
// four registers for each half, which stay there from the first round to the last.

constexpr std::size_t registers = 4;
constexpr std::size_t register_lanes = 16;
static_assert(lanes % (registers * register_lanes) == 0);

WRSGPU_AVX512 inline __m512i all_lanes(std::uint32_t word) {
  return _mm512_set1_epi32(static_cast<int>(word));
}

/// The high words of the 32-bit products with `b`, which is the same in all lanes.
WRSGPU_AVX512 inline __m512i high_products(__m512i a, __m512i b) {
  const __m512i even = _mm512_maskz_mul_epu32(0xFF, a, b);
  const __m512i odd = _mm512_maskz_mul_epu32(0xFF, _mm512_maskz_srli_epi64(0xFF, a, 32), b);
  return _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
}

/// The round of ProductFeistel: adds the mixed half `keyed`, already XORed with the key, to the
/// other half, modulo `size`.
WRSGPU_AVX512 inline __m512i plus_mixed(__m512i half, __m512i keyed, __m512i size) {
  __m512i x = _mm512_mullo_epi32(keyed, all_lanes(ProductFeistel<>::first_multiplier));
  x = _mm512_xor_si512(x, _mm512_maskz_srli_epi32(0xFFFF, x, 15));
  x = _mm512_mullo_epi32(x, all_lanes(ProductFeistel<>::second_multiplier));
  const __m512i sum = _mm512_add_epi32(half, high_products(x, size));
  return _mm512_maskz_min_epu32(0xFFFF, sum, _mm512_sub_epi32(sum, size));
}

/// Rounds `round` and `round` + 1.
WRSGPU_AVX512 inline void two_rounds(const ProductFeistel<>& bijection, unsigned round,
                                     __m512i& left, __m512i& right) {
  const __m512i left_size = all_lanes(bijection.left_size());
  const __m512i right_size = all_lanes(bijection.right_size());
  left = plus_mixed(left, _mm512_xor_si512(right, all_lanes(bijection.key(round))), left_size);
  right =
      plus_mixed(right, _mm512_xor_si512(left, all_lanes(bijection.key(round + 1))), right_size);
}

WRSGPU_AVX512 inline void one_round(const VariablePhilox<>& bijection, unsigned round,
                                    __m512i& left, __m512i& right) {
  const __m512i low = all_lanes(static_cast<std::uint32_t>(VariablePhilox<>::multiplier));
  const __m512i high = all_lanes(static_cast<std::uint32_t>(VariablePhilox<>::multiplier >> 32));
  const __m512i left_mask = all_lanes((std::uint32_t{1} << bijection.left_bits()) - 1);
  const __m512i right_mask = all_lanes((std::uint32_t{1} << bijection.right_bits()) - 1);
  const __m512i odd_bit = _mm512_maskz_srlv_epi32(0xFFFF, right, all_lanes(bijection.left_bits()));
  const __m512i new_right =
      _mm512_maskz_sllv_epi32(0xFFFF, _mm512_mullo_epi32(low, left),
                              all_lanes(bijection.right_bits() - bijection.left_bits()));
  const __m512i upper = _mm512_add_epi32(high_products(left, low), _mm512_mullo_epi32(high, left));
  const __m512i keyed = _mm512_xor_si512(right, all_lanes(bijection.key(round)));
  left = _mm512_and_si512(_mm512_xor_si512(upper, keyed), left_mask);
  right = _mm512_and_si512(_mm512_or_si512(new_right, odd_bit), right_mask);
}

WRSGPU_AVX512 inline void two_rounds(const VariablePhilox<>& bijection, unsigned round,
                                     __m512i& left, __m512i& right) {
  one_round(bijection, round, left, right);
  one_round(bijection, round + 1, left, right);
}

template <class Bijection>
WRSGPU_AVX512 void walk_rounds_by_sixteen(const Bijection bijection, HalvesOfLanes& numbers) {
  for (std::size_t first = 0; first < lanes; first += registers * register_lanes) {
    __m512i left[registers];
    __m512i right[registers];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < registers; ++i) {
      left[i] = _mm512_load_si512(&numbers.left[first + i * register_lanes]);
      right[i] = _mm512_load_si512(&numbers.right[first + i * register_lanes]);
    }
    for (unsigned round = 0; round < Bijection::round_count(); round += 2) {
#pragma GCC unroll 4
      for (std::size_t i = 0; i < registers; ++i) two_rounds(bijection, round, left[i], right[i]);
    }
#pragma GCC unroll 4
    for (std::size_t i = 0; i < registers; ++i) {
      _mm512_store_si512(&numbers.left[first + i * register_lanes], left[i]);
      _mm512_store_si512(&numbers.right[first + i * register_lanes], right[i]);
    }
  }
}
#endif

/// Replaces the halves of numbers by the halves of their images.
template <class Bijection>
void map_lanes(const Bijection& bijection, [[maybe_unused]] HostCode code, HalvesOfLanes& numbers) {
#ifdef WRSGPU_HAS_AVX512_CODE
  if (code == HostCode::best && has_avx512()) return walk_rounds_by_sixteen(bijection, numbers);
#endif
  walk_rounds(bijection, numbers);
}

WRSGPU_TARGET_CLONES void join_lanes(ProductFeistel<> bijection, const HalvesOfLanes& numbers,
                                     std::uint64_t* images) {
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    images[lane] = bijection.join({numbers.left[lane], numbers.right[lane]});
  }
}
WRSGPU_TARGET_CLONES void join_lanes(VariablePhilox<> bijection, const HalvesOfLanes& numbers,
                                     std::uint64_t* images) {
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    images[lane] = bijection.join({numbers.left[lane], numbers.right[lane]});
  }
}

WRSGPU_TARGET_CLONES void split_lanes(VariablePhilox<> bijection, std::uint64_t first,
                                      HalvesOfLanes& numbers) {
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const auto halves = bijection.split(first + lane);
    numbers.left[lane] = halves.left;
    numbers.right[lane] = halves.right;
  }
}
/// One division, then increments.
void split_lanes(const ProductFeistel<>& bijection, std::uint64_t first, HalvesOfLanes& numbers) {
  auto [left, right] = bijection.split(first);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    numbers.left[lane] = left;
    numbers.right[lane] = right;
    const bool is_last = ++right == bijection.right_size();
    left += is_last ? 1U : 0U;
    right = is_last ? 0U : right;
  }
}

/// The images of `lanes` numbers from `first` on. Images past the end are unused.
template <class Bijection>
void images_of_lanes(const Bijection& bijection, std::uint64_t first, HostCode code,
                     std::uint64_t* images) {
  HalvesOfLanes numbers;
  split_lanes(bijection, first, numbers);
  map_lanes(bijection, code, numbers);
  join_lanes(bijection, numbers, images);
}

WRSGPU_TARGET_CLONES std::uint64_t greatest(const std::uint64_t* images, std::size_t count) {
  std::uint64_t maximum = 0;
  for (std::size_t k = 0; k < count; ++k) maximum = images[k] > maximum ? images[k] : maximum;
  return maximum;
}

template <class Place>
void places_of(const LazyPermutation& permutation, std::uint64_t first, std::span<Place> out,
               HostCode code) {
  std::uint64_t images[lanes];
  for (std::size_t done = 0; done < out.size(); done += lanes) {
    const std::size_t count = std::min(lanes, out.size() - done);
    images_of_lanes(permutation.bijection(), first + done, code, images);
    // Images are rarely outside: the bijection has hardly more numbers than the permutation.
    if (greatest(images, count) >= permutation.size()) {
      for (std::size_t k = 0; k < count; ++k) {
        if (images[k] >= permutation.size()) images[k] = permutation(images[k]);
      }
    }
    for (std::size_t k = 0; k < count; ++k) out[done + k] = static_cast<Place>(images[k]);
  }
}

}  // namespace

void images(const VariablePhilox<>& bijection, std::uint64_t first, std::span<std::uint64_t> out,
            HostCode code) {
  const std::size_t whole = out.size() / lanes * lanes;
  for (std::size_t done = 0; done < whole; done += lanes) {
    images_of_lanes(bijection, first + done, code, out.data() + done);
  }
  if (whole == out.size()) return;
  std::uint64_t rest[lanes];
  images_of_lanes(bijection, first + whole, code, rest);
  std::copy_n(rest, out.size() - whole, out.data() + whole);
}

void places(const LazyPermutation& permutation, std::uint64_t first, std::span<std::uint64_t> out,
            HostCode code) {
  places_of(permutation, first, out, code);
}
void places(const LazyPermutation& permutation, std::uint64_t first, std::span<Index> out,
            HostCode code) {
  places_of(permutation, first, out, code);
}

}  // namespace wrsgpu::shuffle

// Keys and sums of the merge of a tile's items.
#pragma once

#include <cstdint>

#include "wrsgpu/types.hpp"

namespace wrsgpu::merge {

/// Key of the merge: from the high bits to the low ones, a sum, the sequence to which it belongs,
/// and the item: its number in the tile, or for donors a number after those. Comparing keys
/// compares sums; a light item precedes a heavy one of the same sum.
using Key = std::uint64_t;
inline constexpr int item_digits = 12;
inline constexpr int key_shift = item_digits + 1;
inline constexpr Key item_mask = (Key{1} << item_digits) - 1;
inline constexpr Key heavy_bit = Key{1} << item_digits;
inline constexpr Key sum_mask = ~(heavy_bit | item_mask);
/// Sentinel after all heavy items.
inline constexpr Key no_key = sum_mask;

/// The upper register of a word. The compiler would turn a shift into a comparison of whole words.
[[nodiscard]] __device__ inline Index high_half(std::uint64_t word) {
  Index high;
  asm("{ .reg .b32 low; mov.b64 {low, %0}, %1; }" : "=r"(high) : "l"(word));
  return high;
}

/// Saturates excesses beyond 2^43, the maximum deficit of a tile; their order does not matter.
[[nodiscard]] __device__ inline std::uint64_t capped(std::uint64_t excesses) {
  constexpr Index maximum = Index{1} << 16;  // only the higher half is examined
  const Index high = min(static_cast<Index>(excesses >> 32), maximum);
  return std::uint64_t{high} << 32 | static_cast<Index>(excesses);
}
/// Key after the light items that this much excess fills, at least in part, and before all others.
[[nodiscard]] __device__ inline Key heavy_key_of_sum(std::uint64_t excesses) {
  return excesses << key_shift | heavy_bit;
}
[[nodiscard]] __device__ inline Key heavy_key(std::uint64_t excesses, Index item) {
  return heavy_key_of_sum(capped(excesses)) | item;
}
/// Sentinel after the light items: follows heavy keys of the same sum.
[[nodiscard]] __device__ inline Key light_end(std::uint64_t deficits) {
  return deficits << key_shift | heavy_bit | item_mask;
}
[[nodiscard]] __device__ inline std::uint64_t sum_of(Key key) { return key >> key_shift; }
[[nodiscard]] __device__ inline Index item_of(Key key) {
  return static_cast<Index>(key) & static_cast<Index>(item_mask);
}

/// Totals of some of a tile's items: the deficits D of the light ones, and D - E of all, negative
/// if there is an excess.
class Sides {
 public:
  Sides() = default;
  __device__ Sides(std::uint64_t deficits, Index lights, std::uint64_t lack)
      : deficits_and_lights_(deficits << item_digits | lights), lack_(lack) {}

  [[nodiscard]] __device__ std::uint64_t deficits() const {
    return deficits_and_lights_ >> item_digits;
  }
  [[nodiscard]] __device__ std::uint64_t excesses() const { return deficits() - lack_; }
  [[nodiscard]] __device__ Index lights() const {
    return static_cast<Index>(deficits_and_lights_) & static_cast<Index>(item_mask);
  }

  __device__ Sides& operator+=(const Sides& more) {
    deficits_and_lights_ += more.deficits_and_lights_;
    lack_ += more.lack_;
    return *this;
  }
  [[nodiscard]] __device__ Sides less(const Sides& other) const {
    Sides rest;
    rest.deficits_and_lights_ = deficits_and_lights_ - other.deficits_and_lights_;
    rest.lack_ = lack_ - other.lack_;
    return rest;
  }
  [[nodiscard]] __device__ Sides of_lane_below(int distance) const {
    Sides other;
    other.deficits_and_lights_ = __shfl_up_sync(~0U, deficits_and_lights_, distance);
    other.lack_ = __shfl_up_sync(~0U, lack_, distance);
    return other;
  }

 private:
  // Together below 2^56.
  std::uint64_t deficits_and_lights_;
  std::uint64_t lack_;
};

}  // namespace wrsgpu::merge

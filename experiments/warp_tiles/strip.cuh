// What a lane pairs on its own: a strip, 32 items of a tile, each 64 after the one before it.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/detail/warp_pairing/shared_words.cuh"

namespace wrsgpu::experiments::warp_tiles {

inline constexpr Index strip_items = 32;
inline constexpr Index strips = mass_tile_items / strip_items;
/// Items of other tiles; they follow the tile's own. As many as uniform weights need.
inline constexpr Index max_donors = 320;

/// Masses of 48 bits, then rows: the lower 32 become what the row keeps, the others its alias.
/// Neighbouring lanes have neighbouring words, however far each has come.
struct Items {
  std::uint32_t low[mass_tile_items + max_donors];
  std::uint16_t high[mass_tile_items + max_donors];
};

/// Where items are, as 32-bit addresses in shared memory. An item's name, and what stands for it as
/// an alias, is the address of its upper bits.
class ItemAddresses {
 public:
  static constexpr Index step = sizeof(std::uint16_t);

  __device__ explicit ItemAddresses(const Items& items)
      : first_(warp_pairing::address_of(items.high)),
        low_offset_(warp_pairing::address_of(items.low) - 2 * first_) {}

  [[nodiscard]] __device__ Index name(Index item) const { return first_ + step * item; }
  [[nodiscard]] __device__ Index item(Index name) const { return (name - first_) / step; }
  [[nodiscard]] __device__ Index low(Index name) const { return 2 * name + low_offset_; }
  [[nodiscard]] __device__ Index low_offset() const { return low_offset_; }

 private:
  Index first_;
  Index low_offset_;
};

using warp_pairing::load16;
using warp_pairing::load32;
using warp_pairing::store16;
using warp_pairing::store32;
[[nodiscard]] __device__ inline std::uint64_t load64(Index address) {
  std::uint64_t word;
  asm volatile("ld.shared.u64 %0, [%1];" : "=l"(word) : "r"(address) : "memory");
  return word;
}
__device__ inline void store64(Index address, std::uint64_t word) {
  asm volatile("st.shared.u64 [%0], %1;" ::"r"(address), "l"(word) : "memory");
}

/// Items of a strip as bits, the first one the highest.
using Mask = std::uint32_t;
[[nodiscard]] __device__ inline Index highest(Mask mask) { return 31 - __clz(mask); }
/// From an item's name to that of the one before it in a strip.
inline constexpr Index strip_step = strips * ItemAddresses::step;

/// The sweep of thesis 2.4.3 along one list of light items and one of heavy ones, of a strip each.
/// A light item keeps its mass; its alias is the current heavy item, which then has so much less.
/// Once that has less than a bucket, it keeps what it has, and the next heavy item fills it.
class Sweep {
 public:
  /// `last_light` and `last_heavy` are the names of the last items of the strips.
  __device__ Sweep(const ItemAddresses& at, Mask lights, Mask heavies, Index last_light,
                   Index last_heavy)
      : low_offset_(at.low_offset()),
        lights_(heavies == 0 ? 0 : lights),
        heavies_(heavies),
        last_light_(last_light),
        last_heavy_(last_heavy),
        heavy_(last_heavy) {
    if (heavies == 0) return;
    const Index bit = highest(heavies);
    heavies_ ^= Mask{1} << bit;
    heavy_ = last_heavy - bit * strip_step;
    excess_low_ = load32(at.low(heavy_));
    excess_high_ = static_cast<int>(load16(heavy_)) - 1;
  }

  [[nodiscard]] __device__ bool goes_on() const {
    return (excess_high_ >= 0 ? lights_ : heavies_) != 0;
  }

  /// Makes the row of a light item or of the current heavy one. Does nothing at the end. In
  /// assembly, so that it has no branch.
  __device__ void step() {
    const Index last = excess_high_ >= 0 ? last_light_ : last_heavy_;
    asm volatile(
        "{ .reg .pred is_light, goes_on, is_heavy;\n"
        "  .reg .b32 mask, bit, name, place, low, high, row, alias, own;\n"
        "  setp.ge.s32 is_light, %3, 0;\n"
        "  selp.b32 mask, %0, %1, is_light;\n"
        "  setp.ne.u32 goes_on, mask, 0;\n"
        "  setp.ne.and.u32 is_heavy, mask, 0, !is_light;\n"
        "  bfind.u32 bit, mask;\n"
        "  mad.lo.s32 name, bit, %7, %5;\n"
        "  mad.lo.s32 place, name, 2, %6;\n"
        "  ld.shared.u32 low, [place];\n"
        "  ld.shared.u16 high, [name];\n"
        "  shl.b32 bit, 1, bit;\n"
        "  @is_light xor.b32 %0, %0, bit;\n"
        "  @!is_light xor.b32 %1, %1, bit;\n"
        "  mad.lo.s32 own, %4, 2, %6;\n"
        "  @is_heavy st.shared.u32 [own], %2;\n"
        "  selp.b32 alias, name, %4, is_heavy;\n"
        "  selp.b32 row, %4, name, is_heavy;\n"
        "  mov.b32 %4, alias;\n"
        "  @goes_on st.shared.u16 [row], alias;\n"
        "  sub.u32 high, high, 1;\n"
        "  @goes_on add.cc.u32 %2, %2, low;\n"
        "  @goes_on addc.u32 %3, %3, high; }"
        : "+r"(lights_), "+r"(heavies_), "+r"(excess_low_), "+r"(excess_high_), "+r"(heavy_)
        : "r"(last), "r"(low_offset_), "n"(-static_cast<int>(strip_step))
        : "memory");
  }

  /// What is left are light items or heavy ones; the current heavy item, with what it still has, is
  /// one of them.
  struct Left {
    Mask lights;
    Mask heavies;
  };
  [[nodiscard]] __device__ Left finish() const {
    store32(2 * heavy_ + low_offset_, excess_low_);
    store16(heavy_, static_cast<std::uint32_t>(excess_high_ + 1));
    const Mask current = Mask{1} << (last_heavy_ - heavy_) / strip_step;
    return excess_high_ >= 0 ? Left{0, heavies_ | current} : Left{lights_, current};
  }

 private:
  Index low_offset_;
  Mask lights_;
  Mask heavies_;
  Index last_light_;
  Index last_heavy_;
  Index heavy_;  // the current one
  // What it has beyond a bucket; negative when it has less.
  std::uint32_t excess_low_ = 0;
  int excess_high_ = -1;
};

}  // namespace wrsgpu::experiments::warp_tiles

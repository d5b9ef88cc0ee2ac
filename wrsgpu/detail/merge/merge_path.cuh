// Two sorted sequences of keys in shared memory, light items and heavy ones, and their merge.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/merge/keys.cuh"
#include "wrsgpu/types.hpp"

namespace wrsgpu::merge {

/// Whether an item is light that lacks this much of 2^32: its deficit is in [0, 2^32], negative for
/// heavy items.
[[nodiscard]] __device__ inline bool is_light(std::uint64_t lack) { return high_half(lack) <= 1; }

/// Adds the deficits of a thread's light items, and their number. Predicated: the compiler would
/// compute both cases and select.
template <int items>
__device__ void add_lights(const std::uint64_t (&lack)[items], std::uint64_t& deficits,
                           Index& lights) {
#pragma unroll
  for (int k = 0; k < items; ++k) {
    asm("{ .reg .pred light;\n"
        "  setp.le.u32 light, %3, 1;\n"
        "  @light add.u64 %0, %0, %2;\n"
        "  @light add.u32 %1, %1, 1; }"
        : "+l"(deficits), "+r"(lights)
        : "l"(lack[k]), "r"(high_half(lack[k])));
  }
}

/// Writes the keys of a thread's items, predicated as above.
///
/// @param light_key, heavy_key those of the first item, if it is light and if it is heavy and has
/// no excess
/// @param light, heavy places of the next keys of both sequences
template <class Keys, int items>
__device__ void write_keys(const Keys& keys, const std::uint64_t (&lack)[items], Key light_key,
                           Key heavy_key, Index light, Index heavy) {
#pragma unroll
  for (int k = 0; k < items; ++k) {
    Key key;
    Index place;
    asm("{ .reg .pred light;\n"
        "  .reg .b32 low, high, low_light, high_light, low_heavy, high_heavy;\n"
        "  setp.le.u32 light, %7, 1;\n"
        "  mov.b64 {low, high}, %6;\n"
        "  mov.b64 {low_light, high_light}, %2;\n"
        "  mov.b64 {low_heavy, high_heavy}, %3;\n"
        "  @!light sub.cc.u32 low_heavy, low_heavy, low;\n"
        "  @!light subc.u32 high_heavy, high_heavy, high;\n"
        "  mov.b64 %3, {low_heavy, high_heavy};\n"
        "  selp.b32 low_heavy, low_light, low_heavy, light;\n"
        "  selp.b32 high_heavy, high_light, high_heavy, light;\n"
        "  mov.b64 %0, {low_heavy, high_heavy};\n"
        "  @light add.cc.u32 low_light, low_light, low;\n"
        "  @light addc.u32 high_light, high_light, high;\n"
        "  mov.b64 %2, {low_light, high_light};\n"
        "  selp.b32 %1, %4, %5, light;\n"
        "  @light add.u32 %4, %4, %8;\n"
        "  @!light add.u32 %5, %5, %8; }"
        : "=&l"(key), "=&r"(place), "+l"(light_key), "+l"(heavy_key), "+r"(light), "+r"(heavy)
        : "l"(lack[k] << key_shift), "r"(high_half(lack[k])), "n"(keys.step));
    keys.store(place, key | static_cast<Index>(k));
  }
}

/// Number of light items among the first `steps` of the merge (merge path search); it is in
/// [low, high]. The keys of heavy items begin with that of number `heavy_begin`.
template <class Keys>
[[nodiscard]] __device__ Index lights_of_steps(const Keys& keys, Index heavy_begin, Index steps,
                                               Index low, Index high) {
  const Index lights = keys.place(0);
  const Index heavies = keys.place(heavy_begin + steps - 1);
  while (low < high) {
    const Index middle = (low + high) / 2;
    const Index distance = middle * keys.step;
    if (keys.load(lights + distance) < keys.load(heavies - distance)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Makes a number of steps of the merge, and with each the row of an item.
///
/// @param light, heavy numbers of the next keys
/// @param alias_of maps an item to the value to store as alias
/// @tparam unrolled steps that are compiled without a loop
template <int unrolled = 4, class Keys, class Rows, class AliasOf>
__device__ void merge_steps(const Keys& keys, const Rows& to, Index light, Index heavy, Index steps,
                            const AliasOf& alias_of) {
  light = keys.place(light);
  heavy = keys.place(heavy);
  const Index rows = to.place(0);
  Key light_next = keys.load(light);
  Key heavy_next = keys.load(heavy);
#pragma unroll unrolled
  for (Index step = 0; step < steps; ++step) {
    const Key current = keys.merge_step(light_next, heavy_next, light, heavy);
    // The bucket lacks the difference to the next light item's sum. All bits below the sum are
    // set, so that the subtraction does not borrow from them.
    const std::uint64_t difference = (current | ~sum_mask) - light_next;
    const Index kept = static_cast<Index>(difference >> key_shift);  // 2^32 is 0
    const bool lacks = high_half(difference) != 0;
    const Index alias = alias_of(item_of(lacks ? heavy_next : current));
    to.store(rows + item_of(current) * to.step, kept, alias);
  }
}

}  // namespace wrsgpu::merge

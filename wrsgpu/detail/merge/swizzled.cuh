// Swizzled words in shared memory, against bank conflicts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wrsgpu/types.hpp"

namespace wrsgpu::merge {

/// Words in shared memory that threads access with a stride of about 8 or 16. Pairs of words are
/// permuted within a line, so that such accesses are spread over the memory banks.
template <Index size>
class Swizzled {
 public:
  /// The place of word i before swizzling, as a 32-bit shared-memory address; the compiler would
  /// compute with 64 bits, or add the address of the storage each time.
  [[nodiscard]] __device__ Index place(Index i) const {
    return static_cast<Index>(__cvta_generic_to_shared(bytes_)) + i * step;
  }
  /// Distance from the place of one word to that of the next.
  static constexpr Index step = sizeof(std::uint64_t);

  [[nodiscard]] __device__ static std::uint64_t load(Index place) {
    std::uint64_t word;
    asm volatile("ld.shared.u64 %0, [%1];" : "=l"(word) : "r"(swapped(place)) : "memory");
    return word;
  }
  __device__ static void store(Index place, std::uint64_t word) {
    asm volatile("st.shared.u64 [%0], %1;" ::"r"(swapped(place)), "l"(word) : "memory");
  }
  __device__ static void store(Index place, Index low, Index high) {
    asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(swapped(place)), "r"(low), "r"(high)
                 : "memory");
  }

  [[nodiscard]] __device__ std::uint64_t operator[](Index i) const { return load(place(i)); }
  __device__ void set(Index i, std::uint64_t word) { store(place(i), word); }
  /// One merge step: returns the smaller of the words at `place_a` and `place_b`, and advances past
  /// it. The compiler would load the next word into a third register and select six times; half
  /// words prevent a second comparison.
  [[nodiscard]] __device__ static std::uint64_t merge_step(std::uint64_t& a, std::uint64_t& b,
                                                           Index& place_a, Index& place_b) {
    std::uint64_t less;
    asm volatile(
        "{ .reg .pred is_a;\n"
        "  .reg .b32 low_a, high_a, low_b, high_b, place, line;\n"
        "  setp.lt.u64 is_a, %1, %2;\n"
        "  mov.b64 {low_a, high_a}, %1;\n"
        "  mov.b64 {low_b, high_b}, %2;\n"
        "  selp.b32 low_a, low_a, low_b, is_a;\n"
        "  selp.b32 high_a, high_a, high_b, is_a;\n"
        "  mov.b64 %0, {low_a, high_a};\n"
        "  @is_a add.u32 %3, %3, %5;\n"
        "  @!is_a add.u32 %4, %4, %5;\n"
        "  selp.b32 place, %3, %4, is_a;\n"
        "  shr.u32 line, place, 3;\n"
        "  and.b32 line, line, %6;\n"
        "  xor.b32 place, place, line;\n"
        "  @is_a ld.shared.u64 %1, [place];\n"
        "  @!is_a ld.shared.u64 %2, [place]; }"
        : "=&l"(less), "+l"(a), "+l"(b), "+r"(place_a), "+r"(place_b)
        : "n"(step), "n"(swapped_digits)
        : "memory");
    return less;
  }
  /// Words i and i + 1, i even.
  [[nodiscard]] __device__ ulonglong2 pair(Index i) const {
    ulonglong2 words;
    asm volatile("ld.shared.v2.u64 {%0, %1}, [%2];"
                 : "=l"(words.x), "=l"(words.y)
                 : "r"(swapped(place(i)))
                 : "memory");
    return words;
  }

 private:
  static constexpr Index line = 128;
  static constexpr Index swapped_digits = 0x70;
  [[nodiscard]] __device__ static Index swapped(Index place) {
    return place ^ (place >> 3 & swapped_digits);
  }

  alignas(line) std::byte bytes_[(size * sizeof(std::uint64_t) + line - 1) / line * line];
};

}  // namespace wrsgpu::merge

// A section of compact rows in shared memory, and sampling from it with split words.
#pragma once

#include <cuda_pipeline.h>

#include <cstddef>
#include <cstdint>

#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/sampling/split_word_row.hpp"
#include "wrsgpu/detail/table/rows.hpp"

namespace wrsgpu {

/// Rows of the table in shared memory.
class SharedRows {
 public:
  /// `memory` holds the copies that `copy` made, from row `first` on.
  __device__ SharedRows(std::byte* memory, Index first)
      : address_(static_cast<std::uint32_t>(__cvta_generic_to_shared(memory)) +
                 row_bytes * (first - even(first))) {}

  /// Starts the copies of rows [first, past) of the table, distributed over `threads` threads;
  /// `thread` is the index of this one. `memory` is aligned to 16 bytes and has
  /// `shared_rows_bytes`.
  __device__ static void copy(const CompactRow* rows, Index first, Index past, std::byte* memory,
                              unsigned thread, unsigned threads) {
    const Index begin = even(first);
    auto* const to = reinterpret_cast<CompactRow*>(memory);
    for (Index i = 2 * thread; i < even(past) - begin; i += 2 * threads) {
      __pipeline_memcpy_async(to + i, rows + begin + i, 2 * sizeof(CompactRow));
    }
    if (past % 2 != 0 && thread == 0) {
      __pipeline_memcpy_async(to + (past - 1 - begin), rows + (past - 1), sizeof(CompactRow));
    }
    __pipeline_commit();
  }

  /// Row number `row`, counted from the first copied one.
  [[nodiscard]] __device__ CompactRow load(Index row) const {
    CompactRow loaded;
    // Shared-memory addresses have 32 bits; the compiler would compute with 64. Volatile, so that
    // the load is not moved before the volatile barrier that waits for the copies.
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                 : "=r"(loaded.threshold), "=r"(loaded.alias)
                 : "r"(address_ + row_bytes * row));
    return loaded;
  }

 private:
  static constexpr std::uint32_t row_bytes = sizeof(CompactRow);
  [[nodiscard]] __device__ static Index even(Index row) { return row / 2 * 2; }

  std::uint32_t address_;  ///< of the first row
};

/// The row source of `draw_quads`.
template <class Words>
struct SectionSource {
  const Words& words;
  SharedRows copies;
  Index first_row;
  Index size;  ///< rows of the section

  template <int quads>
  [[nodiscard]] __device__ bool pick(const typename Words::Quads& words_of,
                                     const std::uint32_t (&numbers)[quads],
                                     Index (&items)[quads][4]) const {
    Index until = ~Index{0};
#pragma unroll
    for (int j = 0; j < quads; ++j) {
      const random::PhiloxBlock high = words_of.high_halves(numbers[j]);
#pragma unroll
      for (int s = 0; s < 4; ++s) {
        const FirstChoice choice = first_choice(high.word[s], size);
        const CompactRow row = copies.load(choice.row);
        items[j][s] =
            CompactRows::accepts(row, choice.variate) ? first_row + choice.row : row.alias;
        until = min(until, until_change(choice.variate, row.threshold));
      }
    }
    return !may_tie(until, size);
  }
  [[nodiscard]] __device__ Index one(std::uint64_t word) const {
    const RowChoice choice = choose_row(words.word(word), size);
    const CompactRow row = copies.load(choice.row);
    return CompactRows::accepts(row, CompactRows::variate(choice.fraction)) ? first_row + choice.row
                                                                            : row.alias;
  }
};

}  // namespace wrsgpu

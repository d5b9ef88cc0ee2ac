// Rows of an alias table and trivially copyable views of them (thesis 2.4 and 4.8.2).
//
// All views have the same interface, so that split, pack and samplers are written once:
//   size()                   number of rows
//   store(i, own, alias)     row i keeps mass `own` for item i, the rest of its bucket for `alias`
//   load(i), store(i, row)   the row in memory
//   own(row), alias(row)     its parts
//   pick(i, fraction)        the item that row i gives for a uniform 64-bit fraction of its bucket
//   variate(fraction)        that fraction in the unit of the rows, and
//   accepts(row, variate)    whether it falls into the row's own part: `pick` in two steps
// The mass of a bucket is `bucket`: W/N in floating-point tables, exactly 2^32 in fixed-point ones.
#pragma once

#include <cstdint>
#include <variant>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Mass of one bucket in fixed-point tables.
inline constexpr std::uint64_t fixed_bucket = std::uint64_t{1} << 32;

/// The top 53 bits of `fraction` as a multiple of 2^-53. On the device without a conversion
/// instruction, of which a multiprocessor executes 16 per cycle instead of 64 additions: each half
/// becomes the low bits of a double's significand, which is exact, and so is their sum.
[[nodiscard]] WRSGPU_HD inline double unit_fraction(std::uint64_t fraction) {
  const std::uint64_t digits = fraction >> 11;
#ifdef __CUDA_ARCH__
  const double high = __hiloint2double(0x45300000, static_cast<int>(digits >> 32)) -
                      19342813118337666422669312.0;  // 2^84 + high * 2^32, less 2^84 + 2^52
  const double low = __hiloint2double(0x43300000, static_cast<int>(digits));  // 2^52 + low
  return (high + low) * 0x1p-53;
#else
  return static_cast<double>(digits) * 0x1p-53;
#endif
}

/// The thesis's row: 16 bytes, moved in one 128-bit access.
struct alignas(16) WideRow {
  double weight;
  Index alias;
  Index padding;
};
static_assert(sizeof(WideRow) == 16);

/// 8 bytes, fixed-point only. A row with a full bucket (2^32, which does not fit) has its own item
/// as alias, so that any threshold is correct; it is stored as 0.
struct alignas(8) CompactRow {
  Index threshold;
  Index alias;
};
static_assert(sizeof(CompactRow) == 8);

/// Array of structures, 16 bytes per row.
class WideRows {
 public:
  using Row = WideRow;
  static constexpr Layout layout = Layout::wide_rows;

  WRSGPU_HD WideRows(WideRow* rows, Index size, double bucket)
      : rows_(rows), size_(size), bucket_(bucket) {}
  [[nodiscard]] WRSGPU_HD Index size() const { return size_; }
  [[nodiscard]] WRSGPU_HD double bucket() const { return bucket_; }
  [[nodiscard]] WRSGPU_HD WideRow* data() const { return rows_; }

  template <class Mass>
  WRSGPU_HD void store(Index i, Mass own, Index alias) const {
    const WideRow row{static_cast<double>(own), alias, 0};
#ifdef __CUDA_ARCH__
    // One 128-bit store; the compiler would emit two of 64 bits (thesis 4.8.2).
    *reinterpret_cast<int4*>(rows_ + i) = *reinterpret_cast<const int4*>(&row);
#else
    rows_[i] = row;
#endif
  }
  [[nodiscard]] WRSGPU_HD WideRow load(Index i) const {
#ifdef __CUDA_ARCH__
    WideRow row;
    *reinterpret_cast<int4*>(&row) = *reinterpret_cast<const int4*>(rows_ + i);
    return row;
#else
    return rows_[i];
#endif
  }
  WRSGPU_HD void store(Index i, const WideRow& row) const { rows_[i] = row; }
  [[nodiscard]] WRSGPU_HD static double own(const WideRow& row) { return row.weight; }
  [[nodiscard]] WRSGPU_HD static Index alias(const WideRow& row) { return row.alias; }
  [[nodiscard]] WRSGPU_HD double variate(std::uint64_t fraction) const {
    return unit_fraction(fraction) * bucket_;
  }
  [[nodiscard]] WRSGPU_HD static bool accepts(const WideRow& row, double variate) {
    return variate < row.weight;
  }
  [[nodiscard]] WRSGPU_HD Index pick(Index i, std::uint64_t fraction) const {
    const WideRow row = load(i);
    return accepts(row, variate(fraction)) ? i : row.alias;
  }

 private:
  WideRow* rows_;
  Index size_;
  double bucket_;
};

/// Wide rows that kernels store in two 64-bit accesses, for comparison with the 128-bit store
/// (thesis 4.8.2, Algorithm 4.3).
class NarrowStoreRows : public WideRows {
 public:
  explicit NarrowStoreRows(const WideRows& rows) : WideRows(rows) {}

  template <class Mass>
  WRSGPU_HD void store(Index i, Mass own, Index alias) const {
#ifdef __CUDA_ARCH__
    const WideRow row{static_cast<double>(own), alias, 0};
    // In assembly, so that the compiler does not merge the stores. Volatile stores would not be
    // merged either, but would be ordered system-wide.
    const std::size_t at = __cvta_generic_to_global(data() + i);
    asm volatile("st.global.f64 [%0], %1;" ::"l"(at), "d"(row.weight) : "memory");
    asm volatile("st.global.u64 [%0 + 8], %1;" ::"l"(at), "l"(std::uint64_t{alias}) : "memory");
#else
    WideRows::store(i, own, alias);
#endif
  }
};

/// Structure of arrays, 12 bytes per row (thesis 5.2.7).
class ArrayRows {
 public:
  struct Row {
    double weight;
    Index alias;
  };
  static constexpr Layout layout = Layout::struct_of_arrays;

  WRSGPU_HD ArrayRows(double* weights, Index* aliases, Index size, double bucket)
      : weights_(weights), aliases_(aliases), size_(size), bucket_(bucket) {}
  [[nodiscard]] WRSGPU_HD Index size() const { return size_; }
  [[nodiscard]] WRSGPU_HD double bucket() const { return bucket_; }
  [[nodiscard]] WRSGPU_HD double* weights() const { return weights_; }
  [[nodiscard]] WRSGPU_HD Index* aliases() const { return aliases_; }

  template <class Mass>
  WRSGPU_HD void store(Index i, Mass own, Index alias) const {
    weights_[i] = static_cast<double>(own);
    aliases_[i] = alias;
  }
  [[nodiscard]] WRSGPU_HD Row load(Index i) const { return {weights_[i], aliases_[i]}; }
  WRSGPU_HD void store(Index i, const Row& row) const { store(i, row.weight, row.alias); }
  [[nodiscard]] WRSGPU_HD static double own(const Row& row) { return row.weight; }
  [[nodiscard]] WRSGPU_HD static Index alias(const Row& row) { return row.alias; }
  [[nodiscard]] WRSGPU_HD double variate(std::uint64_t fraction) const {
    return unit_fraction(fraction) * bucket_;
  }
  [[nodiscard]] WRSGPU_HD static bool accepts(const Row& row, double variate) {
    return variate < row.weight;
  }
  [[nodiscard]] WRSGPU_HD Index pick(Index i, std::uint64_t fraction) const {
    // The alias is read only if it is needed, which is the purpose of this layout.
    return variate(fraction) < weights_[i] ? i : aliases_[i];
  }

 private:
  double* weights_;
  Index* aliases_;
  Index size_;
  double bucket_;
};

/// Array of 8-byte rows; holds only fixed-point masses.
class CompactRows {
 public:
  using Row = CompactRow;
  static constexpr Layout layout = Layout::compact_rows;

  WRSGPU_HD CompactRows(CompactRow* rows, Index size) : rows_(rows), size_(size) {}
  [[nodiscard]] WRSGPU_HD Index size() const { return size_; }
  [[nodiscard]] WRSGPU_HD static double bucket() { return static_cast<double>(fixed_bucket); }
  [[nodiscard]] WRSGPU_HD CompactRow* data() const { return rows_; }

  /// `own` = 2^32 is allowed only with `alias` = i, and wraps to 0 (see CompactRow).
  WRSGPU_HD void store(Index i, std::uint64_t own, Index alias) const {
    rows_[i] = CompactRow{static_cast<Index>(own), alias};
  }
  [[nodiscard]] WRSGPU_HD CompactRow load(Index i) const { return rows_[i]; }
  WRSGPU_HD void store(Index i, const CompactRow& row) const { rows_[i] = row; }
  [[nodiscard]] WRSGPU_HD static double own(const CompactRow& row) { return row.threshold; }
  [[nodiscard]] WRSGPU_HD static Index alias(const CompactRow& row) { return row.alias; }
  [[nodiscard]] WRSGPU_HD static Index variate(std::uint64_t fraction) {
    return static_cast<Index>(fraction >> 32);
  }
  [[nodiscard]] WRSGPU_HD static bool accepts(const CompactRow& row, Index variate) {
    return variate < row.threshold;
  }
  [[nodiscard]] WRSGPU_HD Index pick(Index i, std::uint64_t fraction) const {
    const CompactRow row = load(i);
    return accepts(row, variate(fraction)) ? i : row.alias;
  }

 private:
  CompactRow* rows_;
  Index size_;
};

/// Rows of any layout.
using AnyRows = std::variant<WideRows, ArrayRows, CompactRows, NarrowStoreRows>;

/// The row and the fraction of its bucket that a uniform 64-bit word selects: the integer and the
/// fractional part of word / 2^64 * size (thesis 2.4). Each row gets the same number of words up
/// to one, a relative bias of at most size / 2^64.
struct RowChoice {
  Index row;
  std::uint64_t fraction;
};
[[nodiscard]] WRSGPU_HD inline RowChoice choose_row(std::uint64_t word, Index size) {
  const std::uint64_t high = (word >> 32) * size;
  const std::uint64_t low = (word & 0xFFFF'FFFFU) * size;
  const std::uint64_t sum = high + (low >> 32);  // cannot overflow: below size * 2^32
  return {static_cast<Index>(sum >> 32), (sum << 32) | (low & 0xFFFF'FFFFU)};
}

}  // namespace wrsgpu

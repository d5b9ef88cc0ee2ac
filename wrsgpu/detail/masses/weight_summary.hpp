// The pass over the weights with which every construction begins.
#pragma once

#include <cstdint>
#include <vector>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/detail/masses/tile_map.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

/// Properties of the weights that a construction needs before it writes its first row.
struct WeightSummary {
  /// Sum of the scaled weights, in fixed blocks and then pairwise, so that it does not depend on
  /// the number of threads and its relative error stays below 2^-46 (64 plain additions in each of
  /// 16 lanes, then at most 26 pairwise levels: 90 roundings of 2^-53).
  double total = 0;
  /// Largest scaled weight.
  double largest = 0;
  /// Power of two by which a floating-point construction multiplies every weight: 1 unless the
  /// weights are so small that W/N would be a denormal number.
  double scale = 1;
  Index size = 0;
  /// The weight of all tiles of fixed-point masses, the last R_t, normalised as a tile's; 0 if they
  /// were not summed. Identical on host and device.
  TileSum whole{0, 0};

  /// Mass of one bucket in a floating-point construction: W/N, scaled.
  [[nodiscard]] WRSGPU_HD double bucket() const { return total / size; }
};

/// The power of two by which a floating-point construction scales weights whose maximum is
/// `largest`: 1 unless that is below 2^-700. Above, W/N is a normal number, and so is every
/// difference that matters, for any N.
[[nodiscard]] WRSGPU_HD constexpr double normalising_scale(double largest) {
  return largest < 0x1p-700 ? 0x1p+500 : 1.0;
}

/// The summary of `size` weights with this sum and this maximum. Sums of denormal numbers are
/// exact, so the sum may be scaled afterwards.
[[nodiscard]] WRSGPU_HD constexpr WeightSummary make_summary(double total, double largest,
                                                             Index size) {
  const double scale = normalising_scale(largest);
  WeightSummary summary;
  summary.total = total * scale;
  summary.largest = largest * scale;
  summary.scale = scale;
  summary.size = size;
  return summary;
}

/// Number of weights that `summarise` adds up in plain loops; everything above is pairwise.
inline constexpr Index summary_leaf_items = 1024;

/// Result of that pass for a tile of `mass_tile_items` weights.
struct TileWeights {
  TileSum sum;
  double smallest;
  double largest;
};

/// What is wrong with an invalid weight: "is negative", for example.
[[nodiscard]] const char* fault_of_weight(double weight);

/// Throws the `Error` for weights that were found invalid: `weight` at `index` if that is less than
/// `size`, otherwise an overflowing sum, where `weight` is the maximum.
[[noreturn]] void throw_bad_weight(std::uint64_t index, std::uint64_t size, double weight,
                                   int digits);

/// The `Error` for weights that are all zero.
class AllZero : public Error {
 public:
  using Error::Error;
};
/// Throws `AllZero` for `size` weights.
[[noreturn]] void throw_all_zero(std::uint64_t size);

/// Throws `Error` if there are no weights, too many, or if they are in memory that is not that of
/// `device`.
void check_size_and_memory(WeightsView weights, Device device);
/// Throws `Error` unless `capacity`, the value of `argument`, is from 1 to `max_items`.
void require_capacity(const char* argument, Index capacity);

/// Checks host weights and sums them.
///
/// @param threads host threads, 0 for all
/// @param leaf_totals if given, gets the unscaled sums of each `summary_leaf_items` weights (fewer
///   at the end)
/// @param tiles if given, gets the results of this pass for fixed-point masses, which would cost a
///   pass of its own otherwise
/// @param map the items of these tiles; if null, they are neighbours
/// @throws Error if there are no weights, more than `max_items`, if one is NaN, infinite or
///   negative (the message names the first such index and its value), if all are zero, and if their
///   sum overflows
[[nodiscard]] WeightSummary summarise(WeightsView weights, unsigned threads,
                                      std::vector<double>* leaf_totals = nullptr,
                                      std::vector<TileWeights>* tiles = nullptr,
                                      const TileMap* map = nullptr);

}  // namespace wrsgpu

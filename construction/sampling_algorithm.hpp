// Root of the class hierarchy (thesis 4.1, Figure 4.1).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

/// A structure that is built from weights and then draws items i with probability w_i / W, with
/// replacement: alias tables, but also rejection sampling, scans, cutpoints and lookup tables.
class SamplingAlgorithm {
 public:
  SamplingAlgorithm() = default;
  SamplingAlgorithm(const SamplingAlgorithm&) = delete;
  SamplingAlgorithm& operator=(const SamplingAlgorithm&) = delete;
  virtual ~SamplingAlgorithm() = default;

  [[nodiscard]] virtual Device device() const = 0;

  /// Checks the weights (errors: see `summarise`), then builds the structure. If a check fails, the
  /// structure is unchanged; if memory is exhausted (`OutOfMemory`), it is as if never built. May
  /// be called again; alias tables reuse their memory if the number of items does not increase.
  void build(WeightsView weights);

  /// Number of items; 0 before the first build.
  [[nodiscard]] Index size() const { return size_; }

  /// Arithmetic of the structure, which determines the bounds of its verification.
  [[nodiscard]] virtual Arithmetic arithmetic() const = 0;

  /// Bytes of the finished structure (not of the weights, nor of temporary storage).
  [[nodiscard]] virtual std::size_t bytes() const = 0;

  /// The probability of each item, reconstructed from the structure itself, not from the weights;
  /// verification compares it with w_i / W. Throws `Error` before the first build.
  [[nodiscard]] std::vector<double> probabilities() const;

  /// Fills `out` (host memory) with independent items. The result depends only on the structure,
  /// the state and out.size(); a longer draw begins with a shorter one. Does nothing if `out` is
  /// empty. Throws `Error` before the first build.
  void sample(std::span<Index> out, RandomState state) const;

 protected:
  /// By default the host check; device structures check weights where they are. An override returns
  /// only the size if `do_build` itself checks before it changes anything.
  [[nodiscard]] virtual WeightSummary check(WeightsView weights) const;
  virtual void do_build(WeightsView weights, const WeightSummary& summary) = 0;
  virtual void do_sample(std::span<Index> out, RandomState state) const = 0;
  [[nodiscard]] virtual std::vector<double> do_probabilities() const = 0;

  /// For algorithms whose structure can also be set, or lost, other than through `build`.
  void set_size(Index size) { size_ = size; }

 private:
  Index size_ = 0;
};

}  // namespace wrsgpu

// Base of the host samplers (thesis 3.4 and 4.7, Figure 4.5).
#pragma once

#include <span>
#include <string_view>

#include "wrsgpu/detail/table/table.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// A sampling method for alias tables in host memory. Stateless: equal arguments give equal
/// samples.
class Sampler {
 public:
  Sampler() = default;
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  virtual ~Sampler() = default;

  /// Fills `out` with items drawn from `table`, sample k from word `state.offset + k` of the stream
  /// `state.seed` unless the sampler says otherwise. Does nothing if `out` is empty.
  ///
  /// @throws Error if the table is empty
  void sample(const HostTable& table, std::span<Index> out, RandomState state) const;

 protected:
  virtual void draw(const HostTable& table, std::span<Index> out, RandomState state) const = 0;
};

}  // namespace wrsgpu

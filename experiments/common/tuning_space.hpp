// What the parameter optimiser chooses among (thesis 4.8.4): instances of the templates that are
// compiled beforehand, rows per section, and from how many items on PSA+ packs greedily.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "construction/alias_table_split_gpu.cuh"
#include "experiments/common/annealing.hpp"

namespace wrsgpu::experiments {

/// A search: for which combination of methods, and how long.
struct Tuned {
  std::string series;
  SplitGpuOptions method;
  int steps;

  [[nodiscard]] bool has_shared_packs() const {
    return is_shaped() && method.pack == "shared_memory";
  }
  [[nodiscard]] bool has_chunked_packs() const { return is_shaped() && method.pack == "chunked"; }
  /// Whether there are instances, and group sizes are searched, too.
  [[nodiscard]] bool is_shaped() const {
    return method.elements == pack::ElementKind::index_and_mass &&
           (method.pack == "shared_memory" || method.pack == "chunked");
  }
};

/// A construction to try.
struct Candidate {
  SplitGpuOptions options;
  SplitGpuInstances instances = {};
  std::map<std::string, double> parameters = {};
};

/// Number of rows-per-section values, all of which are tried where nothing else is searched.
[[nodiscard]] int section_size_count();

/// Number of values of each coordinate of a point; 1 for what is not searched.
[[nodiscard]] std::vector<int> sizes_of(const Tuned& tuned);
/// The point nearest to what the registries have.
[[nodiscard]] Annealing::Point start_of(const Tuned& tuned);
[[nodiscard]] Candidate candidate_at(const Tuned& tuned, const Annealing::Point& point);
/// Whether sections fit in the shared memory of this device.
[[nodiscard]] bool is_allowed(const Tuned& tuned, const Annealing::Point& point);

}  // namespace wrsgpu::experiments

// The CPU samplers over alias tables, by name. A new one is a file, and an entry in samplers.cpp.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "wrsgpu/detail/sampling/sampler.hpp"

namespace wrsgpu {

/// For `SamplerInfo::make`.
template <class S>
[[nodiscard]] std::unique_ptr<Sampler> make_sampler(unsigned threads) {
  return std::make_unique<S>(threads);
}

struct SamplerInfo {
  /// As on the command line and in benchmark names, for example "direct".
  std::string name;
  /// Publication and section, for example "thesis 3.4.1".
  std::string source;
  std::string summary;
  /// False for samplers whose output is not a random sample (the thesis's `Expected`).
  bool random = true;
  /// `threads` host threads, 0 for all.
  std::function<std::unique_ptr<Sampler>(unsigned threads)> make;
};

[[nodiscard]] const std::vector<SamplerInfo>& samplers();
/// Throws `Error` that lists the known names.
[[nodiscard]] const SamplerInfo& find_sampler(std::string_view name);

}  // namespace wrsgpu

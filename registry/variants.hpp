// All variants in the registry, one by one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "registry/methods.hpp"

namespace wrsgpu::verification {

/// One method with one choice of arithmetic and layout.
struct Variant {
  const BuildMethod* method;
  TableOptions options;
  /// `variant_name` of the two.
  std::string name;

  [[nodiscard]] std::unique_ptr<SamplingAlgorithm> make() const { return method->make(options); }
};

/// Every variant of `method`, or of every registered method, with `threads` host threads.
[[nodiscard]] std::vector<Variant> all_variants(const BuildMethod& method, unsigned threads = 0);
[[nodiscard]] std::vector<Variant> all_variants(unsigned threads = 0);

/// The variants that can run on this machine.
[[nodiscard]] std::vector<Variant> available_variants(unsigned threads = 0);
[[nodiscard]] std::vector<const BuildMethod*> available_methods();

/// Reason why `device` cannot be used on this machine, or an empty string if it can.
[[nodiscard]] std::string why_unavailable(Device device);

}  // namespace wrsgpu::verification

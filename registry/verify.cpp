#include "registry/verify.hpp"

#include "construction/alias_table.hpp"

namespace wrsgpu::verification {

TableReport verify(const SamplingAlgorithm& built, WeightsView weights,
                   const VerifyOptions& options) {
  if (const auto* host = dynamic_cast<const HostAliasTable*>(&built)) {
    return verify_table(host->table(), host->options().arithmetic, weights, options);
  }
  if (const auto* table = dynamic_cast<const AliasTable*>(&built)) {
    return verify_table(table->to_host(), table->options().arithmetic, weights, options);
  }
  return verify_probabilities(built.probabilities(), built.arithmetic(), weights, options);
}

}  // namespace wrsgpu::verification

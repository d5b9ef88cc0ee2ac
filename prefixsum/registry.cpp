#include "prefixsum/registry.hpp"

#include "prefixsum/basic.hpp"
#include "prefixsum/cub.hpp"
#include "prefixsum/work_efficient.hpp"
#include "prefixsum/work_efficient_in_place.hpp"
#include "wrsgpu/detail/core/find_by_name.hpp"

namespace wrsgpu::prefixsum {
namespace {

/// Satisfied if the project implements the steps of `M`, so that the host can execute them.
template <class M>
concept HasSteps = requires {
  M::temporary_items(std::uint64_t{});
};

template <class M>
PrefixSumMethod describe() {
  PrefixSumMethod method{.name = M::name,
                         .source = M::source,
                         .summary = M::summary,
                         .in_place = M::in_place,
                         .traffic = M::traffic};
  if constexpr (HasSteps<M>) {
    method.host = {run_on_host<M, std::uint32_t>, run_on_host<M, std::uint64_t>,
                   run_on_host<M, float>, run_on_host<M, double>};
  }
#ifdef WRSGPU_WITH_CUDA
  method.device = device_runs<M>();
#endif
  return method;
}

}  // namespace

const std::vector<PrefixSumMethod>& methods() {
  static const std::vector<PrefixSumMethod> all{
      describe<Basic>(),
      describe<WorkEfficient>(),
      describe<WorkEfficientInPlace>(),
      describe<Cub>(),
  };
  return all;
}

const PrefixSumMethod& find_method(std::string_view name) {
  return find_by_name(methods(), name, "prefix sum");
}

void check_arguments(const char* method, std::size_t temporary_bytes, std::size_t needed_bytes,
                     const void* in, const void* out, std::uint64_t size, bool in_place) {
  const std::string where = std::string("prefix sum ") + method + ": argument ";
  if (temporary_bytes < needed_bytes) {
    throw Error(where + "'temporary_bytes' is " + std::to_string(temporary_bytes) +
                ", needed are " + std::to_string(needed_bytes));
  }
  if (size == 0) return;
  if (in == nullptr) throw Error(where + "'in' is null, with " + std::to_string(size) + " items");
  if (out == nullptr) throw Error(where + "'out' is null, with " + std::to_string(size) + " items");
  if (in == out && !in_place) throw Error(where + "'out' is 'in'; this method is not in place");
}

}  // namespace wrsgpu::prefixsum

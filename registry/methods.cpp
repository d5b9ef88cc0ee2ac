#include "registry/methods.hpp"

#include <algorithm>

#include "registry/cpu_methods.hpp"
#include "wrsgpu/detail/core/find_by_name.hpp"
#include "wrsgpu/error.hpp"
#ifdef WRSGPU_WITH_CUDA
#include "registry/gpu_methods.hpp"
#include "registry/gpu_structures.hpp"
#endif

namespace wrsgpu {

const std::vector<BuildMethod>& methods() {
  static const std::vector<BuildMethod> all = [] {
    std::vector<BuildMethod> list = cpu_methods();
#ifdef WRSGPU_WITH_CUDA
    for (BuildMethod& method : gpu_methods()) list.push_back(std::move(method));
    for (BuildMethod& method : gpu_structures()) list.push_back(std::move(method));
#endif
    return list;
  }();
  return all;
}

const BuildMethod& find_method(std::string_view name) {
#ifdef WRSGPU_WITH_CUDA
  if (const std::string reason = gpu_refusal(name); !reason.empty()) {
    throw Error("no method '" + std::string(name) + "': " + reason);
  }
#endif
  return find_by_name(methods(), name, in_this_build("method"));
}

const BuildMethod& default_method(Device device, Arithmetic arithmetic) {
  const bool is_exact = arithmetic == Arithmetic::fixed_point;
  const std::string_view on_gpu = is_exact ? "gpu_merge" : "partial_p_ary_shared_memory_masses";
  const std::string_view name = device == Device::cpu ? "sectioned_sweep" : on_gpu;
  for (const BuildMethod& method : methods()) {
    if (method.name == name) return method;
  }
  throw Error("no method of this build runs on device '" + std::string(to_string(device)) + "'");
}

std::string refusal(const BuildMethod& method, const TableOptions& options) {
  const auto has = [](const auto& list, auto value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  if (!has(method.arithmetics, options.arithmetic)) {
    return "method " + method.name + " does not compute in " +
           std::string(to_string(options.arithmetic)) + " arithmetic";
  }
  if (!method.is_alias_table()) return {};
  if (!has(method.layouts, options.layout)) {
    return "method " + method.name + " does not write layout " +
           std::string(to_string(options.layout));
  }
  return refusal(options);
}

std::vector<std::string> refusals() {
  std::vector<std::string> reasons;
  for (const BuildMethod& method : methods()) {
    for (const Arithmetic arithmetic : {Arithmetic::floating, Arithmetic::fixed_point}) {
      for (const Layout layout :
           {Layout::wide_rows, Layout::struct_of_arrays, Layout::compact_rows}) {
        const std::string reason = refusal(method, {arithmetic, layout, 0});
        if (!reason.empty() && std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
          reasons.push_back(reason);
        }
      }
    }
  }
#ifdef WRSGPU_WITH_CUDA
  for (std::string& reason : gpu_refusals()) reasons.push_back(std::move(reason));
#endif
  return reasons;
}

std::unique_ptr<SamplingAlgorithm> make_method(std::string_view name, const TableOptions& options) {
  const BuildMethod& method = find_method(name);
  if (const std::string reason = refusal(method, options); !reason.empty()) throw Error(reason);
  return method.make(options);
}

std::string variant_name(const BuildMethod& method, const TableOptions& options) {
  std::string name = method.name;
  if (options.arithmetic == Arithmetic::fixed_point) name += "_fixed";
  if (!method.is_alias_table()) return name;
  if (options.layout == Layout::struct_of_arrays) name += "_arrays";
  if (options.layout == Layout::compact_rows) name += "_compact";
  return name;
}

std::vector<TableOptions> variants(const BuildMethod& method, unsigned threads) {
  std::vector<TableOptions> all;
  for (const Arithmetic arithmetic : method.arithmetics) {
    if (!method.is_alias_table()) all.push_back({arithmetic, Layout::wide_rows, threads});
    for (const Layout layout : method.layouts) {
      const TableOptions options{arithmetic, layout, threads};
      if (refusal(method, options).empty()) all.push_back(options);
    }
  }
  return all;
}

}  // namespace wrsgpu

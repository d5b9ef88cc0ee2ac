#include "registry/variants.hpp"

#include "wrsgpu/detail/core/cuda_device.hpp"

namespace wrsgpu::verification {

std::vector<Variant> all_variants(const BuildMethod& method, unsigned threads) {
  std::vector<Variant> all;
  for (const TableOptions& options : variants(method, threads)) {
    all.push_back({&method, options, variant_name(method, options)});
  }
  return all;
}

std::vector<Variant> all_variants(unsigned threads) {
  std::vector<Variant> all;
  for (const BuildMethod& method : methods()) {
    for (Variant& variant : all_variants(method, threads)) all.push_back(std::move(variant));
  }
  return all;
}

std::vector<Variant> available_variants(unsigned threads) {
  std::vector<Variant> all;
  for (const BuildMethod* method : available_methods()) {
    for (Variant& variant : all_variants(*method, threads)) all.push_back(std::move(variant));
  }
  return all;
}

std::vector<const BuildMethod*> available_methods() {
  const bool has_gpu = why_unavailable(Device::cuda).empty();
  std::vector<const BuildMethod*> all;
  for (const BuildMethod& method : methods()) {
    if (method.device == Device::cpu || has_gpu) all.push_back(&method);
  }
  return all;
}

std::string why_unavailable(Device device) {
  return device == Device::cuda ? why_no_cuda_device() : std::string();
}

}  // namespace wrsgpu::verification

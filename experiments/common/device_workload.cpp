#include "experiments/common/device_workload.hpp"

#include <span>
#include <utility>

#include "experiments/common/workload.hpp"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/generate_weights.cuh"

namespace wrsgpu::experiments {
namespace {

template <class T>
DeviceWorkload make(const std::string& name, std::uint64_t n) {
  auto weights = std::make_shared<const DeviceBuffer<T>>(
      weights::generate_on_device<T>(name, n, weights_seed));
  const auto view = WeightsView::on_device(weights->span());
  return {std::move(weights), view};
}

}  // namespace

std::uint64_t DeviceWorkload::weight_bytes() const {
  return view.visit([](auto of) { return sizeof(of[0]); });
}

verification::TableReport DeviceWorkload::verify(const SamplingAlgorithm& built) const {
  return view.visit([&](auto device) {
    using T = typename decltype(device)::value_type;
    HostBuffer<T> host(device.size());
    copy_to_host(device.data(), host.span());
    return verification::verify(built, std::span<const T>(host.span()));
  });
}

DeviceWorkload device_workload(WeightsView::Type type, const std::string& name, std::uint64_t n) {
  return type == WeightsView::Type::float32 ? make<float>(name, n) : make<double>(name, n);
}

}  // namespace wrsgpu::experiments

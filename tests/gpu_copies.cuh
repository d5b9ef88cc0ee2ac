// Copies of vectors in device memory.
#pragma once

#include <span>
#include <vector>

#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

template <class T>
DeviceBuffer<T> device_copy(const std::vector<T>& host) {
  DeviceBuffer<T> device(host.size());
  copy_to_device(std::span(host), device.data());
  return device;
}

template <class T>
std::vector<T> host_copy(const DeviceBuffer<T>& device) {
  std::vector<T> host(device.size());
  copy_to_host(device.data(), std::span(host));
  return host;
}

/// A view of weights in device memory.
template <class T>
WeightsView device_view(const DeviceBuffer<T>& weights) {
  return WeightsView::on_device(weights.span());
}

}  // namespace wrsgpu

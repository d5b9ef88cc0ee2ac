// Memory of the GPU and checked calls, in plain CUDA.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <vector>

namespace example {

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

struct Free {
  void operator()(void* memory) const { cudaFree(memory); }
};
template <class T>
using DeviceArray = std::unique_ptr<T[], Free>;

template <class T>
DeviceArray<T> allocate(std::size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)));
  return DeviceArray<T>(static_cast<T*>(memory));
}

template <class T>
DeviceArray<T> to_device(const std::vector<T>& values) {
  DeviceArray<T> array = allocate<T>(values.size());
  check(cudaMemcpy(array.get(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return array;
}

/// Synchronises.
template <class T>
std::vector<T> to_host(const DeviceArray<T>& array, std::size_t count) {
  std::vector<T> host(count);
  check(cudaMemcpy(host.data(), array.get(), count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

}  // namespace example

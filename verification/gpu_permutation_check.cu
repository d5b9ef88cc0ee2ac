#include <string>

#include "verification/gpu_permutation_check.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"

namespace wrsgpu::verification {
namespace {

constexpr unsigned threads = 256;

template <class Key>
struct Numbered {
  [[nodiscard]] static __device__ Key key(std::uint64_t number) { return static_cast<Key>(number); }
  [[nodiscard]] static __device__ bool holds(Key /*key*/) { return true; }
  [[nodiscard]] static __device__ std::uint64_t number(Key key) { return key; }
};

template <>
struct Numbered<ulonglong2> {
  [[nodiscard]] static __device__ ulonglong2 key(std::uint64_t number) { return {number, ~number}; }
  [[nodiscard]] static __device__ bool holds(ulonglong2 key) { return key.y == ~key.x; }
  [[nodiscard]] static __device__ std::uint64_t number(ulonglong2 key) { return key.x; }
};

template <class Key>
__global__ void __launch_bounds__(threads) write_numbers(Key* keys, std::uint64_t size) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < size) keys[i] = Numbered<Key>::key(i);
}

template <class Key>
__global__ void __launch_bounds__(threads)
    mark_numbers(const Key* keys, std::uint64_t size, std::uint32_t* marks) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= size || !Numbered<Key>::holds(keys[i])) return;
  const std::uint64_t number = Numbered<Key>::number(keys[i]);
  if (number < size) atomicOr(marks + number / 32, 1U << number % 32);
}

__global__ void __launch_bounds__(threads)
    count_marks(const std::uint32_t* marks, std::uint64_t words, unsigned long long* count) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < words) atomicAdd(count, static_cast<unsigned long long>(__popc(marks[i])));
}

template <class F>
void visit(unsigned key_bytes, F&& f) {
  if (key_bytes == 4) return f(std::uint32_t{});
  if (key_bytes == 8) return f(std::uint64_t{});
  if (key_bytes == 16) return f(ulonglong2{});
  throw Error("keys of " + std::to_string(key_bytes) + " bytes; 4, 8 and 16 are known");
}

}  // namespace

void number_keys(void* keys, unsigned key_bytes, std::uint64_t size) {
  visit(key_bytes, [&]<class Key>(Key) {
    write_numbers<<<blocks_for(size, threads), threads>>>(static_cast<Key*>(keys), size);
    check_launch("verification::write_numbers");
  });
  WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
}

std::uint64_t missing_numbers(const void* keys, unsigned key_bytes, std::uint64_t size) {
  const std::uint64_t words = (size + 31) / 32;
  DeviceBuffer<std::uint32_t> marks(words);
  DeviceBuffer<unsigned long long> count(1);
  WRSGPU_CUDA_CHECK(cudaMemset(marks.data(), 0, marks.bytes()));
  WRSGPU_CUDA_CHECK(cudaMemset(count.data(), 0, count.bytes()));
  visit(key_bytes, [&]<class Key>(Key) {
    mark_numbers<<<blocks_for(size, threads), threads>>>(static_cast<const Key*>(keys), size,
                                                         marks.data());
    check_launch("verification::mark_numbers");
  });
  count_marks<<<blocks_for(words, threads), threads>>>(marks.data(), words, count.data());
  check_launch("verification::count_marks");
  unsigned long long marked = 0;
  copy_to_host(static_cast<const unsigned long long*>(count.data()), std::span(&marked, 1));
  return size - marked;
}

}  // namespace wrsgpu::verification

// What the tests of constructions on the GPU share.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "error_message.hpp"
#include "verification/brief.hpp"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/table/table.hpp"

namespace wrsgpu {

inline const std::vector<Index> construction_sizes = verification::all_or_few<std::vector<Index>>(
    {1, 2, 3, 31, 32, 33, 255, 256, 257, 1000, 4095, 4097, 100'003}, {2, 33, 1000});

inline std::vector<double> uniform_weights(Index n, std::uint64_t seed) {
  std::vector<double> w(n);
  for (Index i = 0; i < n; ++i) {
    w[i] = static_cast<double>(random::philox_word(seed, i) >> 11) * 0x1p-53;
  }
  return w;
}

inline std::vector<double> power_law(Index n) {
  std::vector<double> w(n);
  for (Index i = 0; i < n; ++i) w[i] = 1.0 / (1.0 + (i * std::uint64_t{7919}) % n);
  return w;
}

inline void expect_same_rows(const HostTable& a, const HostTable& b) {
  ASSERT_EQ(a.size(), b.size());
  a.visit([&](auto rows_a) {
    b.visit([&](auto rows_b) {
      for (Index i = 0; i < a.size(); ++i) {
        ASSERT_EQ(rows_a.own(rows_a.load(i)), rows_b.own(rows_b.load(i))) << "row " << i;
        ASSERT_EQ(rows_a.alias(rows_a.load(i)), rows_b.alias(rows_b.load(i))) << "row " << i;
      }
    });
  });
}

template <class T>
DeviceBuffer<T> on_device(const std::vector<T>& host) {
  DeviceBuffer<T> device(host.size());
  copy_to_device(std::span<const T>(host), device.data());
  return device;
}

}  // namespace wrsgpu

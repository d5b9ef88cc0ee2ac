// The GPU shuffles, one function each; gpu_shuffle.cpp lists them.
#pragma once

#include "shuffle/gpu_shuffle.cuh"

namespace wrsgpu::shuffle {

// gpu_gathers.cu
[[nodiscard]] GpuShuffleMethod gather_method();
[[nodiscard]] GpuShuffleMethod cycle_walk_method();
// gpu_bijective.cu
[[nodiscard]] GpuShuffleMethod bijective0_method();
[[nodiscard]] GpuShuffleMethod bijective1_method();
[[nodiscard]] GpuShuffleMethod bijective2_method();
[[nodiscard]] GpuShuffleMethod bijective2_lcg_method();
// gpu_thrust.cu
[[nodiscard]] GpuShuffleMethod thrust_method();
// gpu_sort.cu
[[nodiscard]] GpuShuffleMethod sort_method();
// gpu_dart_throwing.cu
[[nodiscard]] GpuShuffleMethod dart_throwing_method();

}  // namespace wrsgpu::shuffle

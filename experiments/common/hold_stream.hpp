// Keeps a stream busy while the host enqueues what is to be measured.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>

namespace wrsgpu::experiments {

/// Enqueues a kernel of one thread that takes so long.
void hold_stream(cudaStream_t stream, std::chrono::nanoseconds time);

}  // namespace wrsgpu::experiments

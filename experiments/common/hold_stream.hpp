// Keeps a stream busy while the host enqueues the work to be measured.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>

namespace wrsgpu::experiments {

/// Enqueues a kernel of one thread that runs for `time`.
void hold_stream(cudaStream_t stream, std::chrono::nanoseconds time);

}  // namespace wrsgpu::experiments

// Work that is captured in a CUDA graph, in which every allocation and every wait is an error.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "wrsgpu/core/cuda_check.cuh"

namespace wrsgpu {

/// A stream and a graph that is captured on it.
class Graph {
 public:
  explicit Graph(const std::function<void(cudaStream_t)>& work) {
    WRSGPU_CUDA_CHECK(cudaStreamCreate(&stream_));
    WRSGPU_CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    work(stream_);
    WRSGPU_CUDA_CHECK(cudaStreamEndCapture(stream_, &graph_));
    WRSGPU_CUDA_CHECK(cudaGraphInstantiate(&executable_, graph_, 0));
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    static_cast<void>(cudaGraphExecDestroy(executable_));
    static_cast<void>(cudaGraphDestroy(graph_));
    static_cast<void>(cudaStreamDestroy(stream_));
  }
  [[nodiscard]] cudaStream_t launch() const {
    WRSGPU_CUDA_CHECK(cudaGraphLaunch(executable_, stream_));
    return stream_;
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace wrsgpu

// Work that is captured in a CUDA graph, in which every allocation and every wait is an error.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <vector>

#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu {

/// A kernel that was launched.
struct LaunchedKernel {
  std::string name;  ///< as the linker knows it
  cudaFuncAttributes attributes;
};

/// A stream and a graph that is captured on it.
class Graph {
 public:
  explicit Graph(const std::function<void(cudaStream_t)>& work) {
    WRSGPU_CUDA_CHECK(cudaStreamCreate(&stream_));
    WRSGPU_CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    try {
      work(stream_);
    } catch (...) {  // other tests are not to find a stream that is being captured
      static_cast<void>(cudaStreamEndCapture(stream_, &graph_));
      throw;
    }
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
  [[nodiscard]] std::vector<LaunchedKernel> kernels() const {
    std::size_t count = 0;
    WRSGPU_CUDA_CHECK(cudaGraphGetNodes(graph_, nullptr, &count));
    std::vector<cudaGraphNode_t> nodes(count);
    WRSGPU_CUDA_CHECK(cudaGraphGetNodes(graph_, nodes.data(), &count));
    std::vector<LaunchedKernel> kernels;
    for (const cudaGraphNode_t node : nodes) {
      cudaGraphNodeType type{};
      WRSGPU_CUDA_CHECK(cudaGraphNodeGetType(node, &type));
      if (type != cudaGraphNodeTypeKernel) continue;
      cudaKernelNodeParams launch{};
      WRSGPU_CUDA_CHECK(cudaGraphKernelNodeGetParams(node, &launch));
      const char* name = nullptr;
      WRSGPU_CUDA_CHECK(cudaFuncGetName(&name, launch.func));
      cudaFuncAttributes attributes{};
      WRSGPU_CUDA_CHECK(cudaFuncGetAttributes(&attributes, launch.func));
      kernels.push_back({name, attributes});
    }
    return kernels;
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace wrsgpu

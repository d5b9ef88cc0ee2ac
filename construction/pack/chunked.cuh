// Chunked loading (thesis 3.2.4 and 4.5.4, Algorithm 3.2; Algorithm 2 of the report): every worker
// has a chunk of each list in shared memory. It packs until one of them is used up; then the block
// reloads, including chunks of the other list that are mostly used.
#pragma once

#include <cuda_pipeline.h>

#include <string>
#include <utility>

#include "construction/pack/chunk.hpp"
#include "construction/pack/methods.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu::pack {

/// `workers` threads of a block of one warp pack one section each, with chunks of `chunk` elements
/// of each list; all threads of the warp load. A chunk is loaded again where at most `threshold` of
/// its elements are unread. `asynchronous`: copies bypass the registers. `reuses`: unread elements
/// move to the front of the chunk instead of being read again (4.5.4).
template <int workers_, Index chunk_, Index threshold_, bool asynchronous_ = false,
          bool reuses_ = false, Form form_ = Form::optimised>
struct ChunkShape {
  static constexpr int workers = workers_;
  static constexpr Index chunk = chunk_;
  static constexpr Index threshold = threshold_;
  static constexpr bool asynchronous = asynchronous_;
  static constexpr bool reuses = reuses_;
  static constexpr Form form = form_;
  static constexpr int threads = 32;  // one warp, with its own chunks and its own pace
  static_assert(workers <= threads && threshold < chunk);
  static_assert(workers * chunk % threads == 0, "each step of a copy occupies the whole warp");
};

namespace chunks {

/// The chunks of one worker. Each is offset by one element against the chunks of the next worker,
/// so that workers at the same position in their chunks read from different memory banks.
template <class Element, Index chunk>
struct Skewed {
  Element element[2 * chunk];  // light, heavy
  Element skew;
};

/// Copies that bypass the registers (`asynchronous`), or go through them.
template <bool asynchronous, class Element>
__device__ void copy_element(Element* to, const Element* from) {
  if constexpr (asynchronous) {
    __pipeline_memcpy_async(to, from, sizeof(Element));
  } else {
    *to = *from;
  }
}

/// All threads of the warp copy what each worker requests of one list. `places` is where the list's
/// chunk begins among the elements of a worker.
template <class S, class Element>
__device__ void load(Skewed<Element, S::chunk>* chunks, Index places, const Element* list,
                     const ChunkRequest& request) {
  constexpr std::uint32_t warp = 0xFFFF'FFFFU;
  constexpr int slots = S::workers * static_cast<int>(S::chunk);
#pragma unroll 4
  for (int first = 0; first < slots; first += S::threads) {
    const int slot = first + static_cast<int>(threadIdx.x);
    const int served = slot / static_cast<int>(S::chunk);
    const auto at = static_cast<Index>(slot) % S::chunk;
    const Index from = __shfl_sync(warp, request.from, served);
    const Index count = __shfl_sync(warp, request.count, served);
    const Index place = S::reuses ? __shfl_sync(warp, request.place, served) : 0;
    if (at < count) {
      copy_element<S::asynchronous>(&chunks[served].element[places + place + at], list + from + at);
    }
  }
}

}  // namespace chunks

/// A block of one warp for `S::workers` neighbouring sections of the range, one thread for each. No
/// thread exits before the last one is finished, because the threads load each other's chunks.
template <class S, class Task, class Rows>
__global__ void __launch_bounds__(S::threads) chunked(Task task, Rows rows) {
  using Element = typename Task::Element;
  using Mass = typename Task::Mass;
  using Masses = typename Task::Source::Masses;
  constexpr Index chunk = S::chunk;
  constexpr std::uint32_t warp = 0xFFFF'FFFFU;
  __shared__ __align__(16) chunks::Skewed<Element, chunk> memory[S::workers];
  const auto lists = task.items.lists();
  const Index sections = task.past_section();
  const Index first = task.range.first + blockIdx.x * S::workers;
  const Index section = first + threadIdx.x;
  if (first >= sections) return;
  const Masses masses = task.source.get();
  const bool is_worker = S::workers == S::threads || threadIdx.x < S::workers;

  Packer<Mass> packer;
  bool is_finished = true;
  Index limit[2] = {0, 0};
  if (is_worker && section < sections) {
    const split::State<Mass> begin = task.splits[section];
    const split::State<Mass> end = task.splits[section + 1];
    packer = Packer<Mass>(ListReader<Element, Masses>{lists, masses}, lists.heavies, masses.bucket,
                          begin, end);
    is_finished = false;
    limit[0] = packer.light_end();
    limit[1] = lists.heavies == 0 ? 0 : packer.heavy_end() + 1;
  }
  Element* const own = memory[is_worker ? threadIdx.x : 0].element;
  ChunkReader<chunk, Element, Masses> reader{own, masses, {}};
  while (__any_sync(warp, !is_finished)) {
    // Each worker requests its next elements once too many of the loaded ones are used.
    const Index next[2] = {packer.light(), packer.heavy() + 1};
    ChunkRequest request[2];
    for (int kind = 0; kind < 2; ++kind) {
      ChunkWindow& window = reader.window[kind];
      if (is_finished || !window.is_used_up(next[kind], limit[kind], chunk, S::threshold)) continue;
      if constexpr (S::reuses) keep_unread(own + kind * chunk, window, next[kind]);
      request[kind] = window.move_to(next[kind], limit[kind], chunk, S::reuses);
    }
    __syncwarp();
    chunks::load<S>(memory, 0, lists.light, request[0]);
    chunks::load<S>(memory, chunk, lists.heavy, request[1]);
    if constexpr (S::asynchronous) {
      __pipeline_commit();
      __pipeline_wait_prior(0);
    }
    __syncwarp();
    if (!is_finished) is_finished = packer.template pack<S::form>(reader, rows);
  }
}

template <class S, class Task, class Rows>
void launch_chunked_task(const Task& task, const Rows& rows, cudaStream_t stream) {
  set_cache(chunked<S, Task, Rows>, task.cache);
  chunked<S><<<blocks_for(task.max_sections(), S::workers), S::threads, 0, stream>>>(task, rows);
  check_launch("pack::chunked");
}

template <class S>
void launch_chunked(const AnyPackTask& any, const AnyRows& any_rows, DeviceArena& arena,
                    cudaStream_t stream) {
  if (!arena.has_block()) return;
  dispatch(any, any_rows,
           [&](const auto& task, const auto& rows) { launch_chunked_task<S>(task, rows, stream); });
}

}  // namespace wrsgpu::pack

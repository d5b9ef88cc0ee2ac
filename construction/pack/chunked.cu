// Chunked loading (thesis 3.2.4 and 4.5.4, Algorithm 3.2; Algorithm 2 of the report): every worker
// has a chunk of each list in shared memory. It packs until one of them is used up; then the block
// reloads, including chunks of the other list that are mostly used.
#include <cuda_pipeline.h>

#include "construction/pack/methods.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu::pack {
namespace {

/// `used_percent`: a chunk is reloaded when more than this of it has been read. `asynchronous`:
/// copies bypass the registers.
template <int used_percent_, bool asynchronous_, Form form_ = Form::optimised>
struct Shape {
  static constexpr int used_percent = used_percent_;
  static constexpr bool asynchronous = asynchronous_;
  static constexpr Form form = form_;
  static constexpr int workers = 32;  // a block is one warp, with its own chunks and its own pace
  static constexpr Index chunk = 16;
};

/// The chunks of one worker. Each is offset by one element against the chunks of the next worker,
/// so that workers at the same position in their chunks read from different memory banks.
template <class Element, Index chunk>
struct Chunks {
  Element element[2][chunk];  // light, heavy
};
template <class Element, Index chunk>
struct SkewedChunks : Chunks<Element, chunk> {
  Element skew;
};

template <class Element, class Masses, Index chunk>
struct ChunkReader {
  const Chunks<Element, chunk>& chunks;
  Masses masses;
  Index begin[2];  // number of the first element of each chunk
  Index size[2];   // number of elements loaded

  [[nodiscard]] __device__ bool has(bool is_heavy, Index light, Index heavy) const {
    return is_heavy ? heavy - begin[1] < size[1] : light - begin[0] < size[0];
  }
  [[nodiscard]] __device__ auto take(bool is_heavy, Index light, Index heavy) const {
    const Index at = is_heavy ? chunk + (heavy - begin[1]) : light - begin[0];
    const Element element = (&chunks.element[0][0])[at];
    return ItemMass<typename Masses::Mass>{item_of(element), mass_of(element, masses)};
  }
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

/// A block of one warp for `S::workers` neighbouring sections of the range, one thread for each. No
/// thread exits before the last one is finished, because the threads load each other's chunks.
template <class S, class Task, class Rows>
__global__ void __launch_bounds__(S::workers) chunked(Task task, Rows rows) {
  using Element = typename Task::Element;
  using Mass = typename Task::Mass;
  using Masses = typename Task::Source::Masses;
  constexpr Index chunk = S::chunk;
  constexpr std::uint32_t warp = 0xFFFF'FFFFU;
  __shared__ __align__(16) SkewedChunks<Element, chunk> chunks[S::workers];
  const auto lists = task.items.lists();
  const Index sections = task.past_section();
  const Index first = task.range.first + blockIdx.x * S::workers;
  const Index section = first + threadIdx.x;
  if (first >= sections) return;
  const Masses masses = task.source.get();

  Packer<Mass> packer;
  bool is_finished = true;
  Index limit[2] = {0, 0};
  if (section < sections) {
    const split::State<Mass> begin = task.splits[section];
    const split::State<Mass> end = task.splits[section + 1];
    packer = Packer<Mass>(ListReader<Element, Masses>{lists, masses}, lists.heavies, masses.bucket,
                          begin, end);
    is_finished = false;
    limit[0] = packer.light_end();
    limit[1] = lists.heavies == 0 ? 0 : packer.heavy_end() + 1;
  }
  ChunkReader<Element, Masses, chunk> reader{chunks[threadIdx.x], masses, {0, 0}, {0, 0}};
  while (__any_sync(warp, !is_finished)) {
    // Each worker requests its next elements once too many of the loaded ones are used.
    const Index next[2] = {packer.light(), packer.heavy() + 1};
    Index wanted[2] = {0, 0};
    for (int kind = 0; kind < 2; ++kind) {
      const Index used = next[kind] - reader.begin[kind];
      const bool is_loaded =
          reader.size[kind] > 0 && used * 100 <= static_cast<Index>(S::used_percent) * chunk;
      if (is_finished || is_loaded || next[kind] >= limit[kind]) continue;
      const Index left = limit[kind] - next[kind];
      wanted[kind] = left < chunk ? left : chunk;
      reader.begin[kind] = next[kind];
      reader.size[kind] = wanted[kind];
    }
    __syncwarp();
    for (int kind = 0; kind < 2; ++kind) {
      const Element* const list = kind == 0 ? lists.light : lists.heavy;
      constexpr int together = 32 / chunk;  // number of workers served at a time
#pragma unroll 4
      for (int worker = 0; worker < S::workers; worker += together) {
        const int served = worker + static_cast<int>(threadIdx.x / chunk);
        const Index place = threadIdx.x % chunk;
        const Index from = __shfl_sync(warp, next[kind], served);
        const Index count = __shfl_sync(warp, wanted[kind], served);
        if (place < count) {
          copy_element<S::asynchronous>(&chunks[served].element[kind][place], list + from + place);
        }
      }
    }
    if constexpr (S::asynchronous) {
      __pipeline_commit();
      __pipeline_wait_prior(0);
    }
    __syncwarp();
    if (!is_finished) is_finished = packer.template pack<S::form>(reader, rows);
  }
}

template <class S>
void launch_chunked(const AnyPackTask& any, const AnyRows& any_rows, DeviceArena& arena,
                    cudaStream_t stream) {
  if (!arena.has_block()) return;
  dispatch(any, any_rows, [&]<class Task, class Rows>(const Task& task, const Rows& rows) {
    set_cache(chunked<S, Task, Rows>, task.cache);
    chunked<S><<<blocks_for(task.max_sections(), S::workers), S::workers, 0, stream>>>(task, rows);
  });
  check_launch("pack::chunked");
}

PackMethod method(std::string name, std::string source, std::string summary,
                  decltype(PackMethod::launch) launch) {
  return {.name = std::move(name),
          .source = std::move(source),
          .summary = std::move(summary),
          .launch = launch,
          .section_items = 64};
}

}  // namespace

[[nodiscard]] PackMethod chunked_method() {
  return method("chunked", "report 4.2",
                "chunks of l and h in shared memory, loaded again when 2/3 are used",
                launch_chunked<Shape<66, false>>);
}
[[nodiscard]] PackMethod chunked_half_method() {
  return method("chunked_half", "thesis 3.2.4", "chunks loaded again when half is used",
                launch_chunked<Shape<50, false>>);
}
[[nodiscard]] PackMethod chunked_async_method() {
  return method("chunked_async", "report 4.2", "chunked, with asynchronous copies",
                launch_chunked<Shape<66, true>>);
}
[[nodiscard]] PackMethod chunked_half_async_method() {
  return method("chunked_half_async", "thesis 4.5.4", "chunked_half, with asynchronous copies",
                launch_chunked<Shape<50, true>>);
}
[[nodiscard]] PackMethod chunked_branched_method() {
  return branched(chunked_method(), launch_chunked<Shape<66, false, Form::readable>>);
}

}  // namespace wrsgpu::pack

// Pre-filled alias table (thesis 3.2.5 and 4.5.5): a kernel copies the masses into the rows, and
// the pack reads the masses of light items there, where they are less dense than in the weights.
#include "construction/pack/section_kernel.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"

namespace wrsgpu::pack {
namespace {

/// Stores the mass of item i in row i, with the item as its own alias. One thread per row.
template <class Source, class Rows>
__global__ void fill(Source source, Rows rows) {
  const Index item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < rows.size()) rows.store(item, source.get()[item], item);
}

/// The row of a light item is written by the section that reads it. A heavy item may be the donor
/// of several sections while another one writes its row, so heavy masses are read from the weights.
template <class Masses, class Rows>
struct PrefilledReader {
  Lists<Index> lists;
  Masses masses;
  Rows rows;

  [[nodiscard]] static __device__ constexpr bool has(bool, Index, Index) { return true; }
  [[nodiscard]] __device__ ItemMass<double> take(bool is_heavy, Index light, Index heavy) const {
    const Index item = is_heavy ? lists.heavy[heavy] : lists.light[light];
    return {item, is_heavy ? masses[item] : Rows::own(rows.load(item))};
  }
};

struct MakePrefilledReader {
  template <class Task, class Rows>
  __device__ auto operator()(const Task& task, const Rows& rows,
                             const split::State<typename Task::Mass>& /*begin*/) const {
    using Masses = typename Task::Source::Masses;
    return PrefilledReader<Masses, Rows>{task.items.lists(), task.source.get(), rows};
  }
};

template <Form form, class Task, class Rows>
void launch_prefilled_task(const Task& task, const Rows& rows, cudaStream_t stream) {
  if constexpr (has_index_elements<Task> && std::is_floating_point_v<typename Task::Mass>) {
    constexpr unsigned threads = 256;
    fill<<<blocks_for(task.size, threads), threads, 0, stream>>>(task.source, rows);
    check_launch("pack::fill");
    launch_sections<form>(task, rows, MakePrefilledReader{}, stream);
  } else {
    throw Error("pack method prefilled keeps whole floating-point masses in the rows");
  }
}

template <Form form>
void launch_prefilled(const AnyPackTask& any, const AnyRows& any_rows, DeviceArena& arena,
                      cudaStream_t stream) {
  if (!arena.has_block()) return;
  dispatch(any, any_rows, [&](const auto& task, const auto& rows) {
    launch_prefilled_task<form>(task, rows, stream);
  });
}

}  // namespace

[[nodiscard]] PackMethod prefilled_method() {
  return {.name = "prefilled",
          .source = "thesis 3.2.5",
          .summary = "masses copied into the rows first, and read there",
          .launch = launch_prefilled<Form::optimised>,
          .elements = {ElementKind::index},
          .indices_only = "it takes the masses of light items from the rows",
          .floating_only = true,
          .competitive = false};
}
[[nodiscard]] PackMethod prefilled_branched_method() {
  return branched(prefilled_method(), launch_prefilled<Form::readable>);
}

}  // namespace wrsgpu::pack

// Precomputed weight[l[i]] (thesis 3.2.5 and 4.5.5): a kernel writes the masses of both lists into
// separate arrays, from which the pack reads. This does not avoid the lookups.
#include "construction/pack/section_kernel.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"

namespace wrsgpu::pack {
namespace {

/// The masses of the items of both lists, in the order of the lists. One thread for each of the
/// `task.size` possible positions, in blocks of any size.
template <class Task, class Mass>
__global__ void look_up(Task task, Mass* light_mass, Mass* heavy_mass) {
  const std::uint64_t position = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const auto lists = task.items.lists();
  if (position >= std::uint64_t{lists.lights} + lists.heavies) return;
  const auto masses = task.source.get();
  if (position < lists.lights) {
    light_mass[position] = masses[lists.light[position]];
  } else {
    heavy_mass[position - lists.lights] = masses[lists.heavy[position - lists.lights]];
  }
}

template <class Mass>
struct PrecomputedReader {
  Lists<Index> lists;
  const Mass* light_mass;
  const Mass* heavy_mass;

  [[nodiscard]] static __device__ constexpr bool has(bool, Index, Index) { return true; }
  [[nodiscard]] __device__ ItemMass<Mass> take(bool is_heavy, Index light, Index heavy) const {
    const Index* const item = is_heavy ? lists.heavy + heavy : lists.light + light;
    const Mass* const mass = is_heavy ? heavy_mass + heavy : light_mass + light;
    return {*item, *mass};
  }
};

template <class Mass>
struct MakePrecomputedReader {
  const Mass* light_mass;
  const Mass* heavy_mass;

  template <class Task, class Rows>
  __device__ PrecomputedReader<Mass> operator()(const Task& task, const Rows& /*rows*/,
                                                const split::State<Mass>& /*begin*/) const {
    return {task.items.lists(), light_mass, heavy_mass};
  }
};

template <Form form, class Task, class Rows>
void launch_precomputed_weights_task(const Task& task, const Rows& rows, DeviceArena& arena,
                                     cudaStream_t stream) {
  if constexpr (has_index_elements<Task>) {
    using Mass = typename Task::Mass;
    auto* light_mass = arena.take<Mass>(task.size);
    auto* heavy_mass = arena.take<Mass>(task.size);
    if (!arena.has_block()) return;
    constexpr unsigned threads = 256;
    look_up<<<blocks_for(task.size, threads), threads, 0, stream>>>(task, light_mass, heavy_mass);
    check_launch("pack::look_up");
    launch_sections<form>(task, rows, MakePrecomputedReader<Mass>{light_mass, heavy_mass}, stream);
  } else {
    throw Error("pack method precomputed_weights is for lists of indices");
  }
}

template <Form form>
void launch_precomputed_weights(const AnyPackTask& any, const AnyRows& any_rows, DeviceArena& arena,
                                cudaStream_t stream) {
  dispatch(any, any_rows, [&](const auto& task, const auto& rows) {
    launch_precomputed_weights_task<form>(task, rows, arena, stream);
  });
}

}  // namespace

[[nodiscard]] PackMethod precomputed_weights_method() {
  return {.name = "precomputed_weights",
          .source = "thesis 3.2.5",
          .summary = "masses of l and h looked up beforehand, into arrays",
          .launch = launch_precomputed_weights<Form::optimised>,
          .elements = {ElementKind::index},
          .indices_only = "it looks masses up beforehand, which such lists bring along",
          .competitive = false};
}
[[nodiscard]] PackMethod precomputed_weights_branched_method() {
  return branched(precomputed_weights_method(), launch_precomputed_weights<Form::readable>);
}

}  // namespace wrsgpu::pack

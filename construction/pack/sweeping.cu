// Sweeping pack (thesis 3.2.5 and 4.5.5): starting at its section, each thread searches the weights
// for the next light and the next heavy item, as the sweeping construction does. The slowest method
// in the thesis, because the threads of a warp wait for the longest search.
#include "construction/pack/section_kernel.cuh"

namespace wrsgpu::pack {
namespace {

/// `shares_loop`: the same loop searches for light and heavy items, instead of one loop in each
/// branch, so that threads that search for different kinds do not diverge.
template <bool shares_loop, class Masses>
struct SweepingReader {
  using Mass = typename Masses::Mass;
  Masses masses;
  Index next[2];  // start of the search for the next light and the next heavy item

  [[nodiscard]] static __device__ constexpr bool has(bool, Index, Index) { return true; }
  [[nodiscard]] __device__ bool is_heavy(Index item) const {
    return !(masses[item] <= masses.bucket);
  }
  [[nodiscard]] __device__ ItemMass<Mass> take(bool heavy, Index /*light*/, Index /*heavy*/) {
    if constexpr (shares_loop) {
      Index item = heavy ? next[1] : next[0];
      while (is_heavy(item) != heavy) ++item;
      next[heavy ? 1 : 0] = item + 1;
      return {item, masses[item]};
    } else if (heavy) {
      while (!is_heavy(next[1])) ++next[1];
      return {next[1], masses[next[1]++]};
    } else {
      while (is_heavy(next[0])) ++next[0];
      return {next[0], masses[next[0]++]};
    }
  }
};

template <bool shares_loop>
struct MakeSweepingReader {
  template <class Task, class Rows>
  __device__ auto operator()(const Task& task, const Rows& /*rows*/,
                             const split::State<typename Task::Mass>& begin) const {
    using Masses = typename Task::Source::Masses;
    const auto lists = task.items.lists();
    const Index heavy = begin.heavy < lists.heavies ? begin.heavy : lists.heavies - 1;
    return SweepingReader<shares_loop, Masses>{
        task.source.get(),
        {begin.light < lists.lights ? lists.light[begin.light] : 0,
         lists.heavies > 0 ? lists.heavy[heavy] : 0}};
  }
};

template <bool shares_loop>
void launch_sweeping(const AnyPackTask& any, const AnyRows& any_rows, DeviceArena& arena,
                     cudaStream_t stream) {
  if (!arena.has_block()) return;
  dispatch(any, any_rows, [&]<class Task, class Rows>(const Task& task, const Rows& rows) {
    if constexpr (has_index_elements<Task>) {
      constexpr Form form = shares_loop ? Form::optimised : Form::readable;
      launch_sections<form>(task, rows, MakeSweepingReader<shares_loop>{}, stream);
    } else {
      throw Error("pack method sweeping looks masses up among the weights");
    }
  });
}

PackMethod method(std::string name, std::string summary, decltype(PackMethod::launch) launch) {
  return {.name = std::move(name),
          .source = "thesis 3.2.5",
          .summary = std::move(summary),
          .launch = launch,
          .elements = {ElementKind::index},
          .indices_only = "it takes items and masses from the weights",
          .competitive = false};
}

}  // namespace

[[nodiscard]] PackMethod sweeping_method() {
  return method("sweeping", "the next light or heavy item is looked for among the weights",
                launch_sweeping<false>);
}
[[nodiscard]] PackMethod sweeping_shared_loop_method() {
  return method("sweeping_shared_loop", "sweeping, with one loop for both kinds of items",
                launch_sweeping<true>);
}

}  // namespace wrsgpu::pack

// Pre-filled alias table (thesis 3.2.5 and 4.5.5): the masses are copied into the rows first, and
// the pack reads the masses of light items there, where they are less dense than in the weights.
// The methods differ in how they copy.
#pragma once

#include <string>
#include <type_traits>

#include "construction/pack/section_kernel.cuh"

namespace wrsgpu::pack {

/// The row of a light item is written by the section that reads it. A heavy item may be the donor
/// of several sections while another one writes its row, so heavy masses are read from the weights.
/// `own_mass(item, masses)` reads the mass in a row.
template <class Masses, class OwnMass>
struct PrefilledReader {
  Lists<Index> lists;
  Masses masses;
  OwnMass own_mass;

  [[nodiscard]] static __device__ constexpr bool has(bool, Index, Index) { return true; }
  [[nodiscard]] __device__ ItemMass<double> take(bool is_heavy, Index light, Index heavy) const {
    const Index item = is_heavy ? lists.heavy[heavy] : lists.light[light];
    return {item, is_heavy ? masses[item] : own_mass(item, masses)};
  }
};

template <class OwnMass>
struct MakePrefilledReader {
  OwnMass own_mass;

  template <class Task, class Rows>
  __device__ auto operator()(const Task& task, const Rows& /*rows*/,
                             const split::State<typename Task::Mass>& /*begin*/) const {
    using Masses = typename Task::Source::Masses;
    return PrefilledReader<Masses, OwnMass>{task.items.lists(), task.source.get(), own_mass};
  }
};

/// `fill(task, rows, stream)` launches the copy and returns how the masses are read.
template <Form form, class Fill>
void launch_prefilled(const AnyPackTask& any, const AnyRows& any_rows, DeviceArena& arena,
                      cudaStream_t stream, const Fill& fill) {
  if (!arena.has_block()) return;
  dispatch(any, any_rows, [&]<class Task, class Rows>(const Task& task, const Rows& rows) {
    if constexpr (has_index_elements<Task> && std::is_floating_point_v<typename Task::Mass>) {
      const auto own_mass = fill(task, rows, stream);
      using Make = MakePrefilledReader<std::remove_const_t<decltype(own_mass)>>;
      launch_sections<form>(task, rows, Make{own_mass}, stream);
    } else {
      throw Error("pack method prefilled keeps whole floating-point masses in the rows");
    }
  });
}

[[nodiscard]] inline PackMethod prefilled(std::string name, std::string summary,
                                          decltype(PackMethod::launch) launch) {
  return {.name = std::move(name),
          .source = "thesis 3.2.5",
          .summary = std::move(summary),
          .launch = launch,
          .elements = {ElementKind::index},
          .indices_only = "it takes the masses of light items from the rows",
          .floating_only = true,
          .competitive = false};
}

}  // namespace wrsgpu::pack

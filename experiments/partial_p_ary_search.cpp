// Partial p-ary search by itself: many sorted queries in one sorted list (report 7). Names:
// search/<method>/<N>/<queries>. `clustered` queries come from a hundredth of the list, the others
// from all of it.
#include "experiments/common/cuda_timer.hpp"
#include "experiments/common/experiment.hpp"
#include "experiments/common/kept.hpp"
#include "experiments/common/sorted_search.hpp"

namespace wrsgpu::experiments {
namespace {

struct Prepared {
  SearchProblem problem;
  std::string fault;
};

Prepared prepare(const SearchMethod& method, const SortedList& list, std::uint64_t queries,
                 bool clustered) {
  Prepared made{make_search_problem(list, queries, clustered), {}};
  method.launch(made.problem, nullptr);
  made.fault = check_search(made.problem);
  return made;
}

void add(const SearchMethod& method, std::uint64_t n, std::uint64_t queries, bool clustered) {
  static Kept<SortedList> kept_list;
  static Kept<Prepared> kept;
  const std::string name = join_name({"search", method.name + (clustered ? "_clustered" : ""),
                                      std::to_string(n), std::to_string(queries)});
  add_benchmark(name, [=](benchmark::State& state) {
    const SortedList& list = kept_list.get(std::to_string(n), [&] { return make_sorted_list(n); });
    Prepared& prepared = kept.get(name, [&] { return prepare(method, list, queries, clustered); });
    if (!prepared.fault.empty()) return fail(state, prepared.fault);
    time_on_device(state, [&] { method.launch(prepared.problem, nullptr); });
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(queries));
  });
}

}  // namespace

Experiment experiment() {
  Experiment what{.name = "partial_p_ary_search",
                  .summary = "sorted queries in a sorted list on the GPU",
                  .needs_gpu = true,
                  .defaults = {.sizes = {1'000'000, 10'000'000, 100'000'000},
                               .distributions = {},
                               .samples = {1024, 10'240, 102'400, 1'024'000}}};
  for (const SearchMethod& method : search_methods()) {
    what.series.push_back({method.name, method.name, [method](const Axes& axes) {
                             for (const std::uint64_t n : axes.sizes) {
                               for (const bool clustered : {false, true}) {
                                 for (const std::uint64_t queries : axes.samples) {
                                   add(method, n, queries, clustered);
                                 }
                               }
                             }
                           }});
  }
  return what;
}

}  // namespace wrsgpu::experiments

// Objects with device memory that a thread keeps between calls, because to allocate takes longer
// than most of what they do.
#pragma once

#include <algorithm>
#include <map>
#include <utility>

#include "wrsgpu/types.hpp"

namespace wrsgpu::python {

/// Calls `use(worker)` with a `Worker(max_items, max_results)` of the current device, which is
/// `device`, and which has room for these numbers. The thread keeps it for its next call if the
/// results are few. `use` waits for the work.
template <class Worker, class Use>
void with_kept(int device, Index items, Index results, const Use& use) {
  constexpr Index max_kept = Index{1} << 18;
  if (results > max_kept) {
    Worker worker(items, results);
    return use(worker);
  }
  struct Kept {
    Index items;
    Index results;
    Worker worker;
  };
  thread_local std::map<int, Kept> all;
  auto found = all.find(device);
  if (found == all.end() || found->second.items < items || found->second.results < results) {
    if (found != all.end()) {
      items = std::max(items, found->second.items);
      results = std::max(results, found->second.results);
      all.erase(found);
    }
    found = all.emplace(device, Kept{items, results, Worker(items, results)}).first;
  }
  use(found->second.worker);
}

}  // namespace wrsgpu::python

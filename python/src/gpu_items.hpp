// Item numbers that a GPU writes, on a stream, with temporary memory in the order of the stream.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include "python/src/arrays.hpp"
#include "python/src/current_device.hpp"
#include "wrsgpu/detail/core/memory_pool.cuh"
#include "wrsgpu/detail/core/widen_items.cuh"
#include "wrsgpu/gpu_choose.cuh"
#include "wrsgpu/types.hpp"

namespace wrsgpu::python {

/// An array of item numbers of 4 or 8 bytes in device memory, and how it is to be written.
struct ItemsArgument {
  Address out;
  std::uint64_t size;
  int bytes;
  /// Wait for the outcome, and throw its error. Otherwise all that is not written becomes -1.
  bool check;
  cudaStream_t stream;
};

/// Random numbers: those of a state in device memory, which is advanced, if there is one.
struct RandomArgument {
  RandomState value;
  Address state;
};

/// Calls `write(items)`, which writes items on the stream and returns how many; waits for that if
/// there is a check. Returns the same.
template <class Write>
[[nodiscard]] std::uint64_t write_items(const ItemsArgument& to, const Write& write) {
  std::optional<PoolBuffer<Index>> narrow;
  if (to.bytes == 8) narrow.emplace(to.size, to.stream);
  const std::span<Index> items =
      narrow ? std::span(narrow->data(), to.size) : elements<Index>(to.out, to.size);
  if (!to.check) {
    require_success(cudaMemsetAsync(items.data(), 0xFF, items.size_bytes(), to.stream));
  }
  const std::uint64_t found = write(items);
  if (narrow) {
    const std::uint64_t written = to.check ? found : to.size;
    widen_items(items.first(written), elements<std::uint64_t>(to.out, written), to.stream);
  }
  return found;
}

/// Chooses items, without replacement. Returns their number, which is known if there is a check.
[[nodiscard]] inline std::uint64_t choose_on_stream(WeightsView weights, const ItemsArgument& to,
                                                    bool allow_fewer,
                                                    const RandomArgument& random) {
  return write_items(to, [&](std::span<Index> items) -> std::uint64_t {
    if (allow_fewer) items = items.first(std::min<std::size_t>(items.size(), weights.size()));
    const auto all = static_cast<Index>(weights.size());
    const auto chosen = static_cast<Index>(items.size());
    const std::size_t bytes = GpuChooser::storage_bytes(all, chosen);
    const PoolBuffer<std::byte> storage(bytes, to.stream);
    GpuChooser chooser(all, chosen, {storage.data(), bytes});
    const ChooseOptions options{.allow_fewer = allow_fewer};
    if (random.state != 0) {
      chooser.choose_and_advance(weights, items, as_state(random.state), to.stream, options);
    } else {
      chooser.choose(weights, items, random.value, to.stream, options);
    }
    return to.check ? chooser.finish(to.stream) : chosen;
  });
}

}  // namespace wrsgpu::python

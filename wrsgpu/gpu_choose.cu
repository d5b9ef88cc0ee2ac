#include "wrsgpu/gpu_choose.cuh"

#include <algorithm>
#include <limits>
#include <string>

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_arena.cuh"
#include "wrsgpu/detail/core/device_attribute.cuh"
#include "wrsgpu/detail/core/device_memory.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/core/resident_blocks.cuh"
#include "wrsgpu/detail/core/shared_memory.cuh"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/detail/random/random_source.cuh"
#include "wrsgpu/detail/without_replacement/choose_state.cuh"
#include "wrsgpu/detail/without_replacement/find_ringing.cuh"
#include "wrsgpu/detail/without_replacement/order_ringing.cuh"
#include "wrsgpu/detail/without_replacement/sample_weights.cuh"
#include "wrsgpu/detail/without_replacement/threshold.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

using detail::ChoicePlan;
using detail::choose_threads;
using detail::ChooseOutcome;
using detail::ChooseState;
using detail::ChooseStorage;
using random::RandomSource;

/// 2^17 weights for the estimate.
constexpr int gpu_sampled_bits = 17;

[[nodiscard]] ChoicePlan gpu_plan(Index items, Index chosen) {
  return {items, chosen, gpu_sampled_bits};
}

template <class T>
void launch_choose(std::span<const T> weights, std::span<Index> out, const RandomSource& source,
                   RandomState* advanced, const ChoicePlan& plan, const ChooseStorage& storage,
                   cudaStream_t stream, bool allow_fewer) {
  const auto items = static_cast<Index>(weights.size());
  const auto chosen = static_cast<Index>(out.size());
  ChooseState* const state = storage.state;
  WRSGPU_CUDA_CHECK(cudaMemsetAsync(state, 0, sizeof *state, stream));
  if (plan.capacity < items) {  // otherwise all clocks are before the threshold
    detail::sample_weights<<<blocks_for(plan.sampled, choose_threads), choose_threads, 0, stream>>>(
        weights.data(), items, plan, source, state);
    check_launch("choose sample_weights");
  }
  const unsigned blocks_of_items = blocks_for(items, 4 * choose_threads) + 1;
  const unsigned resident = blocks_that_fill(detail::find_ringing<T>, choose_threads);
  // Of many items in two turns, which end more evenly.
  const unsigned blocks =
      std::min(blocks_of_items, std::clamp(blocks_of_items / 64, resident, 2 * resident));
  launch_programmatic(detail::find_ringing<T>, {blocks, choose_threads}, stream, weights.data(),
                      items, source, storage.found, storage.capacity, state);
  check_launch("choose find_ringing");
  // Few blocks synchronise faster.
  const std::size_t bytes =
      std::max(sizeof(detail::SelectStorage<T>), sizeof(detail::OrderStorage));
  allow_all_shared_memory(detail::order_ringing<T>);
  const auto processors = static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
  const unsigned ordering =
      std::min({blocks_of_items, std::max(processors, blocks_for(storage.capacity, choose_threads)),
                blocks_that_fill(detail::order_ringing<T>, choose_threads, bytes)});
  launch_programmatic<SyncScope::grid>(detail::order_ringing<T>, {ordering, choose_threads, bytes},
                                       stream, weights.data(), items, chosen, allow_fewer, source,
                                       advanced, storage, out.data());
  check_launch("choose order_ringing");
}

}  // namespace

std::size_t GpuChooser::storage_bytes(Index max_items, Index max_chosen) {
  require_capacity("max_items", max_items);
  if (max_chosen == 0 || max_chosen > max_items) {
    throw Error("argument 'max_chosen' is " + std::to_string(max_chosen) +
                "; it must be at least 1 and at most max_items, " + std::to_string(max_items));
  }
  DeviceArena sizes;
  ChooseStorage(sizes, gpu_plan(max_items, max_chosen).capacity);
  return sizes.used();
}

GpuChooser::GpuChooser(Index max_items, Index max_chosen)
    : max_items_(max_items),
      max_chosen_(max_chosen),
      storage_(storage_bytes(max_items, max_chosen)) {}

GpuChooser::GpuChooser(Index max_items, Index max_chosen, std::span<std::byte> storage)
    : max_items_(max_items), max_chosen_(max_chosen), storage_(storage) {}

void GpuChooser::choose(WeightsView weights, std::span<Index> out, RandomState state,
                        cudaStream_t stream, const ChooseOptions& options) {
  launch(weights, out, state, nullptr, nullptr, stream, options);
}

void GpuChooser::choose(WeightsView weights, std::span<Index> out, const RandomState* state,
                        cudaStream_t stream, const ChooseOptions& options) {
  require_on_device(state, "state", stream);
  launch(weights, out, {}, state, nullptr, stream, options);
}

void GpuChooser::choose_and_advance(WeightsView weights, std::span<Index> out, RandomState* state,
                                    cudaStream_t stream, const ChooseOptions& options) {
  require_on_device(state, "state", stream);
  launch(weights, out, {}, state, state, stream, options);
}

void GpuChooser::launch(WeightsView weights, std::span<Index> out, RandomState state,
                        const RandomState* state_on_device, RandomState* advanced,
                        cudaStream_t stream, const ChooseOptions& options) {
  check_size_and_memory(weights, Device::cuda);
  if (options.allow_fewer) out = out.first(std::min<std::size_t>(out.size(), weights.size()));
  detail::require_choice(weights.size(), out.size());
  if (weights.size() > max_items_ || out.size() > max_chosen_) {
    throw Error("choose: " + std::to_string(out.size()) + " of " + std::to_string(weights.size()) +
                " items are more than the " + std::to_string(max_chosen_) + " of " +
                std::to_string(max_items_) + " for which memory is reserved");
  }
  require_on_device(out.data(), "out", stream);
  const ChoicePlan plan =
      gpu_plan(static_cast<Index>(weights.size()), static_cast<Index>(out.size()));
  DeviceArena arena(storage_.span());
  const ChooseStorage storage(arena, plan.capacity);
  weights.visit([&](auto w) {
    require_on_device(w.data(), "weights", stream);
    launch_choose(w, out, {state, state_on_device}, advanced, plan, storage, stream,
                  options.allow_fewer);
  });
  weights_ = weights;
  chosen_ = static_cast<Index>(out.size());
  capacity_ = plan.capacity;
  allow_fewer_ = options.allow_fewer;
}

Index GpuChooser::finish(cudaStream_t stream) {
  if (!weights_) throw Error("finish: nothing was chosen; call choose() first");
  ChooseOutcome outcome;
  WRSGPU_CUDA_CHECK(
      cudaMemcpyAsync(&outcome, storage_.data(), sizeof outcome, cudaMemcpyDeviceToHost, stream));
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(stream));
  const std::uint64_t items = weights_->size();
  if (outcome.invalid_complement != 0) {
    const std::uint64_t index = ~outcome.invalid_complement;
    weights_->visit([&]<class T>(std::span<const T> w) {
      T weight{};
      WRSGPU_CUDA_CHECK(
          cudaMemcpy(&weight, w.data() + index, sizeof weight, cudaMemcpyDeviceToHost));
      throw_bad_weight(index, items, static_cast<double>(weight),
                       std::numeric_limits<T>::max_digits10);
    });
  }
  if (outcome.found > capacity_) throw Error("choose: too many clocks are equal");
  if (outcome.found == 0) throw_all_zero(items);
  if (outcome.found < chosen_ && !allow_fewer_) {
    detail::throw_too_few_positive(outcome.found, chosen_);
  }
  return std::min<Index>(outcome.found, chosen_);
}

}  // namespace wrsgpu

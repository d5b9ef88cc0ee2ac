#include "wrsgpu/gpu_weighted_sampler.cuh"

#include <algorithm>
#include <string>
#include <utility>

#include "wrsgpu/choose.hpp"
#include "wrsgpu/detail/build/merge_builder.cuh"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_memory.cuh"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/masses/gpu_item_probabilities.cuh"
#include "wrsgpu/detail/masses/item_probabilities.hpp"
#include "wrsgpu/detail/sampling/direct_draws.cuh"
#include "wrsgpu/detail/sampling/distinct_draws.cuh"
#include "wrsgpu/detail/sampling/fastest_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/sampler_support.hpp"
#include "wrsgpu/detail/table/table_file.hpp"

namespace wrsgpu {
namespace {

int current_device() {
  int device = 0;
  WRSGPU_CUDA_CHECK(cudaGetDevice(&device));
  return device;
}

/// Throws `Error` for no or too many weights, and for weights that are not in the memory of
/// `device` or that it cannot access.
void require_in_its_memory(WeightsView weights, Device device) {
  check_size_and_memory(weights, device);
  if (device == Device::cpu) return;
  weights.visit([](auto w) { require_on_device(w.data(), "weights"); });
}

/// The rows to draw from; work on a stream may still be writing them.
const DeviceTable& rows_of(const MergeBuilder& table) {
  if (table.has_failed() || table.table().size() == 0) detail::throw_no_table();
  return table.table();
}

void wait_for_device() { WRSGPU_CUDA_CHECK(cudaDeviceSynchronize()); }

}  // namespace

GpuWeightedSampler::GpuWeightedSampler(const WeightedSamplerOptions& options)
    : options_(options), sampler_(sampler_of(options)) {}

GpuWeightedSampler::GpuWeightedSampler(const AnyWeights& weights,
                                       const WeightedSamplerOptions& options)
    : GpuWeightedSampler(options) {
  rebuild(weights);
}

GpuWeightedSampler GpuWeightedSampler::load(const std::filesystem::path& file,
                                            const WeightedSamplerOptions& options) {
  const HostTable table = detail::load_compact_table(file);
  GpuWeightedSampler sampler(options);
  sampler.table_or_create().assign(table);
  if (options.with_probabilities) {
    HostBuffer<float> probabilities(table.size());
    write_probabilities(table, probabilities.span());
    sampler.probabilities_ = DeviceBuffer<float>(table.size());
    copy_to_device(std::as_const(probabilities).span(), sampler.probabilities_.data());
  }
  return sampler;
}

GpuWeightedSampler::GpuWeightedSampler(GpuWeightedSampler&&) noexcept = default;
GpuWeightedSampler& GpuWeightedSampler::operator=(GpuWeightedSampler&&) noexcept = default;
GpuWeightedSampler::~GpuWeightedSampler() = default;

MergeBuilder& GpuWeightedSampler::checked_table() const {
  if (!table_) detail::throw_no_table();
  if (const int device = current_device(); device != device_) {
    throw Error("the sampler belongs to device " + std::to_string(device_) + "; device " +
                std::to_string(device) + " is current; call cudaSetDevice(" +
                std::to_string(device_) + ") first");
  }
  return *table_;
}

MergeBuilder& GpuWeightedSampler::table_or_create() {
  if (table_) return checked_table();
  auto table = std::make_unique<MergeBuilder>(options_.threads);
  if (!sampler_) sampler_ = sampler_of(options_);  // null if moved from
  device_ = current_device();  // there is a GPU: the table's constructor requires one
  // Discards the state of a table that was moved from this sampler.
  capacity_ = 0;
  pending_weights_.reset();
  table_ = std::move(table);
  return *table_;
}

Index GpuWeightedSampler::size() const {
  return table_ && !checked_table().has_failed() ? table_->table().size() : 0;
}

Index GpuWeightedSampler::capacity() const {
  if (!table_) return 0;
  static_cast<void>(checked_table());
  return capacity_;
}

void GpuWeightedSampler::rebuild(const AnyWeights& any_weights) {
  MergeBuilder& table = table_or_create();
  const WeightsView weights = any_weights.view();
  require_in_its_memory(weights, weights.device());
  wait_for_device();  // draws on other streams may still be reading the rows
  const auto items = static_cast<Index>(weights.size());
  with_weights_on_device(weights, [&](WeightsView on_device) {
    const bool grows = options_.with_probabilities && probabilities_.size() < items;
    DeviceBuffer<float> larger(grows ? items : 0);
    table.write_probabilities_to(grows ? larger.data() : probabilities_.data());
    const Index tiles = options_.keep_weights ? mass_tile_count(items) : 0;
    DeviceBuffer<MassTile> more_tiles(tiles_.size() < tiles ? tiles : 0);
    if (tiles > 0 && tiles_kind_.size() == 0) tiles_kind_ = DeviceBuffer<KeptTilesKind>(1);
    table.keep_tiles_in(
        {more_tiles.size() > 0 ? more_tiles.data() : tiles_.data(), tiles_kind_.data()});
    auto no_table = std::make_unique<MergeBuilder>(table.options().threads);
    try {
      table.build(on_device);
      is_built_ = true;
      table.reserve_temporary(std::max(capacity_, items));
    } catch (const OutOfMemory&) {
      capacity_ = 0;
      pending_weights_.reset();
      table_ = std::move(no_table);
      throw;
    }
    capacity_ = std::max(capacity_, items);
    if (options_.keep_weights) keep(on_device);
    if (grows) probabilities_ = std::move(larger);
    if (more_tiles.size() > 0) tiles_ = std::move(more_tiles);
  });
}

void GpuWeightedSampler::rebuild(WeightsView weights, cudaStream_t stream) {
  require_in_its_memory(weights, Device::cuda);
  if (weights.size() > capacity()) {
    throw Error("rebuild: argument 'weights' has " + std::to_string(weights.size()) +
                " items, more than capacity() = " + std::to_string(capacity()) +
                "; call rebuild without a stream first");
  }
  MergeBuilder& table = checked_table();
  table.reserve_temporary(capacity_);  // before anything is changed
  if (options_.keep_weights) {
    if (!kept_.have_room_for(weights)) {
      throw Error(
          "rebuild: argument 'weights' has another type than the kept weights; call rebuild "
          "without "
          "a stream first");
    }
    copy_to_kept(weights, stream);
    weights = kept_.view();
  }
  table.reserve(static_cast<Index>(weights.size()), weights.type());  // within the capacity
  table.write_probabilities_to(probabilities_.data());
  table.keep_tiles_in({tiles_.data(), tiles_kind_.data()});
  table.construct(weights, stream);
  pending_weights_ = weights;
  is_built_ = false;
  has_updated_ = false;
}

void GpuWeightedSampler::release_temporary_memory() { checked_table().release_temporary(); }

bool GpuWeightedSampler::is_pending(cudaStream_t stream) const {
  const MergeBuilder& table = checked_table();
  return pending_weights_ && (!is_built_ || table.has_run(stream));
}

void GpuWeightedSampler::finish(cudaStream_t stream) {
  MergeBuilder& table = checked_table();
  if (!is_pending(stream)) throw Error("finish: no rebuild on a stream is pending");
  try {
    table.finish(*pending_weights_, stream);
  } catch (const Error& error) {
    if (has_updated_) detail::rethrow_of_update(error);
    throw;
  }
  if (has_updated_) updater_->finish(stream);
}

void GpuWeightedSampler::copy_to_kept(WeightsView weights, cudaStream_t stream) {
  kept_.assign(weights, [&](auto from, auto to) {
    WRSGPU_CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), from.size_bytes(),
                                      cudaMemcpyDeviceToDevice, stream));
  });
}

void GpuWeightedSampler::keep(WeightsView weights) {
  copy_to_kept(weights, nullptr);
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(nullptr));
  if (!updater_ || updater_->max_items() < capacity_) updater_.emplace(capacity_);
}

WeightsView GpuWeightedSampler::weights() const {
  static_cast<void>(checked_table());
  return kept_.view();
}

template <class T>
void GpuWeightedSampler::update_kept(std::span<const Index> indices, std::span<const T> values,
                                     cudaStream_t stream) {
  MergeBuilder& table = checked_table();
  const std::span<T> weights = kept_.span<T>();
  table.reserve_temporary(capacity_);  // before anything is changed
  updater_->update(weights, indices, values, stream);
  rebuild(kept_.view(), stream);
  has_updated_ = true;
}

void GpuWeightedSampler::update(std::span<const Index> indices, std::span<const float> values,
                                cudaStream_t stream) {
  update_kept(indices, values, stream);
}
void GpuWeightedSampler::update(std::span<const Index> indices, std::span<const double> values,
                                cudaStream_t stream) {
  update_kept(indices, values, stream);
}

void GpuWeightedSampler::draw(std::span<Index> out, RandomState state, cudaStream_t stream) const {
  const DeviceTable& rows = rows_of(checked_table());
  if (!out.empty()) require_on_device(out.data(), "out", stream);
  sampler_->sample(rows, out, state, stream);
}

void GpuWeightedSampler::draw(std::span<std::uint64_t> out, RandomState state,
                              cudaStream_t stream) const {
  draw_from(0, out, state, stream);
}

void GpuWeightedSampler::draw_from(std::uint64_t first, std::span<std::uint64_t> out,
                                   RandomState state, cudaStream_t stream) const {
  const DeviceTable& rows = rows_of(checked_table());
  if (!out.empty()) require_on_device(out.data(), "out", stream);
  draw_64_bit(rows, options_.generator, first, out, state, stream);
}

template <class Number>
void GpuWeightedSampler::draw_numbers(std::span<Number> out, RandomState* state,
                                      cudaStream_t stream) const {
  const DeviceTable& rows = rows_of(checked_table());
  if (!out.empty()) require_on_device(out.data(), "out", stream);
  require_on_device(state, "state", stream);
  draw_from_state(rows.compact_rows(), options_.generator, ToNumbers<Number>{out.data()},
                  out.size(), state, stream);
}

void GpuWeightedSampler::draw_and_advance(std::span<Index> out, RandomState* state,
                                          cudaStream_t stream) const {
  draw_numbers(out, state, stream);
}

void GpuWeightedSampler::draw_and_advance(std::span<std::uint64_t> out, RandomState* state,
                                          cudaStream_t stream) const {
  draw_numbers(out, state, stream);
}

void GpuWeightedSampler::draw_distinct_from(const random::RandomSource& source,
                                            std::span<Index> out, RandomState* advanced,
                                            std::uint64_t* used, cudaStream_t stream) const {
  const DeviceTable& rows = rows_of(checked_table());
  if (!out.empty()) {
    detail::require_choice(rows.size(), out.size());
    require_on_device(out.data(), "out", stream);
  }
  require_on_device(used, "used", stream);
  if (out.size() > max_gpu_distinct) {
    throw Error("draw_distinct: argument 'out' has " + std::to_string(out.size()) +
                " elements, more than the " + std::to_string(max_gpu_distinct) +
                " that a GPU draws by the table alone; GpuChooser needs the weights, and one pass "
                "over them");
  }
  wrsgpu::draw_distinct(rows.compact_rows(), options_.generator, out, source, advanced, used,
                        stream);
}

void GpuWeightedSampler::draw_distinct(std::span<Index> out, RandomState state, std::uint64_t* used,
                                       cudaStream_t stream) const {
  draw_distinct_from({state}, out, nullptr, used, stream);
}

void GpuWeightedSampler::draw_distinct_and_advance(std::span<Index> out, RandomState* state,
                                                   std::uint64_t* used, cudaStream_t stream) const {
  require_on_device(state, "state", stream);
  draw_distinct_from({{}, state}, out, state, used, stream);
}

void GpuWeightedSampler::histogram_and_advance(std::span<std::uint64_t> counts,
                                               std::uint64_t samples, RandomState* state,
                                               cudaStream_t stream) const {
  const DeviceTable& rows = rows_of(checked_table());
  detail::require_one_per_item("histogram_and_advance", "counts", counts.size(), rows.size());
  require_on_device(counts.data(), "counts", stream);
  require_on_device(state, "state", stream);
  WRSGPU_CUDA_CHECK(cudaMemsetAsync(counts.data(), 0, counts.size_bytes(), stream));
  draw_from_state(rows.compact_rows(), options_.generator,
                  ToHistogram{reinterpret_cast<unsigned long long*>(counts.data())}, samples, state,
                  stream);
}

void GpuWeightedSampler::histogram(std::span<std::uint64_t> counts, std::uint64_t samples,
                                   RandomState state, cudaStream_t stream) const {
  const DeviceTable& rows = rows_of(checked_table());
  detail::require_one_per_item("histogram", "counts", counts.size(), rows.size());
  require_on_device(counts.data(), "counts", stream);
  WRSGPU_CUDA_CHECK(cudaMemsetAsync(counts.data(), 0, counts.size_bytes(), stream));
  sampler_->count(rows, samples, counts, state, stream);
}

void GpuWeightedSampler::probabilities(std::span<float> out, cudaStream_t stream) const {
  const DeviceTable& rows = rows_of(checked_table());
  detail::require_one_per_item("probabilities", "out", out.size(), rows.size());
  require_on_device(out.data(), "out", stream);
  if (options_.with_probabilities) {
    WRSGPU_CUDA_CHECK(cudaMemcpyAsync(out.data(), probabilities_.data(), out.size_bytes(),
                                      cudaMemcpyDeviceToDevice, stream));
  } else {
    write_probabilities_on_device(rows.compact_rows(), out.data(), stream);
  }
}

template <class Number>
void GpuWeightedSampler::write_probabilities_of_some(std::span<const Number> items,
                                                     std::span<float> out,
                                                     cudaStream_t stream) const {
  static_cast<void>(rows_of(checked_table()));
  if (items.size() != out.size()) {
    throw Error("probabilities_of: argument 'out' has " + std::to_string(out.size()) +
                " elements for " + std::to_string(items.size()) + " items");
  }
  const WeightsView weights = kept_.view();
  if (items.empty()) return;
  require_on_device(items.data(), "items", stream);
  require_on_device(out.data(), "out", stream);
  wrsgpu::write_probabilities_of(weights, {tiles_.data(), tiles_kind_.data()}, items, out.data(),
                                 stream);
}

void GpuWeightedSampler::probabilities_of(std::span<const Index> items, std::span<float> out,
                                          cudaStream_t stream) const {
  write_probabilities_of_some(items, out, stream);
}
void GpuWeightedSampler::probabilities_of(std::span<const std::uint64_t> items,
                                          std::span<float> out, cudaStream_t stream) const {
  write_probabilities_of_some(items, out, stream);
}

HostTable GpuWeightedSampler::to_host() const {
  const MergeBuilder& table = checked_table();
  static_cast<void>(rows_of(table));
  if (table.size() == 0)
    throw Error("to_host: the last rebuild is not finished; call finish() first");
  wait_for_device();
  return table.to_host();
}

void GpuWeightedSampler::save(const std::filesystem::path& file) const {
  if (checked_table().size() == 0) {
    static_cast<void>(rows_of(checked_table()));
    throw Error("save: the last rebuild is not finished; call finish() first");
  }
  save_table(to_host(), Arithmetic::fixed_point, file);
}

void draw_and_advance(const SamplerView& table, std::span<std::uint64_t> out, RandomState* state,
                      cudaStream_t stream) {
  if (!out.empty()) require_on_device(out.data(), "out", stream);
  require_on_device(table.rows().data(), "table", stream);
  require_on_device(state, "state", stream);
  draw_from_state(table.rows(), Generator::philox, ToNumbers<std::uint64_t>{out.data()}, out.size(),
                  state, stream);
}

SamplerView GpuWeightedSampler::view() const {
  return SamplerView(rows_of(checked_table()).compact_rows());
}

SamplerViewWithProbabilities GpuWeightedSampler::view_with_probabilities() const {
  if (!options_.with_probabilities) detail::throw_no_probabilities();
  return {view(), probabilities_.data()};
}

}  // namespace wrsgpu

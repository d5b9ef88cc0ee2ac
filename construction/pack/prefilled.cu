// Pre-filled by a kernel.
#include "construction/pack/prefilled.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"

namespace wrsgpu::pack {
namespace {

/// Stores the mass of item i in row i, with the item as its own alias. One thread per row.
template <class Source, class Rows>
__global__ void fill(Source source, Rows rows) {
  const Index item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < rows.size()) rows.store(item, source.get()[item], item);
}

template <class Rows>
struct MassInRow {
  Rows rows;
  template <class Masses>
  [[nodiscard]] __device__ double operator()(Index item, const Masses& /*masses*/) const {
    return Rows::own(rows.load(item));
  }
};

template <Form form>
void launch_filled(const AnyPackTask& any, const AnyRows& any_rows, DeviceArena& arena,
                   cudaStream_t stream) {
  launch_prefilled<form>(any, any_rows, arena, stream,
                         []<class Rows>(const auto& task, const Rows& rows, cudaStream_t on) {
                           constexpr unsigned threads = 256;
                           fill<<<blocks_for(task.size, threads), threads, 0, on>>>(task.source,
                                                                                    rows);
                           check_launch("pack::fill");
                           return MassInRow<Rows>{rows};
                         });
}

}  // namespace

[[nodiscard]] PackMethod prefilled_method() {
  return prefilled("prefilled", "masses copied into the rows first, and read there",
                   launch_filled<Form::optimised>);
}
[[nodiscard]] PackMethod prefilled_branched_method() {
  return branched(prefilled_method(), launch_filled<Form::readable>);
}

}  // namespace wrsgpu::pack

#include "wrsgpu/detail/sampling/direct_draws.cuh"

#include "wrsgpu/detail/random/advance_state.cuh"
#include "wrsgpu/detail/sampling/direct_rows.cuh"
#include "wrsgpu/detail/sampling/split_word_table.cuh"

namespace wrsgpu {
namespace {

/// `draw_directly` with a state in device memory: every thread computes the round keys. A single
/// block also advances the state; for several, `random::advance_state` does.
template <int rounds, class Output>
__global__ void __launch_bounds__(direct_threads)
    draw_directly_from_state(WholeRows rows, RandomState* state, std::uint64_t samples,
                             Output output) {
  grid_dependency_sync();
  const RandomState begin = *state;
  using Words = random::SplitWords<rounds>;
  const DirectSource<Words, WholeRows> source{Words(begin.seed).kept(in_register), rows};
  draw_quads<direct_quads>(source, begin.offset, 0, samples, blockIdx.x * blockDim.x + threadIdx.x,
                           gridDim.x * blockDim.x, output);
  if (gridDim.x > 1) return;
  __syncthreads();  // every thread has read the state
  if (threadIdx.x == 0) state->offset = begin.offset + samples;
}

}  // namespace

void draw_64_bit(const DeviceTable& table, Generator generator, std::uint64_t first,
                 std::span<std::uint64_t> out, RandomState state, cudaStream_t stream) {
  if (out.empty()) return;
  const unsigned blocks = direct_blocks(out.size(), direct_threads);
  with_fastest_rows(table, out.size(), stream, [&]<class Rows>(const Rows& rows) {
    with_split_words(generator == Generator::philox7 ? GpuGenerator::philox7 : GpuGenerator::philox,
                     state.seed, [&]<class Words>(const Words& words) {
                       launch_programmatic(draw_directly<Words, Rows, ToNumbersFrom>,
                                           {blocks, direct_threads}, stream,
                                           DirectSource<Words, Rows>{words, rows}, state.offset,
                                           out.size(), ToNumbersFrom{first, out.data()});
                       check_launch("draw_directly");
                     });
  });
}

void draw_from_state(const CompactRows& rows, Generator generator, const StateOutput& output,
                     std::uint64_t samples, RandomState* state, cudaStream_t stream) {
  if (samples == 0) return;
  const unsigned blocks = direct_blocks(samples, direct_threads);
  std::visit(
      [&](const auto& out) {
        const auto kernel = generator == Generator::philox7
                                ? draw_directly_from_state<7, std::remove_cvref_t<decltype(out)>>
                                : draw_directly_from_state<10, std::remove_cvref_t<decltype(out)>>;
        launch_programmatic(kernel, {blocks, direct_threads}, stream,
                            WholeRows{rows.data(), rows.size()}, state, samples, out);
        check_launch("draw_directly_from_state");
      },
      output);
  if (blocks == 1) return;
  random::advance_state(state, samples, stream);
}

}  // namespace wrsgpu

// Chunked loading with the authors' parameters for the thesis's GPUs: 8 workers in a block of 32
// threads, chunks of 32 elements that are loaded again where at most 11 are unread, and 10 sections
// for each worker that a block on every multiprocessor has (thesis 4.5.4).
#include "construction/pack/chunked.cuh"

namespace wrsgpu::pack {
namespace {

constexpr int tuned_workers = 8;

template <bool asynchronous, bool reuses>
constexpr auto launch_tuned =
    launch_chunked<ChunkShape<tuned_workers, 32, 11, asynchronous, reuses>>;

PackMethod tuned(std::string name, std::string summary, decltype(PackMethod::launch) launch) {
  return {.name = std::move(name),
          .source = "thesis 4.5.4",
          .summary = std::move(summary),
          .launch = launch,
          .section_items = 64,
          .multiprocessor_sections = 10 * tuned_workers};
}

}  // namespace

[[nodiscard]] PackMethod chunked_tuned_method() {
  return tuned("chunked_tuned", "chunked, with 8 workers, chunks of 32 and few long sections",
               launch_tuned<false, false>);
}
[[nodiscard]] PackMethod chunked_tuned_async_method() {
  return tuned("chunked_tuned_async", "chunked_tuned, with asynchronous copies",
               launch_tuned<true, false>);
}
[[nodiscard]] PackMethod chunked_tuned_reuse_method() {
  return tuned("chunked_tuned_reuse",
               "chunked_tuned; unread elements move to the front of the chunk",
               launch_tuned<false, true>);
}

}  // namespace wrsgpu::pack

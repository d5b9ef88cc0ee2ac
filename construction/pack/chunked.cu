// Chunked loading with a block of 32 workers and chunks of 16 elements.
#include "construction/pack/chunked.cuh"

namespace wrsgpu::pack {
namespace {

template <Index threshold, bool asynchronous, Form form = Form::optimised>
constexpr auto launch_of = launch_chunked<ChunkShape<32, 16, threshold, asynchronous, false, form>>;

constexpr Index third_unread = 5;  // of 16
constexpr Index half_unread = 7;

PackMethod method(std::string name, std::string source, std::string summary,
                  decltype(PackMethod::launch) launch) {
  return {.name = std::move(name),
          .source = std::move(source),
          .summary = std::move(summary),
          .launch = launch,
          .section_items = 64};
}

}  // namespace

[[nodiscard]] PackMethod chunked_method() {
  return method("chunked", "report 4.2",
                "chunks of l and h in shared memory, loaded again when 2/3 are used",
                launch_of<third_unread, false>);
}
[[nodiscard]] PackMethod chunked_half_method() {
  return method("chunked_half", "thesis 3.2.4", "chunks loaded again when half is used",
                launch_of<half_unread, false>);
}
[[nodiscard]] PackMethod chunked_async_method() {
  return method("chunked_async", "report 4.2", "chunked, with asynchronous copies",
                launch_of<third_unread, true>);
}
[[nodiscard]] PackMethod chunked_half_async_method() {
  return method("chunked_half_async", "thesis 4.5.4", "chunked_half, with asynchronous copies",
                launch_of<half_unread, true>);
}
[[nodiscard]] PackMethod chunked_branched_method() {
  return branched(chunked_method(), launch_of<third_unread, false, Form::readable>);
}

}  // namespace wrsgpu::pack

#include "python/src/interruptible.hpp"
#include "python/src/segments.hpp"

namespace wrsgpu::python {
namespace {

/// The host, for `Segments`.
struct Host {
  using Sampler = SegmentedSampler;
  static constexpr bool on_device = false;

  template <class Work>
  void run(std::uint64_t size, const Work& work) const {
    run_interruptibly(size, work);
  }
  template <class Work>
  void end(const Work& work) const {
    const nb::gil_scoped_release release;
    work();
  }
  template <class Use>
  void with_weights(Address weights, std::uint64_t size, const std::string& type,
                    const Use& use) const {
    with_host_weights(weights, size, type, use);
  }
};

}  // namespace

void bind_segments(nb::module_& module) {
  bind_segments_of<Host>(module, "HostSegments")
      .def(
          "__init__",
          [](Segments<Host>* self, int rounds, unsigned threads, bool empty_ok) {
            new (self) Segments<Host>({}, rounds, threads, empty_ok);
          },
          "rounds"_a, "threads"_a, "empty_ok"_a);
}

}  // namespace wrsgpu::python

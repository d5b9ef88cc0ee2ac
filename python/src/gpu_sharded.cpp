#include "python/src/current_device.hpp"
#include "python/src/sharded.hpp"
#include "wrsgpu/gpu_sharded_sampler.cuh"

namespace wrsgpu::python {
namespace {

struct ShardsOnGpu {
  using Sampler = GpuShardedSampler;
  class Ranks final : public PythonRanks<GpuCommunicator> {
   public:
    using PythonRanks::PythonRanks;
    void all_to_all(std::span<const std::uint64_t> send, std::span<const std::uint64_t> send_counts,
                    std::span<std::uint64_t> receive, std::span<const std::uint64_t> receive_counts,
                    cudaStream_t stream) override {
      exchange(send, send_counts, receive, receive_counts, reinterpret_cast<Address>(stream));
    }
  };

  int device;

  template <class Work>
  void run(const Work& work) const {
    const CurrentDevice current(device);
    work();
  }
  template <class Work>
  void end(const Work& work) const {
    const CurrentDevice current(device, std::nothrow);
    work();
  }
  template <class Work>
  void on(Address stream, const Work& work) const {
    work(as_stream(stream));
  }
  template <class Use>
  void with_weights(Address weights, std::uint64_t size, const std::string& type, bool on_device,
                    const Use& use) const {
    if (on_device) return use(device_weights(weights, size, type));
    with_host_weights(weights, size, type, [&](const AnyWeights& shard) { use(shard.view()); });
  }
};

}  // namespace

void bind_gpu_sharded(nb::module_& module) {
  bind_sharded_of<ShardsOnGpu>(module, "GpuSharded")
      .def(
          "__init__",
          [](Sharded<ShardsOnGpu>* self, int device, nb::object group, unsigned rank,
             unsigned ranks, int rounds) {
            new (self)
                Sharded<ShardsOnGpu>(ShardsOnGpu{device}, std::move(group), rank, ranks, rounds, 0);
          },
          "device"_a, "group"_a, "rank"_a, "ranks"_a, "rounds"_a);
}

}  // namespace wrsgpu::python

#include "python/src/sharded.hpp"
#include "wrsgpu/sharded_sampler.hpp"

namespace wrsgpu::python {
namespace {

struct ShardsOnHost {
  using Sampler = ShardedSampler;
  class Ranks final : public PythonRanks<HostCommunicator> {
   public:
    using PythonRanks::PythonRanks;
    void all_to_all(std::span<const std::uint64_t> send, std::span<const std::uint64_t> send_counts,
                    std::span<std::uint64_t> receive,
                    std::span<const std::uint64_t> receive_counts) override {
      exchange(send, send_counts, receive, receive_counts, 0);
    }
  };

  template <class Work>
  void run(const Work& work) const {
    work();
  }
  template <class Work>
  void end(const Work& work) const {
    work();
  }
  template <class Work>
  void on(Address /*stream*/, const Work& work) const {
    work();
  }
  template <class Use>
  void with_weights(Address weights, std::uint64_t size, const std::string& type,
                    bool /*on_device*/, const Use& use) const {
    with_host_weights(weights, size, type, [&](const AnyWeights& shard) { use(shard.view()); });
  }
};

}  // namespace

void bind_sharded(nb::module_& module) {
  bind_sharded_of<ShardsOnHost>(module, "HostSharded")
      .def(
          "__init__",
          [](Sharded<ShardsOnHost>* self, nb::object group, unsigned rank, unsigned ranks,
             int rounds, unsigned threads) {
            new (self) Sharded<ShardsOnHost>(ShardsOnHost{}, std::move(group), rank, ranks, rounds,
                                             threads);
          },
          "group"_a, "rank"_a, "ranks"_a, "rounds"_a, "threads"_a);
}

}  // namespace wrsgpu::python

#include "sampling/gpu_find_items.cuh"

#include <string>

#include "sampling/gpu_monotone_kernels.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

template <class Rows>
struct FromRows {
  Rows rows;
  [[nodiscard]] __device__ Index operator()(std::uint64_t word) const {
    const RowChoice choice = choose_row(word, rows.size());
    return rows.pick(choice.row, choice.fraction);
  }
};

}  // namespace

void require_words_for(std::span<const std::uint64_t> words, std::span<const Index> out) {
  if (words.empty()) throw Error("find: argument 'words' is empty");
  if (words.size() != out.size()) {
    throw Error("find: argument 'words' has " + std::to_string(words.size()) +
                " elements, argument 'out' " + std::to_string(out.size()));
  }
}

void find_items(const DeviceTable& table, std::span<const std::uint64_t> words,
                std::span<Index> out, cudaStream_t stream) {
  require_words_for(words, out);
  table.visit([&](auto rows) {
    launch_find_words(FromRows<decltype(rows)>{rows}, words, out.data(), stream);
  });
}

}  // namespace wrsgpu

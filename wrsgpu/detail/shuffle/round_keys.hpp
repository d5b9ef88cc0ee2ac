// The round keys of a bijection.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/philox.hpp"

namespace wrsgpu::shuffle {

/// Maximum number of keys that the bijections support.
inline constexpr std::uint64_t max_keys = std::uint64_t{1} << 40;

/// Uses of keys or words; under one seed, each use has its own.
enum class KeyUse : std::uint32_t {
  variable_philox,
  linear_congruential,
  product_feistel,
  darts,
  sort
};

template <unsigned count>
struct RoundKeys {
  std::uint32_t key[count];
};

/// The round keys of one bijection of `size` numbers. Keys for another size or use are unrelated.
template <unsigned count>
[[nodiscard]] WRSGPU_HD RoundKeys<count> round_keys(std::uint64_t seed, std::uint64_t size,
                                                    KeyUse use) {
  RoundKeys<count> keys{};
  for (unsigned first = 0; first < count; first += 4) {
    const random::PhiloxBlock block =
        random::philox_block(seed, (size << 16) + first,
                             random::permutations_subsequence + static_cast<std::uint64_t>(use));
    for (unsigned i = 0; i < 4 && first + i < count; ++i) keys.key[first + i] = block.word[i];
  }
  return keys;
}

}  // namespace wrsgpu::shuffle

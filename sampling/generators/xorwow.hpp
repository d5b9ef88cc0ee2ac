// Xorwow (Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003; thesis 1.1.2,
// Algorithm 1.2).
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/seed_words.hpp"

namespace wrsgpu::random {

/// A xorshift generator of five 32-bit words whose results are added to a Weyl sequence; period
/// 2^192 - 2^32. The thesis writes the state as `unsigned long`, but the generator has 32-bit
/// words. There is no efficient jump: independent sequences use different seeds (pkpt.hpp).
class XorwowEngine {
 public:
  using result_type = std::uint32_t;  // NOLINT(readability-identifier-naming)

  /// The xorshift words are the first five words of Philox4x32-10 with the key `seed` and the
  /// counters 0 and 1, so that similar seeds give unrelated states.
  WRSGPU_HD explicit constexpr XorwowEngine(std::uint64_t seed) : XorwowEngine(hash(seed)) {}
  /// Sets the xorshift words x, y, z, w, v. All zeros, a fixed point of xorshift, are replaced by
  /// the state of Marsaglia's paper. The Weyl sequence starts as in the paper.
  WRSGPU_HD explicit constexpr XorwowEngine(const SeedWords& seed) : state_(seed) {
    std::uint32_t any = 0;
    for (const std::uint32_t word : seed.word) any |= word;
    if (any == 0) state_ = marsaglia();
  }

  /// The initial state in Marsaglia's paper and in the thesis's Algorithm 1.2.
  [[nodiscard]] WRSGPU_HD static constexpr SeedWords marsaglia() {
    return {{123456789, 362436069, 521288629, 88675123, 5783321}};
  }

  [[nodiscard]] WRSGPU_HD static constexpr result_type min() { return 0; }
  [[nodiscard]] WRSGPU_HD static constexpr result_type max() { return ~result_type{0}; }

  WRSGPU_HD constexpr result_type operator()() {
    std::uint32_t(&s)[5] = state_.word;
    const std::uint32_t t = s[0] ^ (s[0] >> 2);
    s[0] = s[1];
    s[1] = s[2];
    s[2] = s[3];
    s[3] = s[4];
    s[4] = (s[4] ^ (s[4] << 4)) ^ (t ^ (t << 1));
    weyl_ += 362437;
    return weyl_ + s[4];
  }

  /// Skips `count` results, in time proportional to `count`.
  WRSGPU_HD constexpr void discard(std::uint64_t count) {
    for (; count > 0; --count) static_cast<void>((*this)());
  }

 private:
  [[nodiscard]] WRSGPU_HD static constexpr SeedWords hash(std::uint64_t seed) {
    const PhiloxBlock first = philox_block<10>(seed, 0);
    return {{first.word[0], first.word[1], first.word[2], first.word[3],
             philox_block<10>(seed, 1).word[0]}};
  }

  SeedWords state_;
  std::uint32_t weyl_ = 6615241;
};

}  // namespace wrsgpu::random

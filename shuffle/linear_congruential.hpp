// The linear congruential generator as a bijection (Mitchell and others 2021, section 3.1).
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/bit_width.hpp"
#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/shuffle/round_keys.hpp"

namespace wrsgpu::shuffle {

/// x -> a x + c modulo 2^bits with an odd a: cheap, but not a good shuffle. It gives only 2^(2 bits
/// - 1) of the (2^bits)! permutations, and fails every test of verification/.
class LinearCongruential {
 public:
  static constexpr unsigned min_bits = 1;
  static constexpr unsigned max_bits = 41;

  /// `bits` is in [min_bits, max_bits].
  WRSGPU_HD LinearCongruential(unsigned bits, std::uint64_t seed)
      : mask_((std::uint64_t{1} << bits) - 1) {
    const auto keys = round_keys<4>(seed, mask_ + 1, KeyUse::linear_congruential);
    factor_ = ((std::uint64_t{keys.key[0]} << 32) | keys.key[1] | 1U) & mask_;
    summand_ = ((std::uint64_t{keys.key[2]} << 32) | keys.key[3]) & mask_;
    inverse_factor_ = factor_;  // the last three bits are correct; each step doubles that number
    for (int step = 0; step < 5; ++step) inverse_factor_ *= 2 - factor_ * inverse_factor_;
  }

  /// The smallest bijection of at least `size` numbers.
  [[nodiscard]] static WRSGPU_HD LinearCongruential of_at_least(std::uint64_t size,
                                                                std::uint64_t seed) {
    const auto bits = static_cast<unsigned>(bit_width(size > 0 ? size - 1 : 0));
    return LinearCongruential(bits < min_bits ? min_bits : bits, seed);
  }

  [[nodiscard]] WRSGPU_HD std::uint64_t size() const { return mask_ + 1; }
  [[nodiscard]] WRSGPU_HD std::uint64_t operator()(std::uint64_t index) const {
    return (factor_ * index + summand_) & mask_;
  }
  /// The number whose image is `image`.
  [[nodiscard]] WRSGPU_HD std::uint64_t inverse(std::uint64_t image) const {
    return ((image - summand_) * inverse_factor_) & mask_;
  }

 private:
  std::uint64_t mask_;
  std::uint64_t factor_ = 1;
  std::uint64_t summand_ = 0;
  std::uint64_t inverse_factor_ = 1;
};

}  // namespace wrsgpu::shuffle

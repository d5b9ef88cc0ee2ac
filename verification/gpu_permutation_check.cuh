// Are keys on the GPU a permutation of what they were?
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace wrsgpu::verification {

/// Writes keys of 4, 8 or 16 bytes that carry their number: i in the first 4 or 8 bytes and, of 16,
/// its complement in the others. Waits. Throws `Error` for other sizes of keys.
void number_keys(void* keys, unsigned key_bytes, std::uint64_t size);

/// Number of values in [0, size) that no key carries; a broken key carries none. The keys are a
/// permutation if it is 0. Uses size / 8 bytes of device memory. Synchronises. Throws `Error` for
/// other sizes of keys and `OutOfMemory`.
[[nodiscard]] std::uint64_t missing_numbers(const void* keys, unsigned key_bytes,
                                            std::uint64_t size);

}  // namespace wrsgpu::verification

// Checks that keys on the GPU are a permutation of the original ones.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace wrsgpu::verification {

/// Writes keys of 4, 8 or 16 bytes that contain their index: i in the first 4 or 8 bytes and, for
/// 16 bytes, its complement in the others. Synchronises. Throws `Error` for other sizes of keys.
void number_keys(void* keys, unsigned key_bytes, std::uint64_t size);

/// Number of values in [0, size) that no key contains; an invalid key contains none. The keys are a
/// permutation if it is 0. Uses size / 8 bytes of device memory. Synchronises. Throws `Error` for
/// other sizes of keys and `OutOfMemory`.
[[nodiscard]] std::uint64_t missing_numbers(const void* keys, unsigned key_bytes,
                                            std::uint64_t size);

}  // namespace wrsgpu::verification

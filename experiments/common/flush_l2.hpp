// Empties the second-level cache of the device before a run that is timed (`--cold-l2`).
#pragma once

#include <cuda_runtime_api.h>

namespace wrsgpu::experiments {

/// If `l2_is_cold`: overwrites a buffer of twice the size of the L2 on `stream` and waits for it,
/// so that nothing of earlier runs is left there. Lines of the buffer are, and have to be written
/// back.
void flush_l2_if_cold(cudaStream_t stream);

}  // namespace wrsgpu::experiments

// Environment of a run: the `context` of the recorded JSON.
#pragma once

namespace wrsgpu::experiments {

/// Adds commit, device, driver, toolkit, processor, threads, compiler and build type.
void add_context();

}  // namespace wrsgpu::experiments

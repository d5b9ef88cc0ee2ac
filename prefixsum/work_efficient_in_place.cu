#include "prefixsum/work_efficient_in_place.hpp"

#include "prefixsum/device_execution.cuh"

namespace wrsgpu::prefixsum {

template <>
DeviceRuns device_runs<WorkEfficientInPlace>() {
  return runs_of_steps<WorkEfficientInPlace>();
}

}  // namespace wrsgpu::prefixsum

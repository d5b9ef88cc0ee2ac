#include "prefixsum/work_efficient.hpp"

#include "prefixsum/device_execution.cuh"

namespace wrsgpu::prefixsum {

template <>
DeviceRuns device_runs<WorkEfficient>() {
  return runs_of_steps<WorkEfficient>();
}

}  // namespace wrsgpu::prefixsum

#include "prefixsum/basic.hpp"

#include "prefixsum/device_execution.cuh"

namespace wrsgpu::prefixsum {

template <>
DeviceRuns device_runs<Basic>() {
  return runs_of_steps<Basic>();
}

}  // namespace wrsgpu::prefixsum

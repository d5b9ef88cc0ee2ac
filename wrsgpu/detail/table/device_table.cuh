// Rows of alias tables in device memory.
#pragma once

#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/table/table.hpp"

namespace wrsgpu {

using DeviceTable = BasicTable<DeviceBuffer>;

}  // namespace wrsgpu

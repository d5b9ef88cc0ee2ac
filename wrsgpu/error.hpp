// What the library throws.
#pragma once

#include <stdexcept>
#include <string>

namespace wrsgpu {

/// Thrown for every failure a caller can cause or meet: bad weights, bad files, unknown names,
/// buffers that are too small, a missing device, a failed CUDA call. The message is one line and
/// names the argument, the place (index, line or call) and the offending value. Checks that throw
/// it stay on in every build type, and nothing has been written to the caller's buffers when a
/// check of the input fails.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The `Error` for host or device memory that is not available.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

}  // namespace wrsgpu

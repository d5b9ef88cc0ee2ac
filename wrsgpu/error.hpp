// The exceptions that the library throws.
#pragma once

#include <stdexcept>
#include <string>

namespace wrsgpu {

/// Thrown for every failure that a caller can cause or encounter: invalid weights, unreadable
/// files, unknown names, buffers that are too small, a missing device, a failed CUDA call. The
/// message is one line and names the argument, the place (index, line or call) and the offending
/// value. Checks are enabled in every build type. If a check of the arguments fails, the caller's
/// buffers are unchanged.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The `Error` thrown when host or device memory cannot be allocated.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

/// The `Error` thrown when a CUDA call or kernel fails, and when there is no usable GPU.
class CudaError : public Error {
 public:
  using Error::Error;
};

}  // namespace wrsgpu

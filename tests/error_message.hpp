// What a call refuses, in words.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "wrsgpu/error.hpp"

namespace wrsgpu {

/// The message of the `Error` that `call` throws, which must be one line, or "no error".
inline std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  return "no error";
}

}  // namespace wrsgpu

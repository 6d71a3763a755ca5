#pragma once

#include <gmock/gmock.h>

#include <string>

#include "platform/base/error.h"

namespace kb::sw::testing {

// Message of the Error that `call` must throw with this code.
template <typename Call>
std::string error_of(const Call& call, const std::string& code) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return "";
}

}  // namespace kb::sw::testing

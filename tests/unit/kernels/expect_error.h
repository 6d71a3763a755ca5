// Checks the code of program Errors and required parts of their text.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "platform/base/error.h"

namespace kb::tests {

template <typename Function>
void expect_program_error(Function&& function, const std::string& code, const std::vector<std::string>& pieces) {
  try {
    function();
    ADD_FAILURE() << "no error; expected " << code;
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::program);
    EXPECT_EQ(error.code(), code) << error.what();
    for (const std::string& piece : pieces) {
      EXPECT_NE(std::string(error.what()).find(piece), std::string::npos)
          << "'" << piece << "' not in: " << error.what();
    }
  }
}

}  // namespace kb::tests

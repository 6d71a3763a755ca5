// Runs the built programs from a command line.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/shortened.h"

namespace kb::test {

struct Outcome {
  int code = 0;  // exit code; 128 + signal when killed
  std::string out;
  std::string err;
};

// A test with its own empty folder, which is the working directory of the commands.
class CommandLineTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // `kernbench` followed by a shell command line; `prefix` goes before it (e.g. "ulimit -f 1;").
  Outcome kernbench(const std::string& arguments, const std::string& prefix = "") const;
  Outcome program(const std::string& name, const std::string& arguments, const std::string& prefix = "") const;
  nlohmann::json json(const std::string& arguments) const;  // output of a command that must succeed

  // The result in a folder of a run with --details or --record, and in it what ops.sqlite has of single PEs and blocks:
  // what `run --json --details` prints.
  nlohmann::json detailed(const std::string& name = "out") const;

  std::string write(const std::string& name, const std::string& text) const;  // returns the path
  std::string read(const std::string& name) const;
  std::vector<std::string> files() const;  // in the folder, sorted, folders included
  const std::string& folder() const { return folder_; }
  static std::string config(const std::string& name);  // path of a shipped configuration
  static std::string read_config(const std::string& name);
  // Prefix that sends `signal` (e.g. "KILL") to the program as soon as a file in the folder that matches `pattern` is
  // not empty.
  static std::string signalled_when(const std::string& signal, const std::string& pattern);

 private:
  std::string folder_;
};

// Removes the members of a result that may differ between runs.
nlohmann::json without_host(nlohmann::json result);

}  // namespace kb::test

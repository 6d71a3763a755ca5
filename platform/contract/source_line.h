// A line of a program's source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kb::contract {

// As the default argument of a function, here() is the line of the call:
//   void load(Ptr ptr, SourceLine at = SourceLine::here());
// A helper that takes a SourceLine and passes it on is charged to the lines of its callers.
class SourceLine {
 public:
  SourceLine() = default;  // no line
  static constexpr SourceLine here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return SourceLine(file, line);
  }

  const char* file() const { return file_; }  // lives as long as the program; "" without a line
  int line() const { return line_; }          // from 1; 0 without a line

 private:
  constexpr SourceLine(const char* file, int line) : file_(file), line_(line) {}

  const char* file_ = "";
  int line_ = 0;
};

// "gemm.cpp:79"; empty when `line` is 0.
std::string position_text(std::string_view file, std::int64_t line);
// A call of a kernel: "tl.dot #17 at gemm.cpp:79", or "tl.dot #17" when it has no line.
std::string call_text(std::string_view call, std::uint64_t index, const SourceLine& at);

}  // namespace kb::contract

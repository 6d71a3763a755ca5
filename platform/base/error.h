// The error families of the platform. The family tells who is at fault and decides the exit code of the process.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace kb {

enum class ErrorFamily {
  configuration,  // the user's files or command line; exit 2, no result files
  program,        // a workload or kernel; exit 1, result.json with ok: false
  model,          // a fault of kernbench; exit 3
  no_progress,    // deadlock or time limit with work outstanding; exit 4
};

class Error;
// Converts an exception of user code that is not an Error to BENCH_ERROR, or to OUT_OF_MEMORY with a remedy. The
// message begins with `where`.
Error error_of_program(const std::exception& thrown, const std::string& where);

// Process exit code of a family (0 is success).
int exit_code(ErrorFamily family);

// One problem in a user's input. Empty or zero fields are unknown.
struct Diagnostic {
  std::string file;
  int line = 0;         // 1-based
  int column = 0;       // 1-based
  std::string key;      // dotted path, e.g. "cube.links.router_link_bw_gbs"
  std::string message;  // the problem, as one sentence without a final dot
  std::string remedy;   // the correction, e.g. "did you mean 'sips'?"

  // "file:line:column: key: message (remedy)"
  std::string text() const;
};

class Error : public std::runtime_error {
 public:
  // `code` is the stable identifier in result.json's error.code, e.g. "ALLOCATION_ERROR" (H-16).
  Error(ErrorFamily family, std::string code, const std::string& message);
  // A configuration error with all problems that were found; what() has one line per diagnostic.
  explicit Error(std::vector<Diagnostic> diagnostics);

  static Error configuration(const std::string& message) {
    return {ErrorFamily::configuration, "CONFIGURATION_ERROR", message};
  }
  static Error program(std::string code, const std::string& message) {
    return {ErrorFamily::program, std::move(code), message};
  }
  static Error model(const std::string& message) { return {ErrorFamily::model, "MODEL_ERROR", message}; }

  ErrorFamily family() const { return family_; }
  const std::string& code() const { return code_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  ErrorFamily family_;
  std::string code_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace kb

// The error families of the platform and what each does to the process: who is at fault decides the exit code.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace kb {

enum class ErrorFamily {
  configuration,  // the user's files or command line; exit 2, no result files
  program,        // a workload or kernel; exit 1, result.json with ok: false
  model,          // ours; exit 3
  no_progress,    // deadlock or time limit with work outstanding; exit 4
};

class Error;
// What a user's code threw that is no Error: BENCH_ERROR, or OUT_OF_MEMORY with a remedy. `where` comes first.
Error error_of_program(const std::exception& thrown, const std::string& where);

// Process exit code of a family (0 is success).
int exit_code(ErrorFamily family);

// One finding in a user's input. Empty or zero fields are unknown.
struct Diagnostic {
  std::string file;
  int line = 0;         // 1-based
  int column = 0;       // 1-based
  std::string key;      // dotted path, e.g. "cube.links.router_link_bw_gbs"
  std::string message;  // what is wrong, in one sentence without a final dot
  std::string remedy;   // what to write instead, e.g. "did you mean 'sips'?"

  // "file:line:column: key: message (remedy)"
  std::string text() const;
};

class Error : public std::runtime_error {
 public:
  // `code` is the stable word of result.json's error.code, e.g. "ALLOCATION_ERROR" (H-16).
  Error(ErrorFamily family, std::string code, const std::string& message);
  // A configuration error with every problem found at once; what() is one line per diagnostic.
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

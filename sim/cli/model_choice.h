// Model, machine, plan and batch of `kernbench model show` and `step`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/model/model_spec.h"
#include "platform/model/report.h"
#include "sim/cli/program.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kb::cli {

// The value of --dtype; no value for an empty text. Usage error for another dtype than a model can have.
std::optional<Dtype> parse_model_dtype(const std::string& text);

struct ModelChoice {
  TopologyChoice machine;
  std::vector<std::string> plugins;
  std::string model;

  void add_options(CLI::App& app, const Program& program);
  // Usage errors are configuration Errors that name the option.
  model::ReportChoice read() const;

 private:
  std::string dtype_, phase_ = "decode", batch_ = "1";
  std::uint64_t tp_ = 1, pp_ = 1, ep_ = 1, dp_ = 1;
  std::uint64_t context_ = 0, tokens_ = 0;
  CLI::Option* own_context_ = nullptr;
  CLI::Option* own_tokens_ = nullptr;
};

}  // namespace kb::cli

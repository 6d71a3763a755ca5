// A model on the simulated machine, compared with a reference in double and, where there is one, with a golden file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/verify/checks.h"
#include "sim/study/verify/device_model.h"
#include "sim/study/verify/golden.h"

namespace kb::verify {

struct VerifyInput {
  model::ModelSpec spec;
  ModelWeights weights;
  std::string weights_name;  // for people
  std::uint64_t seed = 1;    // of the tokens
  std::int64_t tp = 1;
  Dtype dtype = Dtype::bf16;
  std::int64_t prompt = 24, decode = 16;  // tokens; those of the golden file when there is one
  std::optional<Golden> golden;

  // Faults that tests plant: another model for the machine than for the reference, and changes of the programs.
  std::optional<model::ModelSpec> device_spec = {};
  std::function<void(std::size_t step, const VerifyPlan& plan, sw::Program& program)> edit = {};
};

struct VerifyReport {
  std::string model, machine, weights;
  Dtype dtype = Dtype::bf16;
  std::int64_t tp = 1, prompt = 0, decode = 0;
  std::uint64_t seed = 1;
  std::size_t programs = 0, launches = 0;  // of one SIP
  Tokens tokens;                           // greedy choices of the machine, after the prompt and each decoded token
  std::vector<Check> checks;
  std::size_t failed() const;
};

inline constexpr std::int64_t kMostVerified = 100'000'000;  // parameters; the reference computes them in plain loops

// Configuration Error for a model that cannot be lowered, or is too large for the reference.
void require_verifiable(const model::ModelSpec& spec);

// Simulates once, in this process. Configuration Errors of sw::lower() and model::check_plan(); program Errors
// of the run.
VerifyReport verify_model(const VerifyInput& input, const topology::LoadedTopology& machine,
                          const step::Catalogs& catalogs);

std::string render_verify(const VerifyReport& report);
std::string render_verify_json(const VerifyReport& report);

}  // namespace kb::verify

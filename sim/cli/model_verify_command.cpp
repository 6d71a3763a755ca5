#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/model/parallel_plan.h"
#include "platform/model/weights.h"
#include "sim/cli/arguments.h"
#include "sim/cli/help.h"
#include "sim/cli/model_choice.h"
#include "sim/cli/model_command.h"
#include "sim/cli/shipped_models.h"
#include "sim/cli/workload_library.h"
#include "sim/study/step/step_machine.h"
#include "sim/study/verify/verification.h"

namespace kb::cli {
namespace {

class ModelVerifyCommand final : public Command {
 public:
  ModelVerifyCommand(CLI::App& app, const Program& program) {
    app.footer(kModelVerifyFooter);
    machine_.program = &program;
    app.add_option("CONFIG", model_, "config.json of a Hugging Face model, its folder, or the name of a shipped model")
        ->required();
    machine_.add_file_option(app);
    machine_.add_set_option(app);
    add_plugin_option(app, plugins_);
    app.add_option("--weights", weights_, "Tensors of FILE, a .safetensors in F32, BF16 or F16 (default: seeded ones)")
        ->type_name("FILE");
    app.add_option("--golden", golden_,
                   "JSON with outputs of the model: its tokens are fed, logits and caches compared, too")
        ->type_name("FILE");
    add_whole_option(app, "--tp", tp_, 1, static_cast<std::uint64_t>(model::kMostSips),
                     "SIPs that share each layer (default: 1)");
    app.add_option("--dtype", dtype_, "Of weights, activations and cache: bf16, f16 or f32 (default: the file's)");
    constexpr std::uint64_t kMostVerifiedTokens = 4096;
    own_prompt_ =
        add_whole_option(app, "--prompt", prompt_, 2, kMostVerifiedTokens, "Tokens of the prompt (default: 24)");
    own_decode_ =
        add_whole_option(app, "--decode", decode_, 1, kMostVerifiedTokens, "Tokens that are decoded (default: 16)");
    add_whole_option(app, "--seed", seed_, 0, UINT32_MAX, "Of tokens, and of weights without a file (default: 1)");
    app.add_flag("--json", json_, "Print as JSON");
  }

  int run() override {
    if (!golden_.empty() && own_prompt_->count() + own_decode_->count() > 0) {
      throw usage_error("--prompt and --decode: the tokens are those of --golden");
    }
    const std::optional<Dtype> dtype = parse_model_dtype(dtype_);
    const WorkloadLibrary library(plugins_);
    model::LoadedModel loaded = model::load_model(model_file(model_));
    std::vector<Diagnostic> warnings = std::move(loaded.warnings);
    verify::VerifyInput input = read_input(std::move(loaded.spec), dtype, warnings);
    print_warnings(warnings);
    const auto load = [&](const std::vector<std::pair<std::string, std::string>>& changes) {
      TopologyChoice machine = machine_;
      for (const auto& [key, value] : changes) machine.sets.push_back(fmt::format("{}={}", key, value));
      return machine.load(library.blocks().implementations());
    };
    const step::StepMachines machines = step::step_machines(load, input.tp);
    const verify::VerifyReport report =
        verify::verify_model(input, machines.all, {&library.kernels(), &library.blocks(), &library.all_reduces()});
    json_ ? print(verify::render_verify_json(report)) : print_text(verify::render_verify(report));
    return report.failed() == 0 ? 0 : exit_code(ErrorFamily::program);
  }

 private:
  verify::VerifyInput read_input(model::ModelSpec spec, std::optional<Dtype> dtype,
                                 std::vector<Diagnostic>& warnings) const {
    verify::VerifyInput input;
    input.dtype = model::chosen_dtype(spec, dtype);
    input.tp = static_cast<std::int64_t>(tp_);
    model::check_plan(spec, {input.tp, 1, 1, 1});
    verify::require_verifiable(spec);
    input.seed = seed_;
    input.prompt = static_cast<std::int64_t>(prompt_);
    input.decode = static_cast<std::int64_t>(decode_);
    if (weights_.empty()) {
      input.weights = verify::seeded_weights(spec, seed_);
      input.weights_name = fmt::format("seeded weights ({})", seed_);
    } else {
      input.weights = verify::stored_weights(spec, weights_, warnings);
      input.weights_name = weights_;
    }
    if (!golden_.empty()) input.golden = verify::read_golden(golden_, spec);
    input.spec = std::move(spec);
    return input;
  }

  TopologyChoice machine_;
  std::vector<std::string> plugins_;
  std::string model_, weights_, golden_, dtype_;
  std::uint64_t tp_ = 1, prompt_ = 24, decode_ = 16, seed_ = 1;
  CLI::Option* own_prompt_ = nullptr;
  CLI::Option* own_decode_ = nullptr;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_model_verify_command(CLI::App& app, const Program& program) {
  return std::make_unique<ModelVerifyCommand>(app, program);
}

}  // namespace kb::cli

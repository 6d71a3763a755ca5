#include "sim/cli/model_choice.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "platform/base/nearest.h"
#include "sim/cli/arguments.h"
#include "sim/cli/workload_library.h"

namespace kb::cli {
namespace {

constexpr std::uint64_t kMostTokens = 1'000'000'000;

const std::string& one_of(const std::string& option, const std::string& value, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return value;
  throw usage_error(option + " '" + value + "': " + suggest(value, known));
}

}  // namespace

std::optional<Dtype> parse_model_dtype(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return parse_dtype(one_of("--dtype", text, {"bf16", "f16", "f32"}));
}

void ModelChoice::add_options(CLI::App& app, const Program& program) {
  machine.program = &program;
  app.add_option("CONFIG", model, "config.json of a Hugging Face model, its folder, or the name of a shipped model")
      ->required();
  machine.add_file_option(app);
  machine.add_set_option(app);
  add_plugin_option(app, plugins);
  constexpr auto sips = static_cast<std::uint64_t>(model::kMostSips);
  add_whole_option(app, "--tp", tp_, 1, sips, "SIPs that share each layer (default: 1)");
  add_whole_option(app, "--pp", pp_, 1, sips, "stages of layers, one after the other (default: 1)");
  add_whole_option(app, "--ep", ep_, 1, sips, "parts into which the experts are divided, over tp x dp (default: 1)");
  add_whole_option(app, "--dp", dp_, 1, sips, "copies of the model with a batch each (default: 1)");
  app.add_option("--dtype", dtype_, "Of weights, activations and cache: bf16, f16 or f32 (default: the file's)");
  app.add_option("--phase", phase_, "decode (default) or prefill");
  app.add_option("--batch", batch_,
                 "Sequences: 8, or 4x1024,1x64 with the context (prefill: new tokens) of each (default: 1)");
  own_context_ =
      add_whole_option(app, "--context", context_, 0, kMostTokens,
                       "decode: tokens with the new one (default: 4096); prefill: cached tokens (default: 0)");
  own_tokens_ =
      add_whole_option(app, "--tokens", tokens_, 1, kMostTokens, "prefill: new tokens of a sequence (default: 512)");
}

model::ReportChoice ModelChoice::read() const {
  model::ReportChoice choice;
  const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  choice.plan = {number(tp_), number(pp_), number(ep_), number(dp_)};
  model::BatchChoice batch;
  const bool prefill = one_of("--phase", phase_, {"decode", "prefill"}) == "prefill";
  batch.phase = prefill ? model::Phase::prefill : model::Phase::decode;
  batch.sequences = batch_;
  if (prefill) batch.context = 0;
  if (own_context_->count() > 0) batch.context = number(context_);
  if (own_tokens_->count() > 0) batch.tokens = number(tokens_);
  if (!prefill && own_tokens_->count() > 0) {
    throw usage_error("--tokens is for --phase prefill; in a decode step each sequence has one new token");
  }
  if (!prefill && batch.context == 0) {
    throw usage_error("--context counts the new token of a decode step; give a whole number from 1");
  }
  choice.batch = model::make_batch(batch);
  choice.dtype = parse_model_dtype(dtype_);
  return choice;
}

}  // namespace kb::cli

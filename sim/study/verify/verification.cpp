#include "sim/study/verify/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "platform/base/error.h"
#include "platform/data/element.h"
#include "platform/model/weights.h"
#include "sw/model/require_kernels.h"

namespace kb::verify {
namespace {

// A sequence as the reference computes it.
struct ReferenceRun {
  ReferenceModel::Sequence sequence;
  std::vector<std::vector<double>> logits;  // after each token
};

void feed(const ReferenceModel& model, ReferenceRun& run, const Tokens& tokens) {
  for (const std::int64_t token : tokens) run.logits.push_back(model.append(run.sequence, token));
}

Tokens seeded_tokens(std::uint64_t seed, std::int64_t count, std::int64_t vocabulary) {
  Tokens tokens;
  for (const double value :
       data::random_uniform(seed, static_cast<std::size_t>(count), 0, static_cast<double>(vocabulary))) {
    tokens.push_back(std::min(vocabulary - 1, static_cast<std::int64_t>(value)));
  }
  return tokens;
}

class Comparison {
 public:
  Comparison(const VerifyInput& input, VerifyReport& report)
      : input_(input), report_(report), bounds_(bounds_of(input.dtype)), reference_(input.spec, input.weights) {}

  VerifyPlan plan() {
    runs_.resize(3);
    Tokens all =
        input_.golden ? input_.golden->prompt : seeded_tokens(input_.seed, input_.prompt, input_.spec.vocabulary);
    const auto prompt = static_cast<std::int64_t>(all.size());
    feed(reference_, runs_[0], all);
    const std::int64_t decode = input_.golden ? static_cast<std::int64_t>(input_.golden->tokens.size()) : input_.decode;
    for (std::int64_t i = 0; i < decode; ++i) {
      all.push_back(input_.golden ? input_.golden->tokens[static_cast<std::size_t>(i)]
                                  : largest(runs_[0].logits.back()));
      feed(reference_, runs_[0], {all.back()});
    }
    std::vector<Tokens> others;
    for (std::uint64_t i = 1; i <= 2; ++i) {
      others.push_back(seeded_tokens(input_.seed + i, i == 1 ? prompt : prompt / 2 + 1, input_.spec.vocabulary));
      feed(reference_, runs_[i], others.back());
    }
    plan_ = make_verify_plan(all, prompt, others);
    report_.prompt = plan_.prompt;
    report_.decode = plan_.decoded;
    return plan_;
  }

  void compare(const std::vector<StepOutcome>& outcomes) {
    outcomes_ = &outcomes;
    logits_of_decode();
    choices();
    caches("after the prompt", 0);
    caches("after all tokens", static_cast<std::size_t>(plan_.decoded));
    longer_prompt();
    chunks();
    mixed_batch();
    if (input_.golden) golden(*input_.golden);
  }

 private:
  const StepOutcome& outcome(std::size_t step) const { return (*outcomes_)[step]; }
  std::size_t decoded() const { return static_cast<std::size_t>(plan_.decoded); }
  // Logits of the reference after so many tokens.
  const std::vector<double>& expected(std::size_t sequence, std::int64_t tokens) const {
    return runs_[sequence].logits[static_cast<std::size_t>(tokens - 1)];
  }
  static std::string step_name(std::size_t step) {
    return step == 0 ? std::string("prompt") : fmt::format("decode {}", step);
  }

  void logits_of_decode() {
    LogitCheck prompt("logits of the prompt", "reference"), decode("logits of decode", "reference");
    prompt.add(outcome(0).logits[0], expected(0, plan_.prompt), "");
    for (std::size_t step = 1; step <= decoded(); ++step) {
      decode.add(outcome(step).logits[0], expected(0, plan_.prompt + static_cast<std::int64_t>(step)), step_name(step));
    }
    prompt.finish(bounds_, report_.checks);
    decode.finish(bounds_, report_.checks);
  }

  // Rounding may turn a choice between logits that are nearer than the bound.
  void choices() {
    Check wrong{"greedy tokens", "reference", "wrong ones", 0, 0, ""};
    Check foreign{"greedy tokens", "own logits", "wrong ones", 0, 0, ""};
    for (std::size_t step = 0; step <= decoded(); ++step) {
      const std::int64_t token = outcome(step).best[0];
      const std::vector<double>& right = expected(0, plan_.prompt + static_cast<std::int64_t>(step));
      const bool known = token >= 0 && token < input_.spec.vocabulary;
      const double lead = right[static_cast<std::size_t>(largest(right))];
      if (!known || lead - right[static_cast<std::size_t>(token)] > bounds_.logit_max) count(wrong, step);
      if (token != largest(outcome(step).logits[0])) count(foreign, step);
      report_.tokens.push_back(token);
    }
    report_.checks.push_back(std::move(wrong));
    report_.checks.push_back(std::move(foreign));
  }
  static void count(Check& check, std::size_t step) {
    if (check.figure == 0) check.where = step_name(step);
    ++check.figure;
  }

  // Keys and values of a sequence after a step, with those of the reference.
  template <typename Use>
  void for_caches(std::size_t step, std::size_t sequence, const Use& use) const {
    const std::int64_t tokens = static_cast<std::int64_t>(plan_.steps[step].batch.sequences[sequence].context());
    for (std::size_t rank = 0; rank < outcome(step).caches.size(); ++rank) {
      const HeadRange heads = kv_heads_of(input_.spec, input_.tp, static_cast<std::int64_t>(rank));
      const std::vector<LayerCache>& layers = outcome(step).caches[rank][sequence];
      for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        const LayerCache& right = runs_[sequence].sequence.layers[layer];
        const std::string where = fmt::format("layer {}", layer) + (input_.tp > 1 ? fmt::format(", SIP {}", rank) : "");
        use(layers[layer], LayerCache{heads_of(right.k, heads, tokens), heads_of(right.v, heads, tokens)}, where);
      }
    }
  }
  std::vector<double> heads_of(const std::vector<double>& cache, const HeadRange& heads, std::int64_t tokens) const {
    const std::int64_t dim = input_.spec.head_dim, stride = input_.spec.kv_heads * dim;
    std::vector<double> out;
    for (std::int64_t token = 0; token < tokens; ++token) {
      const auto begin = cache.begin() + token * stride + heads.first * dim;
      out.insert(out.end(), begin, begin + heads.count * dim);
    }
    return out;
  }

  void caches(const std::string& when, std::size_t step) {
    CacheCheck keys("keys " + when, "reference"), values("values " + when, "reference");
    for_caches(step, 0, [&](const LayerCache& found, const LayerCache& right, const std::string& where) {
      keys.add(found.k, right.k, where);
      values.add(found.v, right.v, where);
    });
    keys.finish(bounds_, report_.checks);
    values.finish(bounds_, report_.checks);
  }

  void longer_prompt() {
    LogitCheck check("prompt with one token more", "decode 1");
    check.add(outcome(plan_.longer).logits[0], outcome(1).logits[0], "");
    check.finish(bounds_, report_.checks);
  }

  void chunks() {
    LogitCheck logits("prompt in chunks", "whole prompt");
    logits.add(outcome(plan_.chunked).logits[0], outcome(0).logits[0], "");
    logits.finish(bounds_, report_.checks);
    CacheCheck cache("prompt in chunks", "whole prompt");
    for (std::size_t rank = 0; rank < outcome(0).caches.size(); ++rank) {
      const std::vector<LayerCache>&found = outcome(plan_.chunked).caches[rank][0], &whole = outcome(0).caches[rank][0];
      for (std::size_t layer = 0; layer < whole.size(); ++layer) {
        cache.add(found[layer].k, whole[layer].k, fmt::format("keys of layer {}", layer));
        cache.add(found[layer].v, whole[layer].v, fmt::format("values of layer {}", layer));
      }
    }
    cache.finish(bounds_, report_.checks);
  }

  void mixed_batch() {
    LogitCheck logits("mixed batch", "each alone");
    CacheCheck cache("mixed batch", "each alone");
    const VerifyStep& step = plan_.steps[plan_.mixed];
    for (std::size_t sequence = 0; sequence < step.tokens.size(); ++sequence) {
      const std::string name = fmt::format("sequence {}", sequence);
      logits.add(outcome(plan_.mixed).logits[sequence], expected(sequence, step.batch.sequences[sequence].context()),
                 name);
      for_caches(plan_.mixed, sequence,
                 [&](const LayerCache& found, const LayerCache& right, const std::string& where) {
                   cache.add(found.k, right.k, fmt::format("{}, keys of {}", name, where));
                   cache.add(found.v, right.v, fmt::format("{}, values of {}", name, where));
                 });
    }
    logits.finish(bounds_, report_.checks);
    cache.finish(bounds_, report_.checks);
  }

  void golden(const Golden& golden) {
    LogitCheck logits("logits", "golden file");
    logits.add(outcome(0).logits[0], golden.first, step_name(0));
    for (std::size_t step = 1; step < decoded(); ++step) {
      for (const auto& [token, logit] : golden.top[step]) {
        logits.add(outcome(step).logits[0][static_cast<std::size_t>(token)], logit, step_name(step));
      }
    }
    logits.add(outcome(decoded()).logits[0], golden.last, step_name(decoded()));
    logits.finish(bounds_, report_.checks);
    Check wrong{"greedy tokens", "golden file", "wrong ones", 0, 0, ""};
    for (std::size_t step = 0; step <= decoded(); ++step) {
      if (outcome(step).best[0] != golden.choices[step]) count(wrong, step);
    }
    report_.checks.push_back(std::move(wrong));
    CacheCheck cache("keys and values", "golden file");
    for (std::size_t layer = 0; layer < input_.spec.layers.size(); ++layer) {
      add_golden(0, layer, golden.after_prompt[layer], cache);
      add_golden(decoded(), layer, golden.after_all[layer], cache);
    }
    cache.finish(bounds_, report_.checks);
  }
  void add_golden(std::size_t step, std::size_t layer, const GoldenLayer& golden, CacheCheck& check) const {
    const std::string where = fmt::format("layer {} after {}", layer, step_name(step));
    check.add(all_heads(step, layer, &LayerCache::k), golden.k, "keys of " + where);
    check.add(all_heads(step, layer, &LayerCache::v), golden.v, "values of " + where);
  }
  // Heads of all SIPs side by side.
  std::vector<double> all_heads(std::size_t step, std::size_t layer, std::vector<double> LayerCache::*part) const {
    const std::int64_t dim = input_.spec.head_dim, tokens = plan_.steps[step].batch.sequences[0].context();
    const std::int64_t stride = input_.spec.kv_heads * dim;
    std::vector<double> out(static_cast<std::size_t>(tokens * stride));
    for (std::size_t rank = 0; rank < outcome(step).caches.size(); ++rank) {
      const HeadRange heads = kv_heads_of(input_.spec, input_.tp, static_cast<std::int64_t>(rank));
      const std::vector<double>& from = outcome(step).caches[rank][0][layer].*part;
      for (std::int64_t token = 0; token < tokens; ++token) {
        const auto begin = from.begin() + token * heads.count * dim;
        std::copy(begin, begin + heads.count * dim, out.begin() + token * stride + heads.first * dim);
      }
    }
    return out;
  }

  const VerifyInput& input_;
  VerifyReport& report_;
  Bounds bounds_;
  ReferenceModel reference_;
  VerifyPlan plan_;
  std::vector<ReferenceRun> runs_;  // by sequence
  const std::vector<StepOutcome>* outcomes_ = nullptr;
};

}  // namespace

std::size_t VerifyReport::failed() const {
  return static_cast<std::size_t>(
      std::count_if(checks.begin(), checks.end(), [](const Check& check) { return !check.passed(); }));
}

void require_verifiable(const model::ModelSpec& spec) {
  sw::require_kernels(spec);
  const std::int64_t parameters = model::parameters(spec).all;
  if (parameters <= kMostVerified) return;
  throw Error::configuration(
      fmt::format("{}: {} parameters are too many: the reference computes in plain loops; verify a model with the same "
                  "kinds of layers and at most {}, for example with fewer layers and a smaller vocabulary",
                  spec.file, parameters, kMostVerified));
}

VerifyReport verify_model(const VerifyInput& input, const topology::LoadedTopology& machine,
                          const step::Catalogs& catalogs) {
  VerifyReport report;
  report.model = input.spec.name();
  report.machine = machine.file;
  report.weights = input.weights_name;
  report.dtype = input.dtype;
  report.tp = input.tp;
  report.seed = input.seed;
  const model::ModelSpec& spec = input.device_spec ? *input.device_spec : input.spec;
  DeviceModel device{spec, input.weights, {input.tp, 1, 1, 1}, input.dtype, machine};
  model::check_plan(spec, device.plan);
  Comparison comparison(input, report);
  const VerifyPlan plan = comparison.plan();
  if (input.edit) device.edit = [&](std::size_t step, sw::Program& program) { input.edit(step, plan, program); };
  const std::vector<sw::Program> programs = lower_steps(device, plan);
  report.programs = programs.size();
  for (const sw::Program& program : programs) report.launches += program.launches.size();
  comparison.compare(run_steps(device, catalogs, plan, programs));
  return report;
}

}  // namespace kb::verify

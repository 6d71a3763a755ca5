// Tiny models with data on a small machine: right ones pass every check, and planted faults are found.
#include <gmock/gmock.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "kernels/catalog.h"
#include "sim/study/process/isolate.h"
#include "sim/study/verify/verification.h"
#include "sw/distributed/all_reduce_choice.h"
#include "tests/support/shortened.h"
#include "tests/unit/model/tiny_models.h"

namespace kb::verify {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kPrompt = 21,
                       kDecode = 6;  // rows that PEs do not share equally, and a second block of the cache

VerifyInput input_of(model::ModelSpec spec, std::int64_t tp) {
  VerifyInput input;
  input.weights = seeded_weights(spec, 3);
  input.spec = std::move(spec);
  input.tp = tp;
  input.dtype = Dtype::f32;
  input.prompt = kPrompt;
  input.decode = kDecode;
  return input;
}

// Names of the failed checks, one per line, and how many there are in all.
std::string outcome_of(const VerifyInput& input) {
  const std::pair<std::string, std::string> sips{"system.sips.count", std::to_string(input.tp)};
  const topology::LoadedTopology machine =
      topology::load(KB_CONFIG_DIR "/one_cube.yaml",
                     {sips, {"sip.cube_mesh.w", "2"}, {"sip.cube_mesh.h", "2"}, {"cube.pe_layout.pe_per_corner", "1"}});
  const kernels::KernelCatalog kernels;
  const VerifyReport report = verify_model(input, machine, {&kernels, nullptr, nullptr});
  std::string text;
  for (const Check& check : report.checks) {
    if (!check.passed()) text += check.name + " (" + check.measure + ", " + check.against + ")\n";
  }
  return text + std::to_string(report.checks.size()) + " checks";
}

model::ModelSpec scaled_llama(const std::string& factor) {
  return model::tiny_model("llama", {{"num_hidden_layers", "2"},
                                     {"num_key_value_heads", "2"},
                                     {"rope_scaling", R"({"rope_type": "llama3", "factor": )" + factor +
                                                          R"(, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                        "original_max_position_embeddings": 32})"}});
}

model::ModelSpec with_window(const std::string& keys) {
  return model::tiny_model("mistral", {{"num_hidden_layers", "2"}, {"sliding_window", keys}});
}

struct Family {
  const char* name;
  model::ModelSpec spec;
};

std::vector<Family> tiny_dense_families() {
  const model::Changes biased = {{"num_hidden_layers", "2"},
                                 {"attention_bias", "true"},
                                 {"mlp_bias", "true"},
                                 {"rope_scaling", R"({"type": "linear", "factor": 4.0})"}};
  const model::Changes yarn = {{"num_hidden_layers", "2"}, {"rope_scaling", R"({"rope_type": "yarn", "factor": 4.0,
                                                    "original_max_position_embeddings": 32})"}};
  return {{"llama3 rope", scaled_llama("8.0")},
          {"biases and linear rope", model::tiny_model("llama", biased)},
          {"biases of q, k, v and yarn", model::tiny_model("qwen2", yarn)},
          {"head norms and tied",
           model::tiny_model("qwen3", {{"num_hidden_layers", "2"}, {"tie_word_embeddings", "true"}})},
          {"window", with_window("8")}};
}

// M-120 .. M-125
class VerifyFamilies : public testing::TestWithParam<std::int64_t> {};

TEST_P(VerifyFamilies, PassEveryCheck) {
  if (GetParam() != 1) {
    KB_SKIP_UNDER_SANITIZERS();
  }
  const std::vector<Family> families = tiny_dense_families();
  std::vector<std::function<std::string()>> jobs;
  for (const Family& family : families) {
    jobs.push_back([&family] { return outcome_of(input_of(family.spec, GetParam())); });
  }
  const std::vector<std::string> outcomes = sim::run_isolated(jobs);
  for (std::size_t i = 0; i < families.size(); ++i) EXPECT_EQ(outcomes[i], "18 checks") << families[i].name;
}

// The tiny llama has two K/V heads, so that with four SIPs each lies on two.
INSTANTIATE_TEST_SUITE_P(Sips, VerifyFamilies, testing::Values(1, 2, 4));

// Changes the numbers of a tensor that the host writes.
void change(sw::Program& program, const std::string& name, const std::function<void(std::vector<double>&)>& change) {
  const auto found = std::find_if(program.tensors.begin(), program.tensors.end(),
                                  [&name](const sw::ProgramTensor& one) { return one.name == name; });
  ASSERT_NE(found, program.tensors.end()) << name;
  change(found->numbers);
}
void add_one(std::vector<double>& numbers) {
  for (double& number : numbers) ++number;
}
bool is_decode(std::size_t step, const VerifyPlan& plan) {
  return step >= 1 && step <= static_cast<std::size_t>(plan.decoded);
}

struct Fault {
  const char* name;
  std::function<void(VerifyInput&)> plant;
  testing::Matcher<std::string> found;  // the failed checks
};

// Kernels leave out rows with this slot.
constexpr double kNoSlot = -1;

std::vector<Fault> faults() {
  const auto edited = [](auto edit) { return [edit](VerifyInput& input) { input.edit = edit; }; };
  return {
      {"decode one position too far", edited([](std::size_t step, const VerifyPlan& plan, sw::Program& program) {
         if (is_decode(step, plan)) change(program, "positions", add_one);
       }),
       AllOf(HasSubstr("logits of decode (largest difference"), Not(HasSubstr("logits of the prompt")))},
      {"every position one too high",  // relative positions stay, so that no logit shows it
       edited([](std::size_t, const VerifyPlan&, sw::Program& program) { change(program, "positions", add_one); }),
       AllOf(HasSubstr("keys after the prompt"), HasSubstr("keys after all tokens"), Not(HasSubstr("logits")))},
      {"another factor of llama3", [](VerifyInput& input) { input.device_spec = scaled_llama("4.0"); },
       AllOf(HasSubstr("logits of the prompt"), HasSubstr("keys after the prompt"))},
      {"a block that is lost", edited([](std::size_t step, const VerifyPlan&, sw::Program& program) {
         if (step != 0) return;
         change(program, "slots", [](std::vector<double>& slots) { std::fill_n(slots.begin(), 16, kNoSlot); });
       }),
       AllOf(HasSubstr("logits of decode"), HasSubstr("keys after the prompt"), HasSubstr("values after the prompt"))},
      {"a token whose keys are not stored", edited([](std::size_t step, const VerifyPlan&, sw::Program& program) {
         if (step == 2) change(program, "slots", [](std::vector<double>& slots) { slots = {kNoSlot}; });
       }),
       AllOf(HasSubstr("logits of decode"), HasSubstr("keys after all tokens"), Not(HasSubstr("after the prompt")))},
      {"a window of one key more",
       [](VerifyInput& input) {
         input.spec = with_window("8");
         input.weights = seeded_weights(input.spec, 3);
         input.device_spec = with_window("9");
       },
       AllOf(HasSubstr("logits of the prompt"), HasSubstr("logits of decode"),
             Not(HasSubstr("greedy tokens (wrong ones, own")))},
      {"rows of two sequences that are exchanged",
       edited([](std::size_t step, const VerifyPlan& plan, sw::Program& program) {
         if (step != plan.mixed) return;
         change(program, "slots", [](std::vector<double>& slots) { std::swap(slots.front(), slots.back()); });
       }),
       AllOf(HasSubstr("mixed batch (largest difference"), HasSubstr("mixed batch (relative rms"),
             Not(HasSubstr("logits of")))},
      {"a chunk that does not see the one before",
       edited([](std::size_t step, const VerifyPlan& plan, sw::Program& program) {
         if (step == plan.chunked) change(program, "table", [](std::vector<double>& table) { table[0] = 15; });
       }),
       AllOf(HasSubstr("prompt in chunks (largest difference"), Not(HasSubstr("logits of")))},
  };
}

// M-124
TEST(VerifyFaults, EachFailsTheChecksThatShowIt) {
  KB_SKIP_UNDER_SANITIZERS();
  const std::vector<Fault> planted = faults();
  std::vector<std::function<std::string()>> jobs;
  for (const Fault& fault : planted) {
    jobs.push_back([&fault] {
      VerifyInput input = input_of(scaled_llama("8.0"), 1);
      fault.plant(input);
      return outcome_of(input);
    });
  }
  const std::vector<std::string> outcomes = sim::run_isolated(jobs);
  for (std::size_t i = 0; i < planted.size(); ++i) EXPECT_THAT(outcomes[i], planted[i].found) << planted[i].name;
}

// M-124
TEST(VerifyFaults, BiasesThatAreLeftOutAreFound) {
  KB_SKIP_UNDER_SANITIZERS();
  const model::ModelSpec biased =
      model::tiny_model("llama", {{"num_hidden_layers", "2"}, {"attention_bias", "true"}, {"mlp_bias", "true"}});
  const auto without = [&biased](const std::string& launch, const std::string& argument) {
    return [&biased, launch, argument] {
      VerifyInput input = input_of(biased, 2);
      input.edit = [&](std::size_t, const VerifyPlan&, sw::Program& program) {
        for (sw::ProgramLaunch& one : program.launches) {
          if (one.name != launch) continue;
          const auto left_out = [&argument](const sw::ProgramArg& arg) { return arg.name == argument; };
          one.args.erase(std::remove_if(one.args.begin(), one.args.end(), left_out), one.args.end());
        }
      };
      return outcome_of(input);
    };
  };
  for (const std::string& outcome : sim::run_isolated({without("o", "bias"), without("up", "bias")})) {
    EXPECT_THAT(outcome, HasSubstr("logits of the prompt"));
  }
}

}  // namespace
}  // namespace kb::verify

// The library of SystemC refers to it. Simulations run in processes of their own, which set its resolution.
int sc_main(int, char**) {
  return 0;
}

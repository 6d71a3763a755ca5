// A step as launches (M-91, M-92).
#include "sw/model/lowering.h"

#include <gmock/gmock.h>

#include <set>

#include "platform/base/error.h"
#include "platform/topology/topology.h"
#include "tests/unit/step/small_step.h"

namespace kb::step {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names(const sw::Program& program, std::int64_t layer) {
  std::vector<std::string> names;
  for (const sw::ProgramLaunch& launch : program.launches) {
    if (launch.layer == layer) names.push_back(launch.name);
  }
  return names;
}

const sw::ProgramArg* find(const sw::ProgramLaunch& launch, const std::string& name) {
  for (const sw::ProgramArg& arg : launch.args) {
    if (arg.name == name) return &arg;
  }
  return nullptr;
}

TEST(Lowering, OneKernelDoesSeveralOperations_M91) {
  const SmallStep step("llama", "decode", 1);
  EXPECT_THAT(names(step.program, 0), ElementsAre("qkv", "rope_append", "attend", "o", "gate_up", "down"));
  EXPECT_THAT(names(step.program, -1), ElementsAre("embed", "head", "argmax"));
}

TEST(Lowering, SipsThatShareTheModelAddUpTheirParts_M91) {
  const SmallStep step("llama", "decode", 2);
  EXPECT_THAT(names(step.program, 1), ElementsAre("qkv", "rope_append", "attend", "o", "attention.all_reduce",
                                                  "gate_up", "down", "mlp.all_reduce"));
}

TEST(Lowering, EveryOperationOfTheGraphIsDoneOnce_M91) {
  for (const char* const family : {"llama", "mistral", "qwen2", "qwen3"}) {
    const SmallStep step(family, "prefill", 2);
    std::multiset<std::size_t> done;
    for (const sw::ProgramLaunch& launch : step.program.launches) done.insert(launch.ops.begin(), launch.ops.end());
    for (std::size_t op = 0; op < step.graph.ops.size(); ++op) {
      const bool by_the_host = step.graph.ops[op].kind == model::OpKind::all_gather;
      EXPECT_EQ(done.count(op), by_the_host ? 0U : 1U) << family << " " << step.graph.ops[op].name;
    }
  }
}

TEST(Lowering, ChunksAndSequencesWithOneNewTokenTakeTheirOwnKernels_M91) {
  const SmallStep step("llama", "prefill", 1, "1x5,2x1");
  EXPECT_THAT(names(step.program, 0),
              ElementsAre("qkv", "rope_append", "attend", "attend_chunks", "o", "gate_up", "down"));
}

TEST(Lowering, AHeadOfFewRowsReadsTheLastTokens_M91) {
  const SmallStep prefill("llama", "prefill", 1, "2x5"), decode("llama", "decode", 1, "2x5");
  const auto head = [](const SmallStep& step) -> const sw::ProgramLaunch& {
    return step.program.launches[step.program.launches.size() - 2];
  };
  const sw::ProgramArg* const rows = find(head(prefill), "rows");
  ASSERT_NE(rows, nullptr);
  EXPECT_THAT(prefill.program.tensors[std::get<sw::TensorRef>(rows->value).index].numbers, ElementsAre(4, 9));
  EXPECT_EQ(find(head(decode), "rows"), nullptr);
}

// M-92: what is needed at one time shares no byte.
TEST(Lowering, TensorsThatAreNeededTogetherLieApart) {
  for (const char* phase : {"decode", "prefill"}) {
    const SmallStep step("qwen3", phase, 2);
    const auto& tensors = step.program.tensors;
    std::vector<std::pair<std::size_t, std::size_t>> uses(tensors.size(), {step.program.launches.size(), 0});
    for (std::size_t at = 0; at < step.program.launches.size(); ++at) {
      for (const sw::ProgramArg& arg : step.program.launches[at].args) {
        if (const auto* ref = std::get_if<sw::TensorRef>(&arg.value)) {
          uses[ref->index] = {std::min(uses[ref->index].first, at), std::max(uses[ref->index].second, at)};
        }
      }
    }
    for (std::size_t a = 0; a < tensors.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const bool together = tensors[a].stays || tensors[b].stays ||
                              (uses[a].first <= uses[b].second && uses[b].first <= uses[a].second);
        const bool apart = tensors[a].offset + tensors[a].part <= tensors[b].offset ||
                           tensors[b].offset + tensors[b].part <= tensors[a].offset;
        EXPECT_TRUE(!together || apart) << tensors[a].name << " " << tensors[b].name;
      }
    }
  }
}

TEST(Lowering, WhatNoKernelDoesIsNamed_M94) {
  const auto problem = [](const std::string& family) {
    try {
      SmallStep(family, "decode", 1);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(problem("mixtral"), HasSubstr("a model with experts cannot be simulated yet"));
  EXPECT_THAT(problem("deepseek_v3"), HasSubstr("latent attention cannot be simulated yet"));
}

}  // namespace
}  // namespace kb::step

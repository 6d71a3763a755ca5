// A PE for composites: a scripted requester replaces PE_CPU; PE_SCHEDULER and the engines are real.
#pragma once

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/block/pe/pe_machine.h"

namespace kb::test {

inline const std::string kPe = "sip0.cube0.pe0.";

inline MachineOptions pipeline(std::vector<std::pair<std::string, std::string>> set = {}) {
  MachineOptions options;
  options.requesters = {topology::NodeKind::pe_cpu};
  options.scripted_memory = true;
  options.set = std::move(set);
  return options;
}

inline Request submit(TimeFs at, contract::Command command) {
  return {at, topology::NodeKind::pe_scheduler, std::move(command), {}, {}};
}

// Stages counted by the blocks, by stage type.
inline std::array<std::int64_t, plan::kStageTypes> stages(const PeMachine& machine) {
  const auto count = [&](const char* block, const char* name) {
    const auto statistics = machine.statistics(kPe + block);
    const auto found = statistics.find(name);
    return found == statistics.end() ? 0 : found->second;
  };
  return {count("pe_dma", "read_commands"), count("pe_fetch_store", "fetches"), count("pe_gemm", "commands"),
          count("pe_math", "commands"),     count("pe_fetch_store", "stores"),  count("pe_dma", "write_commands")};
}

inline void expect_stages(const PeMachine& machine, const plan::StageCounts& counts) {
  const auto found = stages(machine);
  for (std::size_t type = 0; type < plan::kStageTypes; ++type) {
    EXPECT_EQ(found[type], static_cast<std::int64_t>(counts.stages[type]))
        << plan::stage_type_name(static_cast<plan::StageType>(type));
  }
  EXPECT_EQ(machine.statistics(kPe + "pe_scheduler").at("tiles"), static_cast<std::int64_t>(counts.tiles));
}

// `room`: bytes of the tile buffers, for commands that keep A in them.
inline plan::StageCounts planned(const contract::Command& command, const TileShape& shape = {},
                                 std::optional<std::uint64_t> room = std::nullopt) {
  plan::GemmProblem problem;
  problem.m = command.m;
  problem.k = command.k;
  problem.n = command.n;
  problem.a_pinned = command.pinned[0];
  problem.b_pinned = command.pinned[1];
  problem.out_pinned = command.out_pinned;
  problem.reuse_buffer_bytes = room;
  for (const Epilogue& epilogue : command.epilogues) problem.epilogues.push_back(plan::epilogue_step(epilogue));
  return plan::gemm_plan(problem, shape).counts();
}

// Key of a block's attribute in the PE template.
inline std::string attribute(const std::string& block, const std::string& name) {
  return "cube.pe_template.components." + block + ".attrs." + name;
}

inline const Epilogue kReluPerTile{EpilogueOp::relu, EpilogueScope::k_tile, {}};
inline const Epilogue kRelu{EpilogueOp::relu, EpilogueScope::output_tile, {}};

}  // namespace kb::test

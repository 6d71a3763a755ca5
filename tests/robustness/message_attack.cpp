// Random message kernels against the mailbox oracle, one process each.
#include <algorithm>

#include "tests/robustness/message_program.h"
#include "tests/robustness/session.h"

namespace kb::robustness {
namespace {

struct MessageMachine {
  std::size_t pes, width;
  const char* topology;
  const char* corners;
  int per_corner, cubes;
};

const std::vector<MessageMachine> kMachines = {
    {2, 2, "ring_1d", "[NW]", 2, 1},     {2, 2, "ring_1d", "[NW]", 1, 2},
    {4, 4, "ring_1d", "[NW, SE]", 2, 1}, {4, 2, "torus_2d", "[NW, SE]", 2, 1},
    {4, 4, "ring_1d", "[NW, SE]", 1, 2}, {8, 8, "ring_1d", "[NW, NE, SW, SE]", 2, 1},
    {8, 4, "torus_2d", "[NW, NE]", 2, 2}};

std::string machine_of(const MessageMachine& machine) {
  return "system: { sips: { count: 1 } }\nsip: { cube_mesh: { w: " + std::to_string(machine.cubes) +
         ", h: 1 } }\ncube: { pe_layout: { corners: " + machine.corners +
         ", pe_per_corner: " + std::to_string(machine.per_corner) + " } }\n";
}

std::string queues_of(const MessageMachine& machine, const MessageProgram& program, Random& random) {
  const std::vector<std::string> memories = {"tcm", "sram", "hbm"}, transports = {"annotated", "fabric"};
  const std::vector<std::string> waits = {"sleep", "poll"};
  const bool grid = machine.width < machine.pes;
  std::string text = std::string("defaults: { algorithm: a }\nalgorithms:\n  a:\n    module: ") +
                     (grid ? "mesh_allreduce" : "ring_allreduce") +
                     "\n    wiring: flat\n    topology: " + machine.topology + "\n";
  if (grid) {
    text +=
        "    w: " + std::to_string(machine.width) + "\n    h: " + std::to_string(machine.pes / machine.width) + "\n";
  }
  text += "    n_slots: " + std::to_string(program.n_slots) +
          "\n    slot_size: " + std::to_string(4 * program.slot_elements) + "\n";
  text += "    buffer_kind: " + random.pick(memories) + "\n    credit: " + random.pick(transports) + "\n";
  text += "    slot_access: " + random.pick(transports) + "\n    backpressure: " + random.pick(waits) + "\n";
  return text;
}

std::string sizes_of(const MessageProgram& program) {
  std::string text;
  for (const auto& ops : program.pes) {
    for (const MessageOp& op : ops) {
      if (op.kind == 's') text += (text.empty() ? "" : " ") + std::to_string(op.size);
    }
  }
  return text.empty() ? "0" : text;
}

std::string name_of(std::size_t rank, const MessageMachine& machine) {
  const std::size_t per_cube = machine.pes / static_cast<std::size_t>(machine.cubes);
  return "sip0.cube" + std::to_string(rank / per_cube) + ".pe" + std::to_string(rank % per_cube);
}

AttackCase case_of(const MessageMachine& machine, const MessageProgram& program, const MailboxEnd& end, Random& random,
                   const std::string& plugin) {
  std::size_t room = 1;
  for (const auto& ops : program.pes) room = std::max(room, ops.size());
  AttackCase attack;
  attack.files["m.yaml"] = machine_of(machine);
  attack.files["ccl.yaml"] = queues_of(machine, program, random);
  attack.args = {"run",           "--topology", "m.yaml", "--plugin", plugin, "--bench", "message-program",
                 "--verify-data", "--quiet",    "--out",  "o"};
  const std::vector<std::pair<std::string, std::string>> values = {{"program", text_of(program)},
                                                                   {"expected", text_of(end.received)},
                                                                   {"sizes", sizes_of(program)},
                                                                   {"room", std::to_string(room)},
                                                                   {"slot", std::to_string(program.slot_elements)}};
  for (const auto& [name, value] : values) attack.args.insert(attack.args.end(), {"--set", name + "=" + value});
  return attack;
}

}  // namespace

void attack_messages(const Session& session, std::uint64_t count) {
  if (session.setup.plugin.empty()) return session.report->skip("messages", "the plug-in was not built");
  session.for_each("messages", count, [&](std::uint64_t index, const std::string& folder) {
    Random random = Random::of_case(session.seed, "messages", index);
    const MessageMachine& machine = random.pick(kMachines);
    MessageProgram program = matched_program(machine.pes, machine.width, random.between(1, 24), random);
    for (std::size_t n = index % 2 == 0 ? 0 : random.between(1, 2); n > 0; --n) spoil(program, random);
    const MailboxEnd end = mailbox_oracle(program);
    AttackCase attack = case_of(machine, program, end, random, session.setup.plugin);
    const Trial trial = [&] {
      switch (end.kind) {
        case MailboxEnd::Kind::complete:
          attack.codes = {0};
          break;
        case MailboxEnd::Kind::stuck:
          attack.codes = {4};
          for (const std::size_t pe : end.pes) attack.says.push_back(name_of(pe, machine));
          break;
        case MailboxEnd::Kind::refused:
          attack.codes = {1};
          attack.says = {"QUEUE_ERROR"};
      }
      return carry_out(session.setup, attack, folder);
    }();
    std::vector<Verdict> verdicts = judge(attack, trial, session.setup);
    const auto named = [&](std::size_t pe) { return trial.err.find(name_of(pe, machine)) != std::string::npos; };
    if (end.kind == MailboxEnd::Kind::refused && std::none_of(end.pes.begin(), end.pes.end(), named)) {
      verdicts.push_back({"messages", "the message names no PE that made the wrong call"});
    }
    session.report->add(session.id("messages", index), attack, trial, verdicts);
  });
}

}  // namespace kb::robustness

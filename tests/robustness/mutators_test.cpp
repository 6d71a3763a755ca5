// Cases depend on the seed alone, survive their text form, and stay in their folder.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/robustness/attack_case.h"
#include "tests/robustness/byte_mutator.h"
#include "tests/robustness/csv_mutator.h"
#include "tests/robustness/generated_input.h"
#include "tests/robustness/input_attack.h"
#include "tests/robustness/message_program.h"
#include "tests/robustness/option_mutator.h"
#include "tests/robustness/values.h"

namespace kb::robustness {
namespace {

Seeds few_seeds() {
  Seeds seeds;
  seeds.small_machines = seeds.large_machines = {parse_tree(small_machine())};
  seeds.machine_words.add(seeds.small_machines[0]);
  seeds.keys = {"system.sips.count", "cube.pe_layout.pe_per_corner"};
  seeds.ccl = parse_tree("defaults: { n_slots: 4 }\nalgorithms: { ring: { module: ring_allreduce } }\n");
  seeds.ccl_words.add(seeds.ccl);
  seeds.workloads = {{"copy", {{"bytes", "int", "65536", "COPY_BYTES", {}}}}};
  seeds.models = {"{\n  \"model_type\": \"llama\",\n  \"hidden_size\": 64\n}\n"};
  seeds.mesh = "routers: [{ id: r0c0 }]\n";
  return seeds;
}

TEST(InputCases, EqualSeedsGiveEqualCases) {
  const Seeds seeds = few_seeds();
  bool differ = false;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const AttackCase a = input_case(seeds, 7, i), b = input_case(seeds, 7, i), other = input_case(seeds, 8, i);
    EXPECT_EQ(a.args, b.args);
    EXPECT_EQ(a.files, b.files);
    differ = differ || a.args != other.args;
  }
  EXPECT_TRUE(differ);
}

TEST(InputCases, NoOptionNamesAPlaceOutsideTheFolder) {
  const Seeds seeds = few_seeds();
  for (std::uint64_t i = 0; i < 3000; ++i) {
    for (const std::string& arg : input_case(seeds, 3, i).args) {
      const bool readable = arg.rfind("/dev/", 0) == 0 || arg.rfind("/proc/self/", 0) == 0;
      EXPECT_TRUE(arg.empty() || arg[0] != '/' || readable) << arg;
      EXPECT_EQ(arg.find("=/"), arg.rfind("--", 0) == 0 ? std::string::npos : arg.find("=/")) << arg;
      EXPECT_EQ(arg.find("../"), std::string::npos) << arg;
    }
  }
}

TEST(AttackCase, SurvivesItsTextForm) {
  AttackCase attack;
  attack.args = {"run", "", "a b", "it's", "\x1b[0m\n", "$x", "\xff", "--set", "a=b"};
  attack.files["sub/m.yaml"] = "x: 1\n";
  attack.links["l"] = "m.yaml";
  attack.generated = {"big.yaml alias_bomb 3"};
  attack.environment["NAME"] = "v w";
  attack.stdout_to = "/dev/full";
  attack.codes = {0, 2};
  attack.says = {"some text"};
  std::string folder = (std::filesystem::temp_directory_path() / "kb_case_XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  write_case(folder, attack);
  const AttackCase read = read_case(folder);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(read.args, attack.args);
  EXPECT_EQ(read.files, attack.files);
  EXPECT_EQ(read.links, attack.links);
  EXPECT_EQ(read.generated, attack.generated);
  EXPECT_EQ(read.environment, attack.environment);
  EXPECT_EQ(read.stdout_to, attack.stdout_to);
  EXPECT_EQ(read.codes, attack.codes);
  EXPECT_EQ(read.says, attack.says);
}

TEST(Trees, AreWrittenAsTheyAreRead) {
  const std::string text = "a: 1\nb:\n  c: [1, {d: x}]\n  e: \"1\"\n";
  const Tree tree = parse_tree(text);
  for (const std::string& written : {write_yaml(tree, true), write_yaml(tree, false), write_json(tree)}) {
    EXPECT_EQ(write_yaml(parse_tree(written), true), write_yaml(tree, true)) << written;
  }
}

TEST(Trees, OverlaysReplaceKeyByKey) {
  Tree tree = parse_tree("a: { b: 1, c: 2 }\n");
  overlay(tree, parse_tree("a: { c: 3, d: 4 }\n"));
  EXPECT_EQ(write_yaml(tree, true), "{a: {b: 1, c: 3, d: 4}}\n");
}

TEST(GeneratedInput, KnowsItsKinds) {
  EXPECT_EQ(generated_input("f.yaml nested_lists 2").text, "system: [[]]\n");
  EXPECT_EQ(generated_input("f.yaml nested_lists 2").file, "f.yaml");
  EXPECT_THROW(generated_input("f.yaml nothing 2"), std::runtime_error);
}

MessageProgram two_pes(std::vector<MessageOp> first, std::vector<MessageOp> second) {
  Random random(1);
  MessageProgram program = matched_program(2, 2, 0, random);
  program.n_slots = 1;
  program.slot_elements = 8;
  program.pes = {std::move(first), std::move(second)};
  return program;
}

TEST(MailboxOracle, TellsTheThreeEnds) {
  const MailboxEnd good = mailbox_oracle(two_pes({{'s', "E", 4}, {'s', "E", 5}}, {{'r', "W", 4}, {'a', "W", 5}}));
  EXPECT_EQ(good.kind, MailboxEnd::Kind::complete);
  EXPECT_EQ(good.received[1], (std::vector<int>{1, 2}));
  const MailboxEnd stuck = mailbox_oracle(two_pes({{'s', "E", 4}, {'s', "E", 5}}, {}));
  EXPECT_EQ(stuck.kind, MailboxEnd::Kind::stuck);
  EXPECT_EQ(stuck.pes, std::vector<std::size_t>{0});
  // A receive of more than a slot waits as any other: what is wrong shows when a message comes.
  EXPECT_EQ(mailbox_oracle(two_pes({}, {{'r', "W", 9}})).kind, MailboxEnd::Kind::stuck);
  for (const MessageOp& wrong : {MessageOp{'r', "W", 3}, MessageOp{'r', "north", 4}, MessageOp{'s', "W", 9}}) {
    const MailboxEnd refused = mailbox_oracle(two_pes({{'s', "E", 4}}, {wrong}));
    EXPECT_EQ(refused.kind, MailboxEnd::Kind::refused);
    EXPECT_EQ(refused.pes, std::vector<std::size_t>{1});
  }
}

TEST(MailboxOracle, MatchedProgramsComplete) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    Random random(i);
    EXPECT_EQ(mailbox_oracle(matched_program(4, 2, 20, random)).kind, MailboxEnd::Kind::complete) << i;
  }
}

}  // namespace
}  // namespace kb::robustness

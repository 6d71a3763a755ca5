// Tensors in every memory: workloads, address models, bad input, traffic and probes (decision 0032).
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

const std::string kModel = " --set cube.memory_map.address_model=";

class MemoryTest : public CommandLineTest {
 protected:
  Outcome attempt(const std::string& machine, const std::string& options) const {
    return kernbench("run --quiet --topology '" + config(machine) + "' --details --out out --verify-data --bench " +
                     options);
  }
  Json run(const std::string& machine, const std::string& options) const {
    const Outcome outcome = attempt(machine, options);
    EXPECT_EQ(outcome.code, 0) << options << "\n" << outcome.err;
    return detailed();
  }
  static double longest(const Json& result) {
    double most = 0;
    for (const Json& launch : result["launches"]) {
      for (const Json& pe : launch["per_pe"]) most = std::max(most, pe["exec_ns"].get<double>());
    }
    return most;
  }
  static double sum(const Json& result, const std::string& block, const std::string& name) {
    double total = 0;
    for (const auto& [id, statistics] : result["blocks"].items()) {
      if (id.size() < block.size() || id.compare(id.size() - block.size(), block.size(), block) != 0) continue;
      if (statistics.contains(name)) total += statistics[name]["value"].get<double>();
    }
    return total;
  }
};

// The same workloads verified with operands in each memory and mixed, under each address model; the times of the
// kernels do not depend on the model.
TEST_F(MemoryTest, WorkloadsAreRightInEveryMemoryUnderEveryModel) {
  KB_SKIP_UNDER_SANITIZERS();
  const std::pair<const char*, const char*> programs[] = {
      {"one_cube", "gemm-multi-pe --set rows_per_pe=4 --set k=64 --set n=64"},
      {"one_cube", "gemm-multi-pe --set rows_per_pe=4 --set k=64 --set n=64 --set b_copies=cube"},
      {"one_pe", "gemm-single-pe --set m=64 --set k=96 --set n=32"},
      {"one_sip", "vector-add --set elements_per_pe=300"},
  };
  for (const auto& [machine, workload] : programs) {
    for (const char* memory : {"hbm", "sram", "tcm", "tcm,sram,hbm", "hbm,tcm,sram", "sram,hbm,tcm"}) {
      double time = 0;
      for (const char* model : {"pa", "va", "la"}) {
        const std::string text = std::string(workload) + " --set memory=" + memory + kModel + model;
        const Json result = run(machine, text);
        EXPECT_EQ(result["ok"], true) << text;
        EXPECT_GE(result["verification"].size(), 1u) << text;
        if (time == 0) time = longest(result);
        EXPECT_DOUBLE_EQ(longest(result), time) << text;
        EXPECT_GT(time, 0) << text;
      }
    }
  }
}

// Composites and attention, also with what needs more room than the TCM has in another memory.
TEST_F(MemoryTest, CompositesAndAttentionAreRightInEveryMemoryUnderEveryModel) {
  KB_SKIP_UNDER_SANITIZERS();
  const std::string gemm = "matmul-composite --set m=70 --set k=130 --set n=45";
  const std::string attention = "flash-attention --set context=200 --set head_dim=32 --set queries=20 --set keys=64 ";
  struct Program {
    std::string machine, workload;
    std::vector<std::string> memories;
  };
  const std::vector<std::string> three{"hbm", "sram", "tcm", "tcm,sram,hbm", "hbm,tcm,sram", "sram,hbm,tcm"};
  const std::vector<std::string> four{
      "hbm", "sram", "tcm", "tcm,sram,hbm,sram", "sram,tcm,sram,hbm", "hbm,hbm,tcm,tcm"};
  const Program programs[] = {
      {"one_pe", gemm, three},
      {"one_pe", gemm + " --set variant=load_ref --set epilogue=bias,relu", three},
      {"one_pe", attention, four},
      {"one_cube", attention + "--set pes=all --set mask=causal", four},
  };
  for (const auto& [machine, workload, memories] : programs) {
    for (const std::string& memory : memories) {
      double time = 0;
      for (const char* model : {"pa", "va", "la"}) {
        const std::string text = workload + " --set memory=" + memory + kModel + model;
        const Json result = run(machine, text);
        EXPECT_EQ(result["ok"], true) << text;
        EXPECT_EQ(result["verification"].size(), 1u) << text;
        if (time == 0) time = longest(result);
        EXPECT_DOUBLE_EQ(longest(result), time) << text;
        EXPECT_GT(time, 0) << text;
      }
    }
  }
}

TEST_F(MemoryTest, RandomCompositesAreRight) {
  for (const char* model : {"pa", "va", "la"}) {
    for (const char* seed : {"1", "2"}) {
      const Json result =
          run("one_cube", "random-composites --set cases=40 --plugin '" KB_RANDOM_TENSORS_PLUGIN "' --seed " +
                              std::string(seed) + kModel + model);
      EXPECT_EQ(result["ok"], true) << result["error"] << result["verification"];
      EXPECT_EQ(result["verification"].size(), 40u);
    }
  }
}

// No byte of it goes to the HBM.
TEST_F(MemoryTest, TheBytesGoWhereTheTensorsLie) {
  const std::string gemm = "gemm-multi-pe --set rows_per_pe=4 --set k=64 --set n=64 --set memory=";
  const Json sram = run("one_cube", gemm + "sram");
  EXPECT_GT(sum(sram, ".sram", "reads"), 0);
  EXPECT_GT(sum(sram, ".sram", "writes"), 0);
  const Json tcm = run("one_cube", gemm + "tcm");
  EXPECT_EQ(sum(tcm, ".sram", "reads"), 0);
  EXPECT_GT(sum(tcm, ".pe_dma", "tcm_copied_bytes"), 0);
  EXPECT_EQ(sum(tcm, ".pe_dma", "tcm_reads"), 8);  // C, by the host
  const Json remote = run("one_cube", gemm + "tcm --set b_copies=cube");
  EXPECT_GT(sum(remote, ".pe_dma", "tcm_reads"), 8);
}

// The acceptance: the weights of an MLP in SRAM by one argument.
TEST_F(MemoryTest, TheWeightsOfAnMlpLieInSramByOneArgument) {
  const std::string mlp = "mlp --set tokens=64 --set hidden=64 --set inner=128 --set weights=";
  for (const char* memory : {"hbm", "sram", "tcm"}) {
    const Json result = run("one_cube", mlp + memory);
    EXPECT_EQ(result["ok"], true);
    EXPECT_EQ(sum(result, ".sram", "reads") > 0, std::string(memory) == "sram");
  }
  const std::string layers = "tp-mlp --set tokens=4 --set width=64 --set inner=128 --set weights=";
  for (const char* memory : {"sram", "tcm"}) EXPECT_EQ(run("reference", layers + memory)["ok"], true);
  const std::string block =
      "tp-transformer-block --set tokens=4 --set width=64 --set heads=4 --set head_dim=16 "
      "--set inner=64 --set weights=sram";
  EXPECT_EQ(run("reference", block)["ok"], true);
}

TEST_F(MemoryTest, RandomTensorsComeThrough) {
  for (const char* model : {"pa", "va", "la"}) {
    for (const char* machine : {"one_cube", "one_sip"}) {
      for (const char* seed : {"1", "2"}) {
        const Json result =
            run(machine, "random-tensors --set cases=25 --plugin '" KB_RANDOM_TENSORS_PLUGIN "' --seed " +
                             std::string(seed) + kModel + model);
        EXPECT_EQ(result["ok"], true) << result["error"] << result["verification"];
        EXPECT_EQ(result["verification"].size(), 50u);
      }
    }
  }
}

TEST_F(MemoryTest, ReplayAndEagerAgree) {
  const std::string gemm = "run --quiet --topology '" + config("one_cube") +
                           "' --bench gemm-multi-pe --set rows_per_pe=4 --set k=64 --set n=64 --set "
                           "memory=tcm,sram,tcm --verify-data ";
  for (const char* mode : {"replay", "eager"}) {
    EXPECT_EQ(kernbench(gemm + "--data " + mode + " --out " + mode).code, 0);
  }
  const Json replay = Json::parse(read("replay/result.json")), eager = Json::parse(read("eager/result.json"));
  EXPECT_EQ(replay["launches"], eager["launches"]);
  EXPECT_EQ(replay["verification"], eager["verification"]);
}

TEST_F(MemoryTest, WhatDoesNotFitIsNamedWithWhatTakesTheRoom) {
  const Outcome tcm = attempt("one_pe", "gemm-single-pe --set memory=hbm,tcm,hbm --set n=1024");
  EXPECT_EQ(tcm.code, 1);
  EXPECT_THAT(tcm.err + tcm.out,
              AllOf(HasSubstr("ALLOCATION_ERROR"), HasSubstr("tensor 'B': its shard at sip0.cube0.pe0 needs 1 MiB"),
                    HasSubstr("its TCM of 2 MiB, of which kernel scratch takes 1 MiB and the scheduler 512 KiB, has "
                              "512 KiB free"),
                    HasSubstr("put it into sram or hbm")));
  const Outcome sram = attempt("one_cube", "vector-add --set memory=sram --set elements_per_pe=900000");
  EXPECT_EQ(sram.code, 1);
  EXPECT_THAT(sram.err + sram.out,
              AllOf(HasSubstr("ALLOCATION_ERROR"), HasSubstr("the SRAM of sip0.cube0, 32 MiB shared "
                                                             "by its PEs, has")));
  const Outcome large = attempt("one_cube",
                                "vector-add --set memory=sram --set elements_per_pe=900000 --verify-data "
                                "--set cube.components.sram.attrs.size_mb=16384");
  EXPECT_EQ(large.code, 0) << large.err;
  const Outcome word = attempt("one_pe", "gemm-single-pe --set memory=sarm");
  EXPECT_EQ(word.code, 1);
  EXPECT_THAT(word.err + word.out, HasSubstr("did you mean 'sram'?"));
  const Outcome count = attempt("one_pe", "gemm-single-pe --set memory=sram,tcm");
  EXPECT_EQ(count.code, 1);
  EXPECT_THAT(count.err + count.out, HasSubstr("name one memory for all tensors, or 3 of them, for A, B, C"));
}

TEST_F(MemoryTest, TrafficReachesATcm) {
  // PE 1 of cube 0: die 0, PE_LOCAL, unit 6
  const std::string header = "id,issue_ns,op,src,dst,bytes\n";
  const std::string trace = write("t.csv", header +
                                               "1,0,pe_read,sip0.cube0.pe0,0x2C000000,65536\n"
                                               "2,5000,pe_write,sip0.cube0.pe0,0x2C000000,65536\n"
                                               "3,10000,host_write,host,0x2C000000,65536\n"
                                               "4,15000,host_read,host,0x2C000000,65536\n"
                                               "5,20000,pe_read,sip0.cube1.pe0,0x2C000000,65536\n");
  const Json result = json("traffic --topology '" + config("one_sip") + "' --trace '" + trace + "' --json");
  for (const Json& row : result["rows"]) {
    EXPECT_EQ(row["status"], "OK");
    EXPECT_EQ(row["path"].back(), "sip0.cube0.pe1.pe_dma");
    const double time = row["completed_ns"].get<double>() - row["issue_ns"].get<double>();
    EXPECT_GT(time, 65536.0 / 256.0);
    EXPECT_LT(time, 65536.0 / 128.0 + 100.0);
  }
  const auto refused = [&](const std::string& row) {
    const Outcome outcome =
        kernbench("traffic --topology '" + config("one_sip") + "' --trace '" + write("bad.csv", header + row) + "'");
    EXPECT_EQ(outcome.code, 2);
    return outcome.err;
  };
  EXPECT_THAT(refused("1,0,pe_read,sip0.cube0.pe1,0x2C000000,4096\n"),
              AllOf(HasSubstr("bad.csv:2"), HasSubstr("the TCM of the PE that asks")));
  EXPECT_THAT(refused("1,0,pe_read,sip0.cube0.pe0,0x2C1FFFFF,4096\n"), HasSubstr("ends past the 2 MiB"));
  EXPECT_THAT(refused("1,0,pe_read,sip0.cube0.pe0,0x24000000,64\n"),
              HasSubstr("neither HBM nor cube SRAM nor the TCM"));
}

}  // namespace
}  // namespace kb::test

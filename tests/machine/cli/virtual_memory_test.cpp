// The same programs under physical, virtual and logical addresses: equal data, equal times of the kernels.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

const std::string kModel = " --set cube.memory_map.address_model=";
const std::string kBaaw = " --set cube.pe_template.components.pe_dma.attrs.baaw_overhead_ns=";
const std::string kTlb = " --set cube.pe_template.components.pe_mmu.attrs.tlb_overhead_ns=";

class VirtualMemoryTest : public CommandLineTest {
 protected:
  Json run(const std::string& machine, const std::string& options) {
    const Outcome outcome = kernbench("run --quiet --topology '" + config(machine) +
                                      "' --details --out out --verify-data --bench " + options);
    EXPECT_EQ(outcome.code, 0) << options << "\n" << outcome.err;
    return detailed();
  }
  // What the PEs measured during each launch.
  static Json kernels(const Json& result) {
    Json found;
    for (const Json& launch : result["launches"]) {
      for (const Json& pe : launch["per_pe"]) {
        found.push_back(
            {launch["kernel"], launch["sip"], pe["cube"], pe["pe"], pe["exec_ns"], pe["dma_ns"], pe["compute_ns"]});
      }
    }
    return found;
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

// kernels, their data and their times are the same; across PEs, cubes and SIPs, whole and in tiles.
TEST_F(VirtualMemoryTest, KernelsRunAsUnderPhysicalAddresses) {
  const std::pair<const char*, const char*> programs[] = {
      {"one_cube", "gemm-multi-pe"},
      {"one_cube", "gemm-multi-pe --set b_copies=cube"},
      {"one_pe", "matmul-composite --set m=70 --set k=130 --set n=45 --set epilogue=bias,relu"},
      {"one_cube", "mlp --set tokens=64 --set hidden=64 --set inner=128"},
      {"one_cube", "qkv-gemm-multi-pe --set tokens=32 --set hidden=64"},
      {"one_cube", "layernorm --set rows=64"},
      {"reference", "vector-add --set elements_per_pe=256"},
      {"reference", "copy --set bytes=8192"},
      {"reference", "copy --set bytes=8192 --set direction=pull"},
      {"reference", "va-offset-verify --set elements_per_pe=500"},
  };
  for (const auto& [machine, workload] : programs) {
    const Json pa = run(machine, workload + kModel + "pa");
    const Json va = run(machine, workload + kModel + "va");
    EXPECT_EQ(va["ok"], true) << workload;
    EXPECT_GE(va["verification"].size(), 1u) << workload;
    EXPECT_FALSE(kernels(pa).empty()) << workload;
    EXPECT_EQ(kernels(va), kernels(pa)) << workload;
    EXPECT_EQ(sum(va, "pe_dma", "read_fallbacks"), 0) << workload;
    EXPECT_GT(sum(va, "pe_dma", "read_translations"), 0) << workload;
    EXPECT_GT(sum(va, "pe_mmu", "maps"), 0) << workload;
    EXPECT_EQ(sum(pa, "pe_mmu", "maps"), 0) << workload;
    const Json la = run(machine, workload + kModel + "la");
    EXPECT_EQ(la["ok"], true) << workload;
    EXPECT_EQ(la["verification"].size(), va["verification"].size()) << workload;
    EXPECT_EQ(kernels(la), kernels(pa)) << workload;
    EXPECT_EQ(sum(la, "pe_dma", "read_fallbacks"), 0) << workload;
    EXPECT_EQ(sum(la, "pe_dma", "read_translations"), sum(va, "pe_dma", "read_translations")) << workload;
    EXPECT_GT(sum(la, "pe_dma", "segment_installs"), 0) << workload;
    EXPECT_EQ(sum(la, "pe_mmu", "maps"), 0) << workload;
  }
}

// every map is taken back.
TEST_F(VirtualMemoryTest, EveryMappingIsTakenBack) {
  const Json va = run("one_sip", "va-offset-verify --set elements_per_pe=40" + kModel + "va");
  EXPECT_GT(sum(va, "pe_mmu", "unmaps"), 0);
  EXPECT_EQ(sum(va, "pe_mmu", "unmaps"), sum(va, "pe_mmu", "maps"));
  EXPECT_GT(sum(va, "pe_mmu", "shared_pages"), 0);  // 32 shards of 128 B on a page
}

TEST_F(VirtualMemoryTest, EverySegmentIsTakenBack) {
  const Json la = run("one_sip", "va-offset-verify --set elements_per_pe=40" + kModel + "la");
  EXPECT_GT(sum(la, "pe_dma", "segment_removals"), 0);
  EXPECT_EQ(sum(la, "pe_dma", "segment_removals"), sum(la, "pe_dma", "segment_installs"));
}

// ranges are handed out again at once, for tensors that lie elsewhere; what is mapped next still
// comes behind what is taken back, however long an update takes.
TEST_F(VirtualMemoryTest, SlowUpdatesKeepTheirOrder) {
  const std::string options = "va-offset-verify --set elements_per_pe=40" + kModel + "va";
  const Json fast = run("one_sip", options);
  const Json slow = run("one_sip", options + " --set cube.pe_template.components.pe_mmu.attrs.update_overhead_ns=2000");
  EXPECT_EQ(slow["ok"], true);
  EXPECT_EQ(kernels(slow), kernels(fast));
  EXPECT_GT(slow["sim_time_ns"].get<double>(), fast["sim_time_ns"].get<double>() + 2000.0);
}

TEST_F(VirtualMemoryTest, MappingTakesNoTimeOfItsOwnButTheFabrics) {  // 1 to 100 tensors, one message each
  const auto mapped = [&](const char* tensors) {
    const Outcome outcome = kernbench("run --quiet --topology '" + config("one_sip") +
                                      "' --out out --bench map-tensors --set tensors=" + tensors + kModel + "va");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(read("out/result.json"), nullptr, false)["figures"][0]["value"].get<double>();
  };
  EXPECT_GT(mapped("1"), 100.0);
  EXPECT_EQ(mapped("100"), mapped("1"));
}

// A-42 .. A-44: one PE, one access at a time.
TEST_F(VirtualMemoryTest, EachTranslatedAccessIsCharged) {
  const std::string workload = "stream --set calls=100" + kModel;
  const Json pa = run("one_pe", workload + "pa" + kTlb + "10");
  const Json va = run("one_pe", workload + "va" + kTlb + "10");
  const auto exec = [](const Json& result) { return result["launches"][0]["pe_exec_ns"]["max"].get<double>(); };
  EXPECT_NEAR(exec(va) - exec(pa), 100 * 10.0, 1e-6);
  EXPECT_EQ(sum(va, "pe_dma", "read_translation_time") + sum(va, "pe_dma", "write_translation_time"), 1000.0);
}

// the same charge, in front of PE_DMA.
TEST_F(VirtualMemoryTest, EachAccessThroughASegmentIsCharged) {
  const std::string workload = "stream --set calls=100" + kModel;
  const Json va = run("one_pe", workload + "va" + kTlb + "10");
  const Json la = run("one_pe", workload + "la" + kBaaw + "10");
  EXPECT_EQ(kernels(la), kernels(va));
  EXPECT_EQ(sum(la, "pe_dma", "read_translation_time") + sum(la, "pe_dma", "write_translation_time"), 1000.0);
}

TEST_F(VirtualMemoryTest, DataModesDoNotMoveATimeStamp) {
  for (const std::string& model : {"va" + kTlb + "3", "la" + kBaaw + "3"}) {
    const std::string options = "va-offset-verify --set elements_per_pe=40" + kModel + model;
    const Json replay = run("one_cube", options);
    const Json eager = run("one_cube", options + " --data eager");
    EXPECT_EQ(eager["launches"], replay["launches"]) << model;
    EXPECT_EQ(eager["blocks"], replay["blocks"]) << model;
    EXPECT_EQ(eager["sim_time_ns"], replay["sim_time_ns"]) << model;
  }
}

// a copy on cube 0 is not visible on cube 1, and the error says whose address it is.
TEST_F(VirtualMemoryTest, AnUnmappedTensorIsNamed) {
  for (const char* mistake : {"unmapped", "unmapped-composite"}) {
    const std::string run =
        "run --quiet --topology '" + config("one_sip") +
        "' --plugin " KB_FAULTY_PLUGIN " --bench faulty --out out --set mistake=" + std::string(mistake) + kModel;
    EXPECT_EQ(kernbench(run + "pa").code, 0);
    const Outcome outcome = kernbench(run + "va");
    EXPECT_EQ(outcome.code, 1);
    const bool tile = mistake != std::string("unmapped");
    EXPECT_THAT(outcome.err, HasSubstr("PAGE_FAULT"));
    EXPECT_THAT(outcome.err, HasSubstr(tile ? "tl.wait" : "tl.load"));
    EXPECT_THAT(outcome.err, HasSubstr("sip0.cube1.pe0"));
    EXPECT_THAT(outcome.err, HasSubstr(tile ? "VA 0x100000000 is not mapped" : "VA 0x1000000c8 is not mapped"));
    EXPECT_THAT(outcome.err, HasSubstr("tensor 'x' f16 (8, 8192) at VA 0x100000000"));
    const Outcome logical = kernbench(run + "la");
    EXPECT_EQ(logical.code, 1);
    EXPECT_THAT(logical.err, HasSubstr("SEGMENT_FAULT"));
    EXPECT_THAT(logical.err, HasSubstr(tile ? "LA 0x100000000 is in no segment" : "LA 0x1000000c8 is in no segment"));
    EXPECT_THAT(logical.err, HasSubstr("tensor 'x' f16 (8, 8192) at LA 0x100000000"));
  }
}

}  // namespace
}  // namespace kb::test

// Random bursts at the pins of an AXI4 RAM of another's, in all widths, with data compared; and RAMs with mistakes.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <random>

#include "modules/kit/fabric_fixture.h"
#include "modules/rtl/axi_manager.h"
#include "modules/rtl/axi_scoreboard.h"
#include "modules/rtl/rtl_memory.h"
#include "tests/block/rtl/axi_rams.h"
#include "tests/support/own_process.h"

namespace kb::test {
namespace {

using modules::AxiBurst;
using modules::AxiManager;
using modules::AxiPort;
using modules::IAxiMemory;
using modules::RtlFill;
using modules::RtlMaker;
using payload::Op;
using payload::Transaction;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

// Bursts of random sizes, lengths, alignments and ids until `bursts` of them are done.
class RandomBursts {
 public:
  RandomBursts(const RtlMaker<IAxiMemory>& make, std::uint32_t seed)
      : random_(seed), memory_(make(RtlFill::zeros)), port_(memory_->port()), manager_(port_, 8, 8), board_(port_) {
    memory_->reset({});
  }

  void run(std::uint64_t bursts) {
    std::uint64_t asked = 0, done = 0, silent = 0;
    while (done < bursts && ++silent < 10'000) {
      if (asked < bursts && asked - done < 16) ask(asked++);
      const modules::AxiManagerPins& driven = manager_.step();
      const modules::AxiMemoryPins pins = memory_->settle(driven);
      rules_.check(driven, pins);
      board_.observe(driven, pins);
      const AxiManager::Done over = manager_.apply(driven, pins);
      memory_->rise();
      done += (over.read ? 1 : 0) + (over.write ? 1 : 0);
      if (over.moved) silent = 0;
    }
    EXPECT_EQ(done, bursts);
    EXPECT_TRUE(manager_.idle());
  }
  // Part of the bytes in beats of reads whose contents were known.
  std::int64_t compared() const { return board_.compared(); }
  std::int64_t read_bytes() const { return read_bytes_; }

 private:
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  void ask(std::uint64_t token) {
    std::uint8_t size = 0;
    while ((1u << size) < port_.beat_bytes) ++size;
    AxiBurst burst;
    burst.token = token;
    burst.size = static_cast<std::uint8_t>(below(size + 1u));
    burst.id = static_cast<std::uint8_t>(below(1u << port_.id_bits));
    const std::uint64_t beats = 1 + below(below(8) == 0 ? 256 : 8), bytes = beats * burst.beat_bytes();
    burst.begin = below(2) == 0 ? below(4096) : below(64);  // often the same bytes
    burst.end = burst.begin + 1 + below(bytes);
    AxiBurst whole;
    modules::for_each_axi_burst(burst.begin, std::min(burst.end, burst.begin + 2048), burst.size,
                                [&](const AxiBurst& one) { whole = whole.end == 0 ? one : whole; });
    whole.token = token;
    whole.id = static_cast<std::uint8_t>(below(1u << port_.id_bits));
    if (below(2) == 0) {
      manager_.read(whole);
      read_bytes_ += static_cast<std::int64_t>(whole.end - whole.begin);
    } else {
      manager_.write(whole);
    }
  }

  std::mt19937_64 random_;
  std::unique_ptr<IAxiMemory> memory_;
  AxiPort port_;
  AxiManager manager_;
  modules::AxiRules rules_;
  modules::AxiScoreboard board_;
  std::int64_t read_bytes_ = 0;
};

// KB_BURSTS in the environment: how many for each width.
std::uint64_t bursts_of_a_width() {
  const char* const text = std::getenv("KB_BURSTS");
  return text == nullptr ? KB_RANDOM_BURSTS : std::strtoull(text, nullptr, 10);
}

class AxiRam : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Bytes, AxiRam, testing::Values(1, 2, 4, 8, 16, 32, 64));

TEST_P(AxiRam, GivesBackWhatWasWrittenInRandomBursts) {
  RandomBursts bursts(axi_ram(GetParam()), GetParam());
  bursts.run(bursts_of_a_width());
  EXPECT_GT(bursts.compared(), bursts.read_bytes() / 2);
}

std::string mistake_found(RamFault fault) {
  RandomBursts bursts(axi_ram(8, fault), 1);
  try {
    bursts.run(1000);
  } catch (const Error& error) {
    return error.code() + ": " + error.what();
  }
  return "";
}

TEST(AxiRamFaults, EachIsFoundByTheData) {
  const auto wrong = [](const std::string& rest) {
    return AllOf(HasSubstr("RTL_WRONG: rdata of address 0x"), HasSubstr(rest));
  };
  EXPECT_THAT(mistake_found(RamFault::reads_address_0), wrong("was written there"));
  EXPECT_THAT(mistake_found(RamFault::drops_a_strobe), wrong("was written there"));
  EXPECT_THAT(mistake_found(RamFault::swaps_ids), testing::MatchesRegex(".*(rdata of address|RDATA_NUM).*"));
}

// An SRAM that is such a RAM, beside a scripted router.
struct RamSram {
  RamSram(const RtlMaker<IAxiMemory>& make, const Values& own) {
    router = fixture.add_scripted("router");
    sram =
        fixture.add_block("sram", modules::rtl_memory_block(topology::NodeKind::sram, "custom.axi_ram", make), {}, own);
    fixture.link(router, sram, 0.0, 0.0);
    fixture.start();
  }
  void request(Op op, std::uint64_t address, std::uint64_t bytes, TimeFs at) {
    Transaction& transaction = fixture.transaction(op, {router, sram}, bytes);
    transaction.address = address;
    fixture.scripted(router).request(transaction, at);
  }
  std::map<std::string, std::int64_t> statistics() {
    std::vector<elab::Statistic> all;
    fixture.platform().block("sram").collect_statistics(all);
    std::map<std::string, std::int64_t> out;
    for (const elab::Statistic& one : all) out[one.name] = one.value;
    return out;
  }

  FabricFixture fixture;
  NodeId router, sram;
};

struct RamRun {
  std::array<TimeFs, 1200> answers{};
  std::size_t count = 0;
  std::int64_t compared = 0;
  std::array<char, 512> problem{};  // empty: none

  std::string text() const { return problem.data(); }
};

RamRun finished(RamSram& ram) {
  RamRun run;
  for (const std::string& problem : ram.fixture.run()) problem.copy(run.problem.data(), run.problem.size() - 1);
  for (const TimeFs time : ram.fixture.times(ram.sram, ram.router)) run.answers.at(run.count++) = time;
  const auto statistics = ram.statistics();
  const auto compared = statistics.find("rtl_compared");
  if (compared != statistics.end()) run.compared = compared->second;
  return run;
}

RamRun random_traffic(const RtlMaker<IAxiMemory>& make, const Values& own) {
  return in_own_process([&] {
    RamSram ram(make, own);
    std::mt19937 random(7);
    TimeFs at = 10_ns;
    for (int i = 0; i < 300; ++i) {
      at = at + TimeFs(static_cast<std::int64_t>(random() % 60'000'000));
      ram.request(random() % 2 == 0 ? Op::read : Op::write, 0x2000000000 + random() % 2048, 1 + random() % 600, at);
    }
    return finished(ram);
  });
}

class RtlMemoryRam : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Bytes, RtlMemoryRam, testing::Values(1, 4, 8, 32, 64));

TEST_P(RtlMemoryRam, ServesTransactionsAndItsDataAreCompared) {
  const RamRun run = random_traffic(axi_ram(GetParam()), {{"verify", true}, {"ids", std::int64_t{5}}});
  EXPECT_EQ(run.text(), "");
  EXPECT_GT(run.compared, 30'000);
  const RamRun other = random_traffic(axi_ram(GetParam()), {{"ids", std::int64_t{5}}});
  EXPECT_EQ(run.answers, other.answers);  // no time depends on whether data are compared
  EXPECT_EQ(other.compared, 0);
}

TEST(RtlMemoryRamFaults, EachEndsTheRun) {
  for (const RamFault fault : {RamFault::reads_address_0, RamFault::drops_a_strobe, RamFault::swaps_ids}) {
    const Values own{{"ids", std::int64_t{4}}, {"verify", true}};
    EXPECT_THAT(random_traffic(axi_ram(8, fault), own).text(),
                AllOf(HasSubstr("sram (custom.axi_ram): at edge "), HasSubstr(" ns, ")));
  }
}

TEST(RtlMemoryOfAnother, NarrowBeatsTakeMoreOfThem) {
  const auto last = [](std::int64_t beat) {
    return in_own_process([=] {
      RamSram ram(axi_ram(64), {{"beat_bytes", beat}, {"verify", true}});
      ram.request(Op::write, 0, 256, 10_ns);
      ram.request(Op::read, 0, 256, 2000_ns);
      return finished(ram);
    });
  };
  const RamRun whole = last(64), narrow = last(4);
  EXPECT_EQ(whole.compared, 256);
  EXPECT_EQ(narrow.compared, 256);
  EXPECT_LT(whole.answers.at(1), 2050_ns);
  EXPECT_GT(narrow.answers.at(1), 2064_ns);  // 64 beats
}

// It has no busy, so that nobody knows when its clock may stand still.
TEST(RtlMemoryOfAnother, EveryEdgeIsSimulated) {
  RamSram ram(axi_ram(64), {});
  ram.request(Op::write, 0, 64, 1000_ns);
  ram.request(Op::write, 0, 64, 3000_ns);
  EXPECT_THAT(ram.fixture.run(), IsEmpty());
  EXPECT_GT(ram.statistics().at("rtl_cycles"), 3000);
  EXPECT_LT(ram.fixture.platform().scheduler().events(), 200u);  // those without requests are made up for
}

TEST(RtlMemoryOfAnother, AttributesThatDoNotFitThePortAreRefused) {
  const auto refused = [](const RtlMaker<IAxiMemory>& make, const Values& own) {
    try {
      in_own_process([&] {
        RamSram ram(make, own);
        return 0;
      });
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused(axi_ram(8), {{"beat_bytes", std::int64_t{16}}}),
              HasSubstr("the 8 bytes of the data pins; use 8"));
  EXPECT_THAT(refused(axi_ram(64), {{"beat_bytes", std::int64_t{24}}}), HasSubstr("beat_bytes is 24, but has to be a"));
  EXPECT_THAT(refused(modules::axi_memory_model(), {{"beat_bytes", std::int64_t{8}}}),
              HasSubstr("this memory has no strobes and takes beats of 64 bytes; use 64"));
  EXPECT_THAT(refused(axi_ram(8), {{"ids", std::int64_t{17}}}), HasSubstr("ids is 17, but"));
}

}  // namespace
}  // namespace kb::test

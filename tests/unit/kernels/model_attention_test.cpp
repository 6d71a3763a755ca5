// The attention kernels of a model's step on PEs without time, against the step in double: any sizes, machines, blocks.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>

#include "tests/support/shortened.h"
#include "tests/unit/kernels/expect_error.h"
#include "tests/unit/kernels/paged_case.h"

namespace kb::tests {
namespace {

double tolerance(Dtype dtype) {
  return dtype == Dtype::f32 ? 2e-5 : dtype == Dtype::f16 ? 4e-3 : 3e-2;
}

double distance(const Numbers& a, const Numbers& b) {
  if (a.size() != b.size()) return INFINITY;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::isnan(a[i]) ? INFINITY : std::max(most, std::abs(a[i] - b[i]));
  return most;
}

// A step with decode, two chunks and several heads that lie in two cubes.
PagedCase mixed_case() {
  PagedCase c;
  c.cubes = 3;
  c.pes = 2;
  c.heads = 4;
  c.kv_heads = 2;
  c.add({{1, 30}, {5, 9}, {1, 0}, {3, 0}, {1, 17}});
  return c;
}

PagedCase any_case() {
  const auto between = [](Integer low, Integer high) { return *rc::gen::inRange<Integer>(low, high + 1); };
  PagedCase c;
  c.cubes = between(1, 4);
  c.pes = between(1, 4);
  c.kv_heads = between(1, 4);
  c.heads = c.kv_heads * between(1, 4);
  c.d = 2 * between(1, 12);
  if (between(0, 5) == 0) c.d = *rc::gen::element<Integer>(64, 80, 128);
  c.page = between(1, 9);
  c.dtype = *rc::gen::element(Dtype::f32, Dtype::f16, Dtype::bf16);
  c.window = between(0, 1) == 0 ? 0 : between(1, 40);
  c.norm = between(0, 1) == 0;
  c.interleaved = between(0, 1) == 0;
  c.staged = between(0, 1) == 0;
  c.attention_factor = between(0, 1) == 0 ? 1 : 1.25;
  std::vector<std::pair<Integer, Integer>> sequences;
  Integer blocks = 0;
  for (Integer i = between(1, 9); i > 0; --i) {
    sequences.emplace_back(between(0, 2) > 0 ? 1 : between(2, 20), between(0, 3) == 0 ? 0 : between(0, 60));
    blocks += (sequences.back().first + sequences.back().second + c.page - 1) / c.page;
  }
  c.blocks = blocks + between(0, 9);
  c.add(sequences, static_cast<std::uint64_t>(between(1, 1000)));
  return c;
}

TEST(ModelAttention, EqualsTheStepInDouble_K221_K222_K225_K232) {
  EXPECT_TRUE(rc::check("machines, sequences, heads, windows, dtypes", [] {
    const PagedCase c = any_case();
    const PagedContents given(c);
    const PagedResult actual = PagedMachine(c).run(given), want = expected(c, given);
    const double near = tolerance(c.dtype);
    RC_ASSERT(distance(actual.q, want.q) < near * (c.norm ? 4 : 1));
    RC_ASSERT(distance(actual.k, want.k) < near * (c.norm ? 4 : 1));
    RC_ASSERT(actual.v == want.v);
    RC_ASSERT(distance(actual.out, want.out) < 2 * near);
  }));
}

// A context that needs several steps of keys, a sequence for each number of PEs that share one, and groups of heads of
// one, two and four PEs; heads of two groups in a cube.
TEST(ModelAttention, LongContexts_K226) {
  for (const auto& [sequences, kv_heads] : std::vector<std::pair<Integer, Integer>>{
           {1, 1}, {2, 1}, {3, 1}, {5, 1}, {9, 1}, {1, 2}, {3, 2}, {9, 2}, {1, 4}, {9, 4}, {3, 6}}) {
    PagedCase c;
    c.cubes = 2;
    c.pes = 4;
    c.kv_heads = kv_heads;
    c.heads = 2 * kv_heads;
    c.d = 128;
    c.page = 16;
    c.blocks = 200;
    c.scale = 0.1;
    std::vector<std::pair<Integer, Integer>> each(static_cast<std::size_t>(sequences), {1, 1800 / sequences});
    each.emplace_back(4, 900);
    c.add(each);
    const PagedContents given(c);
    EXPECT_LT(distance(PagedMachine(c).run(given).out, expected(c, given).out), 5e-5) << sequences << " " << kv_heads;
  }
}

// Sizes of which not all tokens, heads or pages fit the scratch together.
TEST(ModelAttention, FitsTheScratch) {
  for (const auto& [heads, kv_heads, d] : {std::array<Integer, 3>{64, 8, 128}, {32, 32, 80}, {2, 1, 256}}) {
    if (test::is_shortened() && heads > 2) continue;
    PagedCase c;
    c.heads = heads;
    c.kv_heads = kv_heads;
    c.d = d;
    c.page = 16;
    c.scale = 0.1;
    c.norm = true;
    std::vector<std::pair<Integer, Integer>> sequences(30, {1, 3});
    sequences.emplace_back(140, 40);
    c.blocks = 60;
    c.add(sequences);
    const PagedContents given(c);
    const PagedResult actual = PagedMachine(c).run(given), want = expected(c, given);
    EXPECT_LT(distance(actual.k, want.k), 1e-4) << heads;
    EXPECT_LT(distance(actual.out, want.out), 1e-4) << heads;
  }
}

// What is not seen is not read, and scratch memory needs no contents: NaNs there change nothing.
TEST(ModelAttention, StaleMemoryDoesNotCount_K225_K229) {
  PagedCase c = mixed_case();
  c.window = 12;
  c.staged = true;
  PagedContents given(c);
  const PagedResult want = expected(c, given);
  std::vector<bool> seen(static_cast<std::size_t>(c.blocks * c.page));
  for (const contract::PagedSequence& its : c.sequences) {
    const Integer first = std::max<Integer>(0, its.context - its.tokens - c.window + 1);
    for (Integer key = first; key < its.context; ++key) seen[static_cast<std::size_t>(slot_of(c, its, key))] = true;
  }
  const auto spoil = [&](Numbers& cache) {
    for (std::size_t i = 0; i < cache.size(); ++i) {
      if (!seen[i / static_cast<std::size_t>(c.kv_heads * c.d)]) cache[i] = NAN;
    }
  };
  spoil(given.k);
  spoil(given.v);
  EXPECT_LT(distance(PagedMachine(c).run(given).out, want.out), 2e-5);
}

// The check sees faults of the size of one token: these are what tests of this file rely on.
TEST(ModelAttention, PlantedFaultsAreSeen) {
  const PagedCase c = mixed_case();
  const PagedContents given(c);
  const PagedResult want = expected(c, given);
  const auto out_of = [&](const PagedCase& faulty) {
    PagedMachine machine(c);
    machine.write(given);
    machine.append();
    PagedMachine other(faulty);
    return distance(other.run(given).out, want.out);
  };
  PagedCase later = c;  // every position one too high
  for (contract::PagedSequence& its : later.sequences) {
    its.blocks.push_back(its.blocks.back());
    ++its.context;
  }
  EXPECT_GT(distance(PagedMachine(later).run(given).k, want.k), 1e-2);
  PagedCase window = c;
  window.window = 9;
  EXPECT_GT(out_of(window), 1e-3);
  PagedCase narrow = window;
  ++narrow.window;
  EXPECT_GT(distance(PagedMachine(narrow).run(given).out, expected(window, given).out), 1e-3);
  PagedCase lost = c;  // a block of the first sequence is another one
  lost.sequences[0].blocks[2] = lost.sequences[0].blocks[3];
  EXPECT_GT(out_of(lost), 1e-3);
  PagedMachine stale(c);  // attention before the new keys are in the cache
  stale.write(given);
  stale.append();
  stale.device().write(*stale.k, given.k);
  stale.device().write(*stale.v, given.v);
  stale.attend();
  EXPECT_GT(distance(stale.result().out, want.out), 1e-3);
}

// The same tokens in one launch or in several: the caches are equal to the bit, results within their roundings.
TEST(ModelAttention, ChunksGiveWhatTheWholeGives_K233) {
  PagedCase whole;
  whole.cubes = whole.pes = 2;
  whole.window = 11;
  whole.add({{13, 4}});
  const PagedContents given(whole);
  const PagedResult want = PagedMachine(whole).run(given);
  for (const std::vector<Integer>& sizes : {std::vector<Integer>{12, 1}, {5, 8}, {1, 1, 11}, {6, 6, 1}}) {
    PagedContents rest = given;
    Integer done = 0;
    Numbers out;
    for (const Integer tokens : sizes) {
      PagedCase part = whole;
      part.sequences[0].tokens = tokens;
      part.sequences[0].context = 4 + done + tokens;
      const auto row = given.qkv.begin() + done * whole.width();
      rest.qkv = Numbers(row, row + tokens * whole.width());
      const PagedResult result = PagedMachine(part).run(rest);
      rest.k = result.k;
      rest.v = result.v;
      out.insert(out.end(), result.out.begin(), result.out.end());
      done += tokens;
    }
    EXPECT_EQ(rest.k, want.k);
    EXPECT_EQ(rest.v, want.v);
    EXPECT_LT(distance(out, want.out), 1e-5);
  }
}

// Tokens of slot -1 leave no trace in the cache; their queries are made.
TEST(ModelAttention, TokensWithoutASlotAreNotStored_K221) {
  const PagedCase c = mixed_case();
  const PagedContents given(c);
  PagedMachine machine(c);
  machine.write(given);
  machine.slots = machine.integers("slots", {1, c.rows(), std::vector<Integer>(static_cast<std::size_t>(c.rows()), -1)},
                                   PagedMachine::Split::copies);
  machine.append();
  EXPECT_EQ(machine.device().read(*machine.k), given.k);
  EXPECT_EQ(machine.device().read(*machine.v), given.v);
  EXPECT_LT(distance(machine.queries(), expected(c, given).q), 2e-5);
}

class ModelAttentionMistakes : public testing::Test {
 protected:
  template <typename Change, typename Run>
  void refused(const Change& change, const Run& run, const char* piece) {
    PagedMachine machine(c_);
    machine.write(PagedContents(c_));
    machine.append();
    change(machine);
    expect_program_error([&] { run(machine); }, "KERNEL_ERROR", {piece});
  }
  PagedCase c_ = mixed_case();
};

TEST_F(ModelAttentionMistakes, OfRopeAppend) {
  const auto append = [](PagedMachine& m) { m.append(); };
  using Split = PagedMachine::Split;
  refused(
      [](PagedMachine& m) {
        m.qkv = m.copies("qkv", Dtype::f32, {11, 60});
      },
      append, "'qkv' (11, 60) does not have the heads of 'k' (40, 4, 2, 8), and a multiple of them");
  refused(
      [](PagedMachine& m) {
        m.qkv = m.machine().tensor("qkv", Dtype::f32, {11, 64}, Split::rows, Split::rows);
      },
      append, "'qkv' (11, 64) must be split by columns over all cubes, and by rows over their PEs");
  refused(
      [](PagedMachine& m) {
        m.v = m.copies("v", Dtype::f32, {40, 4, 2, 6});
      },
      append, "must both be (blocks, page, kv_heads, d), in one placement");
  refused(
      [](PagedMachine& m) {
        m.q = m.copies("q", Dtype::f32, {4, 11, 7});
      },
      append, "'q' (4, 11, 7) must be (4, 11, 8)");
  refused(
      [](PagedMachine& m) {
        m.q_chunks = m.copies("q_chunks", Dtype::f32, {44, 8});
      },
      append, "'q_chunks' (44, 8) must be (PEs, rows, d), one each, of f32");
  refused(
      [](PagedMachine& m) {
        m.q_chunks = m.machine().tensor("q_chunks", Dtype::f32, {6, 1, 8}, Split::rows, Split::rows);
      },
      append, "'q_chunks' (6, 1, 8) must be (6, 6, 8), a row for each PE");
  refused(
      [](PagedMachine& m) {
        m.inv_freq = m.copies("inv_freq", Dtype::f32, {1, 8});
      },
      append, "'inv_freq' (1, 8) must be 4 numbers of f32");
  refused(
      [](PagedMachine& m) {
        m.positions = m.copies("positions", Dtype::i32, {1, 10});
      },
      append, "'positions' (1, 10) must be 11 numbers of i32");
  refused(
      [](PagedMachine& m) {
        m.slots = m.integers("slots", {1, 11, {1, 2, 160, 4, 5, 6, 7, 8, 9, 10, 11}}, Split::copies);
      },
      append, "slot 160 of token 2 is outside of 'k' (40, 4, 2, 8), which has slots 0 to 159");
}

TEST_F(ModelAttentionMistakes, OfPagedAttention) {
  const std::vector<contract::PagedSequence> one{c_.sequences[0]}, several{c_.sequences[1]};
  const auto decode = [](PagedMachine& m) { m.launch_decode(); };
  const auto prefill = [](PagedMachine& m) { m.launch_prefill(0); };
  using Split = PagedMachine::Split;
  refused(
      [&](PagedMachine& m) {
        m.decode(one, 0);
        m.scratch = m.machine().tensor("scratch", Dtype::f32, {6, 16}, Split::rows, Split::rows);
      },
      decode, "'scratch' (6, 16) has rows of 16 numbers; 1 sequences need ");
  refused(
      [&](PagedMachine& m) {
        m.decode(one, 0);
        m.work = m.machine().tensor("work", Dtype::i32, {5, 16}, Split::rows, Split::rows);
      },
      decode, "'work' (5, 16) must have a row for each of 6 PEs");
  refused(
      [&](PagedMachine& m) {
        m.decode(one, 0);
        m.out = m.copies("out", Dtype::f32, {11, 30});
      },
      decode, "'out' (11, 30) does not have query heads of 8 for 'k' (40, 4, 2, 8)");
  refused(
      [&](PagedMachine& m) {
        m.prefill(several, 0);
        m.table = m.copies("table", Dtype::i32, {1, 2});
      },
      prefill, "5 tokens in a context of 14 do not fit tables of 2 pages of 4");
  refused(
      [&](PagedMachine& m) {
        m.prefill(several, 0);
        m.table = m.integers("table", {1, 4, {1, 40, 2, 3}}, Split::copies);
      },
      prefill, "page 1 of sequence 0 is block 40, which 'k' (40, 4, 2, 8) does not have");
  c_.staged = true;
  refused(
      [&](PagedMachine& m) {
        m.prefill(several, 0);
        m.k_stage = m.machine().tensor("k_stage", Dtype::f32, {3, 4, 2, 8}, Split::copies, Split::rows);
      },
      prefill, "'k_stage' (3, 4, 2, 8) must have room for 4 pages of 'k' (40, 4, 2, 8), a copy per cube");
  refused([&](PagedMachine& m) { m.prefill(several, 0); }, [](PagedMachine& m) { m.launch_prefill(-1); },
          "window is at least 0");
}

}  // namespace
}  // namespace kb::tests

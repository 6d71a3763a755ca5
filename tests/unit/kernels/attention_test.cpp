// The attention kernels on PEs without time: right for any sizes, ranks and queues (K-82 .. K-91).
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "kernels/tl/tl.h"
#include "platform/contract/kernel_arguments.h"
#include "platform/data/reference.h"
#include "tests/unit/kernels/expect_error.h"
#include "tests/unit/kernels/mailbox_machine.h"

namespace kb::tests {
namespace {

using Integer = std::int64_t;
using Numbers = std::vector<double>;

struct Case {
  Integer tokens = 8, q_per_kv = 1, context = 16, d = 8, heads = 1, n_ranks = 4, axis = 0, slot_bytes = 64;
  std::size_t n_slots = 1;
  Dtype dtype = Dtype::f32;
  Integer root = -1, broadcast = 0, causal = 1, rows = 128, keys = 256;

  Integer query_rows() const { return tokens * q_per_kv; }
  Integer row_bytes() const { return d * static_cast<Integer>(item_size(dtype)); }
};

// Rows of a rank: the next one of the beginning and of the end for each in turn would be the same shares in another
// order; here they are cut.
std::vector<Integer> share(Integer rows, Integer ranks, Integer rank) {
  std::vector<std::vector<Integer>> parts(static_cast<std::size_t>(2 * ranks));
  Integer next = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const Integer left = rows - next, parts_left = static_cast<Integer>(parts.size() - part);
    for (Integer i = 0; i < (left + parts_left - 1) / parts_left; ++i) parts[part].push_back(next++);
  }
  std::vector<Integer> out = parts[static_cast<std::size_t>(rank)];
  const std::vector<Integer>& late = parts[static_cast<std::size_t>(2 * ranks - 1 - rank)];
  out.insert(out.end(), late.begin(), late.end());
  return out;
}

// Rank r at PE r of cube 0, or at PE 0 of cube r with a second PE in every cube.
PeCoord place(const Case& c, std::int64_t rank) {
  const auto r = static_cast<std::uint32_t>(rank);
  return c.axis == 0 ? pe_at(0, 0, r) : pe_at(0, r, 0);
}

// A matrix of `all` rows for each head, over the ranks: dealt out, or all at every rank.
struct Spread {
  Integer all = 0;
  bool dealt = true;
  LayoutPtr layout;

  Spread(const Case& c, const char* name, Integer rows, bool is_dealt, std::uint64_t pa) : all(rows), dealt(is_dealt) {
    layout = empty_layout(name, c.dtype, {c.n_ranks * c.heads * places(c), c.d}, {c.heads * places(c), c.d});
    const std::uint64_t part = layout->nbytes / static_cast<std::uint64_t>(c.n_ranks);
    for (Integer r = 0; r < c.n_ranks; ++r) {
      const auto i = static_cast<std::uint64_t>(r);
      layout->shards.push_back({place(c, r), pa + i * 0x100000, part, i * part});
    }
  }
  Integer places(const Case& c) const { return dealt ? (all + c.n_ranks - 1) / c.n_ranks : all; }
  std::vector<Integer> rows_of(const Case& c, Integer rank) const {
    return dealt ? share(all, c.n_ranks, rank) : share(all, 1, 0);
  }
  // `matrix` (heads x all, d) as it lies in memory, with `unused` where nothing does.
  Numbers laid_out(const Case& c, const Numbers& matrix, double unused) const {
    Numbers out(static_cast<std::size_t>(c.n_ranks * c.heads * places(c) * c.d), unused);
    for (Integer r = 0; r < c.n_ranks; ++r) {
      for (Integer head = 0; head < c.heads; ++head) {
        Integer to = (r * c.heads + head) * places(c) * c.d;
        for (const Integer row : rows_of(c, r)) {
          for (Integer i = 0; i < c.d; ++i) {
            out[static_cast<std::size_t>(to++)] = matrix[static_cast<std::size_t>((head * all + row) * c.d + i)];
          }
        }
      }
    }
    return out;
  }
};

class Attention {
 public:
  Attention(const Case& c, std::string kernel)
      : c_(c),
        kernel_(std::move(kernel)),
        decode_(kernel_ == "attention_mesh_mlo"),
        q_(c, "q", c.query_rows(), !decode_, 0x100000000),
        k_(c, "k", c.context, true, 0x200000000),
        v_(c, "v", c.context, true, 0x300000000),
        o_(c, "o", c.query_rows(), !decode_, 0x400000000),
        machine_(device_, coords(), c.axis == 0 ? static_cast<int>(c.n_ranks) : 2,
                 c.axis == 0 ? 1 : static_cast<int>(c.n_ranks), c.n_slots, links()) {}

  void run() {
    vq_ = numbers(1, c_.heads * c_.query_rows());
    vk_ = numbers(2, c_.heads * c_.context);
    vv_ = numbers(3, c_.heads * c_.context);
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    device_.write(*q_.layout, q_.laid_out(c_, vq_, kNan));
    device_.write(*k_.layout, k_.laid_out(c_, vk_, kNan));
    device_.write(*v_.layout, v_.laid_out(c_, vv_, kNan));
    std::vector<contract::NamedArg> args{
        {"q", as_arg(q_.layout)}, {"k", as_arg(k_.layout)},  {"v", as_arg(v_.layout)}, {"o", as_arg(o_.layout)},
        {"tokens", c_.tokens},    {"q_per_kv", c_.q_per_kv}, {"context", c_.context},  {"d", c_.d},
        {"heads", c_.heads},      {"n_ranks", c_.n_ranks},   {"rank_axis", c_.axis},   {"slot_bytes", c_.slot_bytes},
        {"causal", c_.causal},    {"rows", c_.rows},         {"keys", c_.keys}};
    if (decode_) args.insert(args.end(), {{"root", c_.root}, {"broadcast", c_.broadcast}});
    machine_.run(*kernels::KernelCatalog().find(kernel_), args);
  }

  // The largest error of what `rank` stored.
  double error(Integer rank) {
    const auto& shard = o_.layout->shards[static_cast<std::size_t>(rank)];
    const std::vector<Integer> rows = o_.rows_of(c_, rank);
    double worst = 0;
    for (Integer head = 0; head < c_.heads; ++head) {
      if (rows.empty()) continue;
      const std::uint64_t first = static_cast<std::uint64_t>(head * o_.places(c_) * c_.row_bytes());
      const Numbers actual = data::to_doubles(
          c_.dtype,
          device_.engine.read({{shard.pa + first, rows.size() * static_cast<std::uint64_t>(c_.row_bytes())}}));
      for (std::size_t i = 0; i < actual.size(); ++i) {
        const auto column = static_cast<Integer>(i) % c_.d;
        const double wrong = std::abs(actual[i] - expected(head, rows[i / static_cast<std::size_t>(c_.d)], column));
        worst = std::max(worst, std::isnan(wrong) ? std::numeric_limits<double>::infinity() : wrong);
      }
    }
    return worst;
  }
  // Whether any row of `rank` was never written; what lies behind its rows never is.
  bool unwritten(Integer rank) {
    const auto& shard = o_.layout->shards[static_cast<std::size_t>(rank)];
    try {
      device_.engine.read({{shard.pa, shard.nbytes}});
    } catch (const Error&) {
      return true;
    }
    return false;
  }
  int count(const std::string& kind) const {
    int sum = 0;
    for (std::size_t i = 0; i < coords().size(); ++i) sum += count(i, kind);
    return sum;
  }
  int count(std::size_t pe, const std::string& kind) const {
    const auto& commands = machine_.commands(pe);
    const auto found = commands.find(kind);
    return found == commands.end() ? 0 : found->second;
  }
  const MailboxMachine& machine() const { return machine_; }

 private:
  static double at(const Numbers& values, std::int64_t i) { return values[static_cast<std::size_t>(i)]; }
  Numbers numbers(std::uint64_t seed, std::int64_t rows) const {  // eighths, so that softmax is not one-hot
    Numbers out = data::random_small_integers(seed, static_cast<std::size_t>(rows * c_.d));
    for (double& value : out) value /= 8;
    return out;
  }
  // Plain softmax over all keys that the row sees.
  double expected(Integer head, Integer row, Integer column) const {
    const Integer token = c_.context - c_.tokens + row / c_.q_per_kv;
    double sum = 0, weighted = 0;
    for (Integer key = 0; key < c_.context && (c_.causal == 0 || key <= token); ++key) {
      const Integer in_k = (head * c_.context + key) * c_.d;
      double score = 0;
      for (Integer i = 0; i < c_.d; ++i) {
        score += at(vq_, (head * c_.query_rows() + row) * c_.d + i) * at(vk_, in_k + i);
      }
      const double weight = std::exp(score / std::sqrt(static_cast<double>(c_.d)));
      sum += weight;
      weighted += weight * at(vv_, in_k + column);
    }
    return weighted / sum;
  }
  std::vector<PeCoord> coords() const {
    std::vector<PeCoord> out;
    for (std::int64_t r = 0; r < c_.n_ranks; ++r) {
      out.push_back(place(c_, r));
      if (c_.axis == 1) out.push_back(pe_at(0, static_cast<std::uint32_t>(r), 1));
    }
    return out;
  }
  std::map<MailboxMachine::Port, MailboxMachine::Port> links() const {
    std::map<MailboxMachine::Port, MailboxMachine::Port> out;
    const std::size_t n = static_cast<std::size_t>(c_.n_ranks), step = c_.axis == 0 ? 1 : 2;
    for (std::size_t r = 0; r + (c_.axis == 0 ? 0 : 1) < n; ++r) {
      const std::size_t east = (r + 1) % n;
      if (east == r) continue;
      out[{r * step, "E"}] = {east * step, "W"};
      out[{east * step, "W"}] = {r * step, "E"};
    }
    return out;
  }

  Case c_;
  std::string kernel_;
  bool decode_;
  Spread q_, k_, v_, o_;
  Device device_;
  MailboxMachine machine_;
  Numbers vq_, vk_, vv_;
};

Case any_case() {
  Case c;
  c.tokens = *rc::gen::inRange<Integer>(1, 24);
  c.q_per_kv = *rc::gen::inRange<Integer>(1, 4);
  c.causal = *rc::gen::inRange<Integer>(0, 2);
  c.context = *rc::gen::inRange<Integer>(c.causal == 1 ? c.tokens : 1, 60);
  c.d = *rc::gen::inRange<Integer>(1, 9);
  c.heads = *rc::gen::inRange<Integer>(1, 3);
  c.n_ranks = *rc::gen::inRange<Integer>(1, 9);
  c.axis = *rc::gen::inRange<Integer>(0, 2);
  c.n_slots = *rc::gen::inRange<std::size_t>(1, 5);
  c.rows = *rc::gen::inRange<Integer>(1, 12);
  c.keys = *rc::gen::inRange<Integer>(1, 20);
  c.slot_bytes = 4 * c.d * *rc::gen::inRange<Integer>(1, 12) + *rc::gen::inRange<Integer>(0, 4);
  return c;
}

// How often a rank's rows begin with all keys, and pieces of them that do.
struct Work {
  Integer passes = 1, pieces = 0;
};
Work work_of(const Case& c) {
  const Integer part = (c.query_rows() + 2 * c.n_ranks - 1) / (2 * c.n_ranks);
  Work out{(part + c.rows - 1) / c.rows, 0};
  for (Integer rank = 0; rank < c.n_ranks; ++rank) {
    const auto rows = static_cast<Integer>(share(c.query_rows(), c.n_ranks, rank).size());
    if (rows <= std::min<Integer>(32, c.rows)) {
      out.pieces += rows > 0 ? 1 : 0;
      continue;
    }
    const Integer low = (rows + 1) / 2, high = rows / 2;
    out.pieces += tl::Context::cdiv(low, c.rows) + tl::Context::cdiv(high, c.rows);
  }
  return out;
}
// Blocks of the keys of a rank that travel.
Integer blocks_of(const Case& c, Integer rank) {
  const Integer keys = std::min(c.keys, c.slot_bytes / c.row_bytes());
  const auto all = static_cast<Integer>(share(c.context, c.n_ranks, rank).size());
  if (c.context <= keys * c.n_ranks) return all > 0 ? 1 : 0;
  return keys == 1 ? all : tl::Context::cdiv((all + 1) / 2, keys / 2);
}

TEST(AttentionMeshKv, EveryRankAttendsOverAllKeysThatItSees_K82_K83_K91) {
  EXPECT_TRUE(rc::check("prefill on any ring or line, any queue", [] {
    const Case c = any_case();
    Attention attention(c, "attention_mesh_kv");
    attention.run();
    for (Integer rank = 0; rank < c.n_ranks; ++rank) RC_ASSERT(attention.error(rank) < 1e-5);
    const Work work = work_of(c);
    Integer blocks = 0;
    for (Integer rank = 0; rank < c.n_ranks; ++rank) blocks += blocks_of(c, rank);
    const Integer gemms = 2 * c.heads * work.pieces * blocks;
    RC_ASSERT((c.causal == 1 ? attention.count("gemm") <= gemms : attention.count("gemm") == gemms));  // K-84
    // Everyone gets each block of everyone else once in each pass, as K and as V.
    RC_ASSERT(attention.count("send") == 2 * c.heads * work.passes * blocks * (c.n_ranks - 1));
    RC_ASSERT(attention.count("recv") == attention.count("send"));
    RC_ASSERT(attention.machine().all_read());
  }));
}

// 512 tokens over themselves: of 64 tiles of 8 keys, row tile g sees the first g + 1, and each rank has row tiles whose
// sum of these is 520, where it would be 1024 without a mask.
TEST(AttentionMeshKv, ACausalMaskHalvesTheWorkOfEachRank_K84_K89) {
  Case c;
  c.tokens = c.context = 512;
  c.rows = 8;
  c.keys = 16;
  c.slot_bytes = c.keys * c.row_bytes();
  const int tile = 2 * 8 * 8 * static_cast<int>(c.d);
  for (const Integer axis : {0, 1}) {
    for (const Integer causal : {0, 1}) {
      c.axis = axis;
      c.causal = causal;
      Attention attention(c, "attention_mesh_kv");
      attention.run();
      for (std::size_t rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(attention.count(rank * (axis == 0 ? 1 : 2), "macs"), (causal == 1 ? 520 : 1024) * tile)
            << axis << rank;
      }
    }
  }
}

TEST(AttentionMeshMlo, PartialsAreMergedIntoTheWhole_K82_K83_K84) {
  EXPECT_TRUE(rc::check("decode on any ring or line, any queue, any root", [] {
    Case c = any_case();
    c.slot_bytes = *rc::gen::inRange<Integer>(4, 100);
    c.root = *rc::gen::inRange<Integer>(-1, c.n_ranks);
    c.broadcast = *rc::gen::inRange<Integer>(0, 2);
    Attention attention(c, "attention_mesh_mlo");
    attention.run();
    const Integer root = c.root >= 0 ? c.root : c.axis == 0 ? 0 : c.n_ranks / 2;
    for (Integer rank = 0; rank < c.n_ranks; ++rank) {
      if (rank == root || c.broadcast == 1) {
        RC_ASSERT(attention.error(rank) < 1e-5);
      } else {
        RC_ASSERT(attention.unwritten(rank));
      }
    }
    Integer gemms = 0, up = 0, down = 0;
    for (Integer first = 0; first < c.query_rows(); first += c.rows) {
      const Integer rows = std::min(c.rows, c.query_rows() - first);
      const Integer token = c.context - c.tokens + (first + rows - 1) / c.q_per_kv;
      for (Integer rank = 0; rank < c.n_ranks; ++rank) {
        Integer seen = 0;
        for (const Integer key : share(c.context, c.n_ranks, rank)) seen += c.causal == 0 || key <= token ? 1 : 0;
        gemms += 2 * c.heads * tl::Context::cdiv(seen, c.keys);
      }
      up += tl::Context::cdiv(rows * (c.d + 2), c.slot_bytes / 4);
      down += c.broadcast * tl::Context::cdiv(rows * c.d, c.slot_bytes / 4);
    }
    RC_ASSERT(attention.count("gemm") == gemms);
    RC_ASSERT(attention.count("send") == (c.n_ranks - 1) * c.heads * (up + down));
    RC_ASSERT(attention.count("recv") == attention.count("send"));
    RC_ASSERT(attention.machine().all_read());
  }));
}

TEST(AttentionKernels, HalfPrecisionStaysWithinItsRoundings) {
  for (const char* kernel : {"attention_mesh_kv", "attention_mesh_mlo"}) {
    for (const Integer axis : {0, 1}) {
      Case c;
      c.dtype = Dtype::f16;
      c.axis = axis;
      c.broadcast = 1;
      Attention attention(c, kernel);
      attention.run();
      // |V| <= 1: two roundings to f16 of values of at most 1.
      for (Integer rank = 0; rank < c.n_ranks; ++rank) EXPECT_LT(attention.error(rank), 2 * 0x1p-11) << kernel;
    }
  }
}

TEST(AttentionKernels, OtherPesAreSilent_K86_K102) {
  for (const char* kernel : {"attention_mesh_kv", "attention_mesh_mlo"}) {
    Case c;
    c.axis = 1;
    Attention attention(c, kernel);
    attention.run();
    for (std::size_t pe = 0; pe < 8; ++pe) {
      EXPECT_EQ(attention.machine().commands(pe).empty(), pe % 2 == 1) << kernel << pe;
    }
  }
}

// The way is halved on a ring, and on a line from its centre.
TEST(AttentionMeshMlo, TheRootHearsFromBothSides_K91) {
  for (const Integer axis : {0, 1}) {
    Case c;
    c.n_ranks = 5;
    c.axis = axis;
    c.slot_bytes = 4096;
    Attention attention(c, "attention_mesh_mlo");
    attention.run();
    const std::size_t step = axis == 0 ? 1 : 2, root = axis == 0 ? 0 : 2;
    for (std::size_t rank = 0; rank < 5; ++rank) {
      EXPECT_EQ(attention.count(rank * step, "send"), rank == root ? 0 : 1) << axis << rank;
    }
    EXPECT_EQ(attention.count(root * step, "recv"), 2);
  }
}

TEST(AttentionKernels, SizesThatDoNotFitAreRefused_K89) {
  const auto refused = [](const std::function<void(Case&)>& change, const std::vector<std::string>& pieces,
                          const std::string& kernel = "attention_mesh_kv") {
    Case c;
    change(c);
    expect_program_error([&] { Attention(c, kernel).run(); }, "KERNEL_ERROR", pieces);
  };
  refused([](Case& c) { c.slot_bytes = 31; }, {"not a single row of K"});
  refused([](Case& c) { c.slot_bytes = 3; }, {"not a single f32"}, "attention_mesh_mlo");
  refused([](Case& c) { c.root = 4; }, {"the root is not a rank"}, "attention_mesh_mlo");
  refused([](Case& c) { c.axis = 2; }, {"rank_axis is 0"});
  refused([](Case& c) { c.tokens = 17; }, {"causal queries are the last tokens"});
  refused([](Case& c) { c.keys = 0; }, {"rows and keys are at least 1"});
}

}  // namespace
}  // namespace kb::tests

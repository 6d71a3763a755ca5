// The attention kernels on PEs without time: right for any sizes, ranks and queues (K-82 .. K-91).
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "kernels/tl/tl.h"
#include "platform/data/reference.h"
#include "tests/unit/kernels/expect_error.h"
#include "tests/unit/kernels/mailbox_machine.h"

namespace kb::tests {
namespace {

using Numbers = std::vector<double>;

struct Case {
  std::int64_t rows = 2, keys = 4, d = 8, heads = 1, n_ranks = 4, axis = 0, slot_bytes = 64;
  std::size_t n_slots = 1;
  Dtype dtype = Dtype::f32;
  std::int64_t root = -1, broadcast = 0;
};

// Rank r at PE r of cube 0, or at PE 0 of cube r with a second PE in every cube.
PeCoord place(const Case& c, std::int64_t rank) {
  const auto r = static_cast<std::uint32_t>(rank);
  return c.axis == 0 ? pe_at(0, 0, r) : pe_at(0, r, 0);
}

LayoutPtr over_ranks(const Case& c, const char* name, std::int64_t rows, std::uint64_t pa) {
  LayoutPtr layout = empty_layout(name, c.dtype, {c.n_ranks * rows, c.d}, {rows, c.d});
  const std::uint64_t part = layout->nbytes / static_cast<std::uint64_t>(c.n_ranks);
  for (std::int64_t r = 0; r < c.n_ranks; ++r) {
    const auto i = static_cast<std::uint64_t>(r);
    layout->shards.push_back({place(c, r), pa + i * 0x100000, part, i * part});
  }
  return layout;
}

class Attention {
 public:
  explicit Attention(const Case& c)
      : c_(c),
        q_(over_ranks(c, "q", c.heads * c.rows, 0x100000000)),
        k_(over_ranks(c, "k", c.heads * c.keys, 0x200000000)),
        v_(over_ranks(c, "v", c.heads * c.keys, 0x300000000)),
        o_(over_ranks(c, "o", c.heads * c.rows, 0x400000000)),
        machine_(device_, coords(), c.axis == 0 ? static_cast<int>(c.n_ranks) : 2,
                 c.axis == 0 ? 1 : static_cast<int>(c.n_ranks), c.n_slots, links()) {}

  void run(const std::string& kernel) {
    const bool decode = kernel == "attention_mesh_mlo";
    vq_ = decode ? repeated(numbers(1, c_.heads * c_.rows)) : numbers(1, c_.n_ranks * c_.heads * c_.rows);
    vk_ = numbers(2, c_.n_ranks * c_.heads * c_.keys);
    vv_ = numbers(3, c_.n_ranks * c_.heads * c_.keys);
    device_.write(*q_, vq_);
    device_.write(*k_, vk_);
    device_.write(*v_, vv_);
    std::vector<contract::NamedArg> args{{"q", as_arg(q_)},
                                         {"k", as_arg(k_)},
                                         {"v", as_arg(v_)},
                                         {"o", as_arg(o_)},
                                         {"rows", c_.rows},
                                         {"keys", c_.keys},
                                         {"d", c_.d},
                                         {"heads", c_.heads},
                                         {"n_ranks", c_.n_ranks},
                                         {"rank_axis", c_.axis},
                                         {"slot_bytes", c_.slot_bytes}};
    if (decode) args.insert(args.end(), {{"root", c_.root}, {"broadcast", c_.broadcast}});
    machine_.run(*kernels::KernelCatalog().find(kernel), args);
  }

  // The largest error of what `rank` stored.
  double error(std::int64_t rank) {
    const std::int64_t size = c_.heads * c_.rows * c_.d;
    const auto& shard = o_->shards[static_cast<std::size_t>(rank)];
    const Numbers actual = data::to_doubles(c_.dtype, device_.engine.read({{shard.pa, shard.nbytes}}));
    double worst = 0;
    for (std::int64_t i = 0; i < size; ++i) {
      worst = std::max(worst, std::abs(actual[static_cast<std::size_t>(i)] -
                                       expected(rank, i / c_.d / c_.rows, i / c_.d % c_.rows, i % c_.d)));
    }
    return worst;
  }
  std::uint64_t unwritten(std::int64_t rank) {
    const auto& shard = o_->shards[static_cast<std::size_t>(rank)];
    try {
      device_.engine.read({{shard.pa, shard.nbytes}});
    } catch (const Error&) {
      return 1;
    }
    return 0;
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
  Numbers repeated(const Numbers& one) const {
    Numbers out;
    for (std::int64_t r = 0; r < c_.n_ranks; ++r) out.insert(out.end(), one.begin(), one.end());
    return out;
  }
  // Plain softmax over all keys of all ranks.
  double expected(std::int64_t rank, std::int64_t head, std::int64_t row, std::int64_t column) const {
    double sum = 0, weighted = 0;
    for (std::int64_t r = 0; r < c_.n_ranks; ++r) {
      for (std::int64_t key = 0; key < c_.keys; ++key) {
        const std::int64_t in_k = ((r * c_.heads + head) * c_.keys + key) * c_.d;
        double score = 0;
        for (std::int64_t i = 0; i < c_.d; ++i) {
          score += at(vq_, ((rank * c_.heads + head) * c_.rows + row) * c_.d + i) * at(vk_, in_k + i);
        }
        const double weight = std::exp(score / std::sqrt(static_cast<double>(c_.d)));
        sum += weight;
        weighted += weight * at(vv_, in_k + column);
      }
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
  LayoutPtr q_, k_, v_, o_;
  Device device_;
  MailboxMachine machine_;
  Numbers vq_, vk_, vv_;
};

Case any_case() {
  Case c;
  c.rows = *rc::gen::inRange<std::int64_t>(1, 5);
  c.keys = *rc::gen::inRange<std::int64_t>(1, 8);
  c.d = *rc::gen::inRange<std::int64_t>(1, 9);
  c.heads = *rc::gen::inRange<std::int64_t>(1, 3);
  c.n_ranks = *rc::gen::inRange<std::int64_t>(1, 9);
  c.axis = *rc::gen::inRange<std::int64_t>(0, 2);
  c.n_slots = *rc::gen::inRange<std::size_t>(1, 5);
  c.slot_bytes = 4 * c.d * *rc::gen::inRange<std::int64_t>(1, 4) + *rc::gen::inRange<std::int64_t>(0, 4);
  return c;
}

TEST(AttentionMeshKv, EveryRankAttendsOverAllKeys_K82_K83_K91) {
  EXPECT_TRUE(rc::check("prefill on any ring or line, any queue", [] {
    const Case c = any_case();
    Attention attention(c);
    attention.run("attention_mesh_kv");
    for (std::int64_t rank = 0; rank < c.n_ranks; ++rank) RC_ASSERT(attention.error(rank) < 1e-5);
    const std::int64_t blocks = tl::Context::cdiv(c.keys, c.slot_bytes / (4 * c.d)) * c.heads;
    RC_ASSERT(attention.count("gemm") == 2 * blocks * c.n_ranks * c.n_ranks);  // K-84
    // Everyone gets each block of everyone else once, as K and as V.
    RC_ASSERT(attention.count("send") == 2 * blocks * c.n_ranks * (c.n_ranks - 1));
    RC_ASSERT(attention.count("recv") == attention.count("send"));
    RC_ASSERT(attention.machine().all_read());
  }));
}

TEST(AttentionMeshMlo, PartialsAreMergedIntoTheWhole_K82_K83_K84) {
  EXPECT_TRUE(rc::check("decode on any ring or line, any queue, any root", [] {
    Case c = any_case();
    c.slot_bytes = *rc::gen::inRange<std::int64_t>(4, 100);
    c.root = *rc::gen::inRange<std::int64_t>(-1, c.n_ranks);
    c.broadcast = *rc::gen::inRange<std::int64_t>(0, 2);
    Attention attention(c);
    attention.run("attention_mesh_mlo");
    const std::int64_t root = c.root >= 0 ? c.root : c.axis == 0 ? 0 : c.n_ranks / 2;
    for (std::int64_t rank = 0; rank < c.n_ranks; ++rank) {
      if (rank == root || c.broadcast == 1) {
        RC_ASSERT(attention.error(rank) < 1e-5);
      } else {
        RC_ASSERT(attention.unwritten(rank) == 1u);
      }
    }
    RC_ASSERT(attention.count("gemm") == 2 * c.n_ranks * c.heads);
    const std::int64_t up = tl::Context::cdiv(c.rows * (c.d + 2), c.slot_bytes / 4);
    const std::int64_t down = c.broadcast * tl::Context::cdiv(c.rows * c.d, c.slot_bytes / 4);
    RC_ASSERT(attention.count("send") == (c.n_ranks - 1) * c.heads * (up + down));
    RC_ASSERT(attention.count("recv") == attention.count("send"));
    RC_ASSERT(attention.machine().all_read());
  }));
}

TEST(AttentionKernels, HalfPrecisionStaysWithinItsRoundings) {
  for (const char* kernel : {"attention_mesh_kv", "attention_mesh_mlo"}) {
    for (const std::int64_t axis : {0, 1}) {
      Case c;
      c.dtype = Dtype::f16;
      c.axis = axis;
      c.broadcast = 1;
      Attention attention(c);
      attention.run(kernel);
      // |V| <= 1: two roundings to f16 of values of at most 1.
      for (std::int64_t rank = 0; rank < c.n_ranks; ++rank) EXPECT_LT(attention.error(rank), 2 * 0x1p-11) << kernel;
    }
  }
}

TEST(AttentionKernels, OtherPesAreSilent_K86_K102) {
  for (const char* kernel : {"attention_mesh_kv", "attention_mesh_mlo"}) {
    Case c;
    c.axis = 1;
    Attention attention(c);
    attention.run(kernel);
    for (std::size_t pe = 0; pe < 8; ++pe) {
      EXPECT_EQ(attention.machine().commands(pe).empty(), pe % 2 == 1) << kernel << pe;
    }
  }
}

// The way is halved on a ring, and on a line from its centre.
TEST(AttentionMeshMlo, TheRootHearsFromBothSides_K91) {
  for (const std::int64_t axis : {0, 1}) {
    Case c;
    c.n_ranks = 5;
    c.axis = axis;
    c.slot_bytes = 4096;
    Attention attention(c);
    attention.run("attention_mesh_mlo");
    const std::size_t step = axis == 0 ? 1 : 2, root = axis == 0 ? 0 : 2;
    for (std::size_t rank = 0; rank < 5; ++rank) {
      EXPECT_EQ(attention.count(rank * step, "send"), rank == root ? 0 : 1) << axis << rank;
    }
    EXPECT_EQ(attention.count(root * step, "recv"), 2);
  }
}

TEST(AttentionKernels, SizesThatDoNotFitAreRefused_K89) {
  const auto refused = [](Case c, const std::function<void(Case&)>& change, const std::vector<std::string>& pieces,
                          const std::string& kernel = "attention_mesh_kv") {
    change(c);
    expect_program_error([&] { Attention(c).run(kernel); }, "KERNEL_ERROR", pieces);
  };
  refused({}, [](Case& c) { c.slot_bytes = 31; }, {"not a single row of K"});
  refused(
      {}, [](Case& c) { c.slot_bytes = 3; }, {"not a single f32"}, "attention_mesh_mlo");
  refused(
      {}, [](Case& c) { c.root = 4; }, {"the root is not a rank"}, "attention_mesh_mlo");
  refused({}, [](Case& c) { c.axis = 2; }, {"rank_axis is 0"});
}

}  // namespace
}  // namespace kb::tests

// Sections of random changes against a plain model, and what they are made with.
#include "platform/waves/section.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "platform/waves/lz4_block.h"

namespace kb::waves {
namespace {

using Edges = std::map<std::pair<std::uint32_t, std::int64_t>, std::uint64_t>;  // by signal and time

Edges edges_of(const Section& section) {
  Edges edges;
  for (const Section::Run& run : section.runs) {
    for (std::uint32_t i = run.first; i < run.first + run.count; ++i) {
      edges[{run.signal, section.times.at(section.steps[i].time).fs()}] = section.steps[i].value;
    }
  }
  return edges;
}

// Keeps the latest report of each signal and time, and drops what changes nothing.
class PlainSignals {
 public:
  void report(std::uint32_t signal, std::int64_t at, std::uint64_t value) { reports_[{signal, at}] = value; }
  Edges edges(std::int64_t from, std::int64_t until) const {
    Edges edges;
    std::map<std::uint32_t, std::uint64_t> values;
    for (const auto& [key, value] : reports_) {
      if (values[key.first] == value) continue;
      values[key.first] = value;
      if (key.second >= from && key.second < until) edges[key] = value;
    }
    return edges;
  }

 private:
  Edges reports_;
};

class RandomSections : public testing::TestWithParam<unsigned> {};

TEST_P(RandomSections, EqualThePlainModelWhateverThePartsAndTheMemory) {
  std::mt19937_64 random(GetParam());
  constexpr std::int64_t kSpan = 2000;
  const std::uint32_t signals = 1 + random() % 60;
  ChangeStore store(GetParam() % 2 == 0 ? 64 : 100'000);  // the first one puts most of it aside
  SectionBuilder builder;
  for (std::uint32_t s = 0; s < signals; ++s) builder.set_value(s, 0);
  PlainSignals plain;
  std::int64_t from = 0;
  while (from < kSpan) {
    const std::int64_t until = from + 1 + static_cast<std::int64_t>(random() % 300);
    for (std::uint64_t i = random() % 900; i-- > 0;) {
      const auto signal = static_cast<std::uint32_t>(random() % signals);
      const std::int64_t at = from + static_cast<std::int64_t>(random() % 500);
      const std::uint64_t value = random() % 3 == 0 ? random() : random() % 4;
      store.add(TimeFs(at), signal, value);
      plain.report(signal, at, value);
    }
    store.each(TimeFs(until), [&](const Change& change) { builder.add(change); });
    EXPECT_EQ(edges_of(builder.build(true)), plain.edges(from, until)) << "kept, so that the next gives the same";
    store.take(TimeFs(until), [&](const Change& change) { builder.add(change); });
    const Section& section = builder.build(false);
    EXPECT_EQ(edges_of(section), plain.edges(from, until));
    for (std::size_t i = 1; i < section.times.size(); ++i) ASSERT_LT(section.times[i - 1], section.times[i]);
    from = until;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSections, testing::Range(0u, 30u));

// The format's definition, read literally.
std::vector<unsigned char> unpacked(const std::vector<unsigned char>& packed) {
  std::vector<unsigned char> out;
  std::size_t i = 0;
  const auto length = [&](std::size_t in_token) {
    std::size_t sum = in_token;
    if (in_token == 15) {
      do sum += packed.at(i);
      while (packed.at(i++) == 255);
    }
    return sum;
  };
  while (i < packed.size()) {
    const unsigned token = packed.at(i++);
    for (std::size_t n = length(token >> 4); n > 0; --n) out.push_back(packed.at(i++));
    if (i == packed.size()) break;
    const std::size_t back = packed.at(i) | packed.at(i + 1) << 8;
    i += 2;
    for (std::size_t n = length(token & 15) + 4; n > 0; --n) out.push_back(out.at(out.size() - back));
  }
  return out;
}

TEST(Lz4Packer, BlocksComeBackOneByOne) {
  std::mt19937 random(1);
  Lz4Packer packer;
  std::size_t before = 0, after = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<unsigned char> bytes(random() % (round % 100 == 0 ? 200'000 : 400));
    const std::size_t period = 1 + random() % 40, symbols = 1 + random() % 8, noise = 2 + random() % 200;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const bool is_new = i < period || random() % noise == 0;
      bytes[i] = is_new ? static_cast<unsigned char>(random() % symbols) : bytes[i - period];
    }
    std::vector<unsigned char> packed(bytes.size());
    packed.resize(packer.pack(bytes.data(), bytes.size(), packed.data()));
    if (packed.empty()) continue;
    ASSERT_LT(packed.size(), bytes.size());
    ASSERT_EQ(unpacked(packed), bytes);
    before += bytes.size();
    after += packed.size();
  }
  EXPECT_GT(before, 3'000'000u);
  EXPECT_LT(after * 2, before);
}

TEST(Lz4Packer, WhatDoesNotRepeatStaysAsItIs) {
  std::mt19937 random(1);
  std::vector<unsigned char> bytes(5000), packed(bytes.size());
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
  EXPECT_EQ(Lz4Packer().pack(bytes.data(), bytes.size(), packed.data()), 0u);
  EXPECT_EQ(Lz4Packer().pack(bytes.data(), 12, packed.data()), 0u);
}

}  // namespace
}  // namespace kb::waves

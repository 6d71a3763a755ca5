#include "platform/observe/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>
#include <string>

namespace kb::observe {
namespace {

std::string unpacked(std::string bytes) {
  z_stream z{};
  inflateInit2(&z, 15 + 16);
  z.next_in = reinterpret_cast<Bytef*>(bytes.data());
  z.avail_in = static_cast<uInt>(bytes.size());
  std::string text(std::size_t{1} << 22, '\0');
  z.next_out = reinterpret_cast<Bytef*>(text.data());
  z.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&z, Z_FINISH), Z_STREAM_END);
  text.resize(z.total_out);
  inflateEnd(&z);
  return text;
}

TEST(Gzip, WhatIsUnpackedIsWhatWasAdded) {
  std::mt19937 random(3);
  std::string all, packed;
  Gzip gzip([&](std::string_view piece) { packed += piece; });
  for (int piece = 0; piece < 40; ++piece) {
    std::string bytes;
    for (unsigned i = random() % 50'000; i > 0; --i) bytes += static_cast<char>(piece % 2 == 0 ? random() : 'x');
    gzip.add(bytes);
    all += bytes;
  }
  gzip.finish();
  EXPECT_EQ(unpacked(packed), all);
  EXPECT_LT(packed.size(), all.size());
}

TEST(Gzip, NothingIsAFile) {
  std::string packed;
  Gzip gzip([&](std::string_view piece) { packed += piece; });
  gzip.finish();
  EXPECT_EQ(unpacked(packed), "");
}

// Another program's gzip file, of two members: the shell's `(printf 'a\n' | gzip -n; printf 'bc\n' | gzip -n)`.
const std::string kTwoMembers(
    "\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\xe4\x02\0\x07\xa1\xea\xdd\x02\0\0\0"
    "\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\x4a\xe6\x02\0\x26\x17\x17\x1a\x03\0\0\0",
    45);

TEST(Gunzip, ReadsMembersOneAfterTheOtherInAnyPieces) {
  for (std::size_t piece : {1, 7, 64}) {
    std::string text;
    Gunzip gunzip([&](std::string_view bytes) { text += bytes; });
    for (std::size_t at = 0; at < kTwoMembers.size(); at += piece) {
      EXPECT_TRUE(gunzip.add(std::string_view(kTwoMembers).substr(at, piece)));
    }
    EXPECT_TRUE(gunzip.complete());
    EXPECT_EQ(text, "a\nbc\n") << piece;
  }
}

TEST(Gunzip, DamagedAndCutOffDataAreNoticed) {
  const auto read = [](const std::string& bytes) {
    Gunzip gunzip([](std::string_view) {});
    return gunzip.add(bytes) ? (gunzip.complete() ? "whole" : "cut off") : "damaged";
  };
  EXPECT_STREQ(read(kTwoMembers), "whole");
  EXPECT_STREQ(read(kTwoMembers.substr(0, 42)), "cut off");
  EXPECT_STREQ(read(kTwoMembers.substr(0, 9)), "cut off");
  EXPECT_STREQ(read("text"), "damaged");
  std::string changed = kTwoMembers;
  changed[15] ^= 1;  // in the checksum
  EXPECT_STREQ(read(changed), "damaged");
}

}  // namespace
}  // namespace kb::observe

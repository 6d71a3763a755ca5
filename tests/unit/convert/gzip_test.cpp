#include "sim/analysis/convert/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>
#include <string>

namespace kb::convert {
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

}  // namespace
}  // namespace kb::convert

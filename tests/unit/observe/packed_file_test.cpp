#include "platform/observe/packed_file.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "platform/base/error.h"

namespace kb::observe {
namespace {

using testing::HasSubstr;

class PackedFile : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    OutputFile file(path(name), "the test's file");
    PackedOutput out(file);
    for (const char c : text) out << c;
    out.finish();
    file.commit();
  }
  std::string bytes(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string read(const std::string& name) const {
    PackedInputStream in(path(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // What gzip itself makes of the file.
  std::string gunzip(const std::string& name) const {
    std::string text;
    std::FILE* const pipe = popen(("gzip -dc '" + path(name) + "'").c_str(), "r");
    char room[4096];
    for (std::size_t size; (size = std::fread(room, 1, sizeof room, pipe)) > 0;) text.append(room, size);
    EXPECT_EQ(pclose(pipe), 0);
    return text;
  }
  std::string folder_ = testing::TempDir() + "packed_file_test." + std::to_string(getpid());
};

std::string long_text() {
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += std::to_string(i * 7919) + '\n';
  return text;
}

TEST_F(PackedFile, TheNameDecidesWhetherItIsPacked) {
  write("a.txt", long_text());
  write("a.txt.gz", long_text());
  EXPECT_EQ(bytes("a.txt"), long_text());
  EXPECT_LT(bytes("a.txt.gz").size(), long_text().size() / 2);
  EXPECT_EQ(gunzip("a.txt.gz"), long_text());
}

TEST_F(PackedFile, TheFirstBytesDecideWhetherItIsUnpacked) {
  write("a.txt", long_text());
  write("b.gz", long_text());
  std::filesystem::rename(path("b.gz"), path("b.txt"));
  EXPECT_EQ(read("a.txt"), long_text());
  EXPECT_EQ(read("b.txt"), long_text());
  write("empty.gz", "");
  write("empty", "");
  EXPECT_EQ(read("empty.gz"), "");
  EXPECT_EQ(read("empty"), "");
}

TEST_F(PackedFile, ErrorsAreThrownByTheReadingCall) {
  EXPECT_THROW(PackedInputStream(path("none")), std::system_error);
  EXPECT_THROW(read("."), std::system_error);
  write("a.gz", long_text());
  const std::string packed = bytes("a.gz");
  const auto message = [&](const std::string& changed) -> std::string {
    std::ofstream(path("b.gz"), std::ios::binary) << changed;
    try {
      PackedInputStream in(path("b.gz"));
      std::string line;
      while (std::getline(in, line)) {
      }
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(packed), "");
  EXPECT_THAT(message(packed.substr(0, packed.size() / 2)), HasSubstr("b.gz: the packed file is cut off"));
  std::string damaged = packed;
  damaged[packed.size() / 2] ^= 0x40;
  damaged[packed.size() / 2 + 1] ^= 0x40;
  EXPECT_THAT(message(damaged), HasSubstr("b.gz: the packed file is damaged"));
}

}  // namespace
}  // namespace kb::observe

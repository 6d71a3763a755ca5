// Stores of launches with known times of use, for tests.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "platform/base/error.h"
#include "sim/study/files/journal.h"
#include "sim/study/step/memo.h"
#include "sim/study/store/store.h"

namespace kb::store {

inline constexpr std::int64_t kSecond = 1'700'000'000;  // 2023-11-14, when files of the tests are begun
inline constexpr std::int64_t kDay = 24 * 60 * 60;
inline constexpr const char* kOtherVersion = "0123456789ab";

// A line of a store.
inline std::string line_of(const std::string& key, const std::string& value) {
  return files::Journal::line(step::stored_key(step::own_version(), key), value);
}
inline std::string other_line(const std::string& key, const std::string& value) {
  return files::Journal::line(step::stored_key(kOtherVersion, key), value);
}

class StoreFolder : public testing::Test {
 protected:
  StoreFolder()
      : root_(std::filesystem::path(testing::TempDir()) /
              (std::string("kb_store_") + testing::UnitTest::GetInstance()->current_test_info()->name() +
               std::to_string(::getpid()))) {
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  ~StoreFolder() override { std::filesystem::remove_all(root_); }

  std::string path(const std::string& name) const { return (root_ / name).string(); }
  // A file of a store that a program began at `second`; returns its name.
  std::string write(const std::string& store, std::int64_t second, const std::string& lines) const {
    std::filesystem::create_directories(path(store));
    const std::string file = files::Journal::new_name(path(store), second * 1000);
    std::ofstream(file, std::ios::binary) << lines;
    return file;
  }
  // Names and contents of the files, to see that nothing has changed.
  std::set<std::string> contents(const std::string& store) const {
    std::set<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path(store))) {
      std::ifstream in(entry.path(), std::ios::binary);
      all.insert(entry.path().string() + "\n" + std::string(std::istreambuf_iterator<char>(in), {}));
    }
    return all;
  }
  // Keys without their version.
  std::set<std::string> keys(const std::string& store) const {
    std::set<std::string> all;
    for (const auto& [key, entry] : read_store(path(store)).entries) all.insert(key.substr(key.find('-') + 1));
    return all;
  }
  // The message of an Error, and its exit code.
  template <typename Body>
  static std::pair<std::string, int> failure(Body body) {
    try {
      body();
    } catch (const Error& error) {
      return {error.what(), exit_code(error.family())};
    }
    return {"", 0};
  }

  std::filesystem::path root_;
};

}  // namespace kb::store

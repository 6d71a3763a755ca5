// Data files of which any one value is another one: a message, violated checks or figures, and nothing else (E-99).
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

#include "platform/base/error.h"
#include "sim/evaluate/catalog.h"
#include "sim/evaluate/json_file.h"

namespace kb::evaluate {
namespace {

constexpr int kValuesPerPlace = 5;  // of those that there are: equal members come many times

class DamagedDataTest : public testing::TestWithParam<const char*> {
 protected:
  DamagedDataTest() : evaluation_(find_evaluation(GetParam()).make({})) {
    data_ = read_json(KB_SOURCE_DIR "/tests/unit/evaluate/data/" + evaluation_->data_file(), kMostDataBytes);
  }
  // Whether figures can be drawn of it.
  bool is_read(const Json& data) const {
    try {
      evaluation_->csv(data);
      evaluation_->check(data);
      evaluation_->remarks(data);
      return !evaluation_->figures(data).empty();
    } catch (const Json::exception&) {
      return false;
    } catch (const Error& error) {
      EXPECT_EQ(error.family(), ErrorFamily::configuration) << error.what();
      return false;
    }
  }
  std::unique_ptr<IEvaluation> evaluation_;
  Json data_;
};

void collect(const Json& value, const Json::json_pointer& at, std::vector<Json::json_pointer>& places) {
  places.push_back(at);
  if (!value.is_structured()) return;
  for (const auto& [key, child] : value.items()) {
    collect(child, value.is_array() ? at / std::stoul(key) : at / key, places);
  }
}

std::vector<Json> strange_values() {
  return {nullptr,
          true,
          0,
          -1,
          0.5,
          std::int64_t{1} << 31,
          std::numeric_limits<std::int64_t>::max(),
          std::numeric_limits<std::int64_t>::min(),
          std::numeric_limits<std::uint64_t>::max(),
          1e300,
          -1e300,
          1e-320,
          "",
          "../../x",
          std::string(5000, 'x'),
          Json::array(),
          Json::object(),
          Json::array({1, 2})};
}

TEST_P(DamagedDataTest, OneStrangeValueIsNoCrash_E99) {
  ASSERT_TRUE(is_read(data_));
  std::vector<Json::json_pointer> places;
  collect(data_, Json::json_pointer(), places);
  const std::vector<Json> values = strange_values();
  std::size_t next = 0;
  for (const Json::json_pointer& place : places) {
    SCOPED_TRACE(place.to_string());
    const Json before = data_.at(place);
    for (int i = 0; i < kValuesPerPlace; ++i) {
      const Json& value = values[next++ % values.size()];
      data_.at(place) = value;
      SCOPED_TRACE(value.dump().substr(0, 30));
      try {
        is_read(data_);
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
    }
    data_.at(place) = before;
  }
}

Json without(const Json& parent, const std::string& left_out) {
  Json rest = parent.is_array() ? Json::array() : Json::object();
  for (const auto& [key, child] : parent.items()) {
    if (key == left_out) continue;
    if (parent.is_array()) {
      rest.push_back(child);
    } else {
      rest[key] = child;
    }
  }
  return rest;
}

TEST_P(DamagedDataTest, OneMissingValueIsNoCrash_E99) {
  std::vector<Json::json_pointer> places;
  collect(data_, Json::json_pointer(), places);
  for (const Json::json_pointer& place : places) {
    if (place.empty()) continue;
    SCOPED_TRACE(place.to_string());
    Json damaged = data_;
    damaged.at(place.parent_pointer()) = without(data_.at(place.parent_pointer()), place.back());
    is_read(damaged);
  }
}

INSTANTIATE_TEST_SUITE_P(All, DamagedDataTest,
                         testing::Values("gemm", "pe-dma", "pe2pe", "allreduce", "gqa", "validation"),
                         [](const auto& test) {
                           std::string name = test.param;
                           name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
                           return name;
                         });

}  // namespace
}  // namespace kb::evaluate

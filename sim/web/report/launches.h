// Launches as result.json has them, for questions about their times and for the part of a report without scripts.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kb::web {

using Json = nlohmann::ordered_json;

// Members of an object that may be anything; null, "", 0 or an empty list where they are not of that kind.
const Json& member(const Json& object, const char* name);
std::string text_of(const Json& object, const char* name);
double number_of(const Json& object, const char* name);
const Json& list_of(const Json& object, const char* name);
// A value as people write it: texts without quotes.
std::string plain(const Json& value);

struct Window {
  std::int64_t begin_fs = 0, end_fs = 0;
  std::int64_t span() const { return end_fs - begin_fs; }
  bool empty() const { return end_fs <= begin_fs; }
};

struct LaunchTimes {
  const Json* json = nullptr;
  std::string name;  // "gemm (first layer)"
  std::string sip;   // "sip0"
  Window whole;      // from submission to completion
  Window kernel;     // from its first start until its last end; empty when no PE ran it
  std::string pe;    // the one that ended last
};

// Those that have ended, in the order of the file; `summary` is what RunFolder::summary() says and outlives them.
std::vector<LaunchTimes> launches_of(const Json& summary);
// The one that took longest, the first of equals; null without launches.
const LaunchTimes* longest_of(const std::vector<LaunchTimes>& launches);

}  // namespace kb::web

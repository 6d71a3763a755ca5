// Argument checks in addition to CLI11, which parses numbers like C, does not suggest names, and mishandles "--".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/units.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kb::cli {

// Usage Error for an unknown option, a missing value, or an option that must not be repeated. Arguments after "--" are
// returned in a form that is not parsed as options.
std::vector<std::string> check_arguments(const CLI::App& app, const std::vector<std::string>& args);

// Adds an option for a decimal integer in a range.
CLI::Option* add_whole_option(CLI::App& app, const std::string& name, std::uint64_t& target, std::uint64_t low,
                              std::uint64_t high, const std::string& help);
// Adds an option for a finite number in a range.
CLI::Option* add_real_option(CLI::App& app, const std::string& name, double& target, double low, double high,
                             const std::string& help);
// Adds an option for a span of simulated time: "FROM:TO" in nanoseconds, 0 <= FROM < TO.
void add_window_option(CLI::App& app, const std::string& name, std::optional<std::pair<TimeFs, TimeFs>>& window,
                       const std::string& help);

// Adds --host-time-limit-s to a command that simulates; 0 means no limit.
void add_host_time_limit(CLI::App& app, double& seconds);

}  // namespace kb::cli

// What CLI11 does not do: it reads numbers like C does, suggests no names and stumbles over "--".
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

// Usage Error for an unknown option, one without its value or one that is repeated for no reason. The arguments after
// "--" come back as such that no reader takes for options.
std::vector<std::string> check_arguments(const CLI::App& app, const std::vector<std::string>& args);

// An option for a decimal whole number in a range.
CLI::Option* add_whole_option(CLI::App& app, const std::string& name, std::uint64_t& target, std::uint64_t low,
                              std::uint64_t high, const std::string& help);
// An option for a finite number in a range.
CLI::Option* add_real_option(CLI::App& app, const std::string& name, double& target, double low, double high,
                             const std::string& help);
// An option for a span of simulated time: "FROM:TO" in nanoseconds, 0 <= FROM < TO.
void add_window_option(CLI::App& app, const std::string& name, std::optional<std::pair<TimeFs, TimeFs>>& window,
                       const std::string& help);

// --host-time-limit-s of the commands that simulate; 0 is none.
void add_host_time_limit(CLI::App& app, double& seconds);

}  // namespace kb::cli

#include "sim/cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "platform/base/nearest.h"
#include "platform/base/whole_number.h"
#include "platform/observe/json_writer.h"
#include "sim/cli/program.h"

namespace kb::cli {
namespace {

using Options = std::map<std::string, const CLI::Option*>;

// `shorts` maps each short name to its long name.
Options long_options(const CLI::App& app, std::vector<std::string>& names, std::map<std::string, std::string>& shorts) {
  Options options;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
      options["--" + name] = option;
    }
    for (const std::string& name : option->get_snames()) {
      if (name != "h" && !option->get_lnames().empty()) shorts["-" + name] = "--" + option->get_lnames().front();
    }
  }
  return options;
}

bool is_flag(const CLI::Option& option) {
  return option.get_items_expected_max() == 0 || option.get_expected_max() == 0;
}

void check_flag(const std::string& name, const std::string& value) {
  for (const char* word : {"true", "false", "1", "0", "on", "off", "yes", "no"}) {
    if (value == word) return;
  }
  throw usage_error(name + " takes no value, not '" + value + "'");
}

class Checker {
 public:
  explicit Checker(const CLI::App& app) : options_(long_options(app, names_, shorts_)) {
    for (const CLI::Option* option : app.get_options()) operands_ = operands_ || option->get_positional();
  }

  std::vector<std::string> check(const std::vector<std::string>& args) {
    for (std::size_t i = 0; i < args.size(); ++i) {
      const auto in_short = shorts_.find(args[i]);
      const std::string& arg = in_short == shorts_.end() ? args[i] : in_short->second;
      if (arg.empty()) refuse_empty();
      if (arg == "--") {
        for (++i; i < args.size(); ++i) out_.push_back(operand(args[i]));
        break;
      }
      out_.push_back(arg);
      if (arg.rfind("--", 0) == 0) {
        if (takes_next(arg)) out_.push_back(next_value(arg, args, ++i));
      } else if (arg.size() > 1 && arg[0] == '-' && arg != "-h") {
        refuse_unknown(arg);
      }
    }
    return std::move(out_);
  }

 private:
  // The usual cause is a shell variable that is not set.
  [[noreturn]] static void refuse_empty() { throw usage_error("an argument is empty; give a name, or leave it out"); }

  // There are too many options for one line; --help lists them.
  [[noreturn]] void refuse_unknown(const std::string& option) const {
    const std::string near = nearest_name(option, names_);
    throw usage_error("unknown option " + option + (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }

  // Only a file name can begin with '-', and a prefix "./" does not change its meaning.
  std::string operand(const std::string& arg) const {
    if (arg.empty()) refuse_empty();
    if (!operands_) throw usage_error("unexpected argument '" + arg + "' after --");
    return arg.rfind('-', 0) == 0 ? "./" + arg : arg;
  }

  bool takes_next(const std::string& arg) {
    const std::size_t equals = arg.find('=');
    const std::string name = arg.substr(0, equals);
    const auto found = options_.find(name);
    if (found == options_.end()) refuse_unknown(name);
    const CLI::Option& option = *found->second;
    if (is_flag(option)) {
      if (equals != std::string::npos) check_flag(name, arg.substr(equals + 1));
      return false;
    }
    const bool repeats = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    if (!given_.insert(name).second && !repeats) throw usage_error(name + " is given twice; give it once");
    if (equals + 1 == arg.size()) throw usage_error(name + " is given an empty value");
    return equals == std::string::npos;
  }

  static std::string next_value(const std::string& name, const std::vector<std::string>& args, std::size_t index) {
    if (index >= args.size() || args[index].rfind("--", 0) == 0) throw usage_error(name + " needs a value after it");
    // The usual cause of an empty value is a shell variable that is not set.
    if (args[index].empty()) throw usage_error(name + " is given an empty value");
    return args[index];
  }

  std::vector<std::string> names_;
  std::map<std::string, std::string> shorts_;
  Options options_;
  bool operands_ = false;
  std::set<std::string> given_;
  std::vector<std::string> out_;
};

// Without an exponent: 0.000001 is more readable than 1e-06.
std::string digits_of(double value) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  return error == std::errc{} ? std::string(buffer, end) : observe::shortest(value);
}

std::string range_text(const std::string& low, const std::string& high) {
  return "from " + low + " to " + high;
}

}  // namespace

std::vector<std::string> check_arguments(const CLI::App& app, const std::vector<std::string>& args) {
  return Checker(app).check(args);
}

CLI::Option* add_whole_option(CLI::App& app, const std::string& name, std::uint64_t& target, std::uint64_t low,
                              std::uint64_t high, const std::string& help) {
  const auto read = [&target, name, low, high](const std::string& text) {
    std::uint64_t value = 0;
    const std::errc error = parse_whole(text, value);
    if (error == std::errc{} && value >= low && value <= high) {
      target = value;
      return;
    }
    const std::string range = range_text(std::to_string(low), std::to_string(high));
    throw usage_error(name + " needs a whole number " + range + ", not '" + text + "'");
  };
  return app.add_option_function<std::string>(name, read, help)->type_name("N");
}

CLI::Option* add_real_option(CLI::App& app, const std::string& name, double& target, double low, double high,
                             const std::string& help) {
  const auto read = [&target, name, low, high](const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool number = error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
    if (number && value >= low && value <= high) {
      target = value;
      return;
    }
    const std::string range = range_text(digits_of(low), digits_of(high));
    throw usage_error(name + " needs a number " + range + ", not '" + text + "'");
  };
  return app.add_option_function<std::string>(name, read, help);
}

void add_window_option(CLI::App& app, const std::string& name, std::optional<std::pair<TimeFs, TimeFs>>& window,
                       const std::string& help) {
  const auto read = [&window, name](const std::string& text) {
    constexpr double kMaxNs = 1e12;
    const char* const end = text.data() + text.size();
    double from = 0, to = 0;
    const auto first = std::from_chars(text.data(), end, from);
    const bool divided = first.ec == std::errc{} && first.ptr != end && *first.ptr == ':';
    const auto second = divided ? std::from_chars(first.ptr + 1, end, to) : first;
    const bool numbers = divided && second.ec == std::errc{} && second.ptr == end;
    if (!numbers || !(from >= 0 && from < to && to <= kMaxNs) || ns_to_fs(from) >= ns_to_fs(to)) {
      throw usage_error(name + " needs two times in ns, FROM:TO, the first before the second, not '" + text + "'");
    }
    window.emplace(ns_to_fs(from), ns_to_fs(to));
  };
  app.add_option_function<std::string>(name, read, help)->type_name("FROM:TO");
}

void add_host_time_limit(CLI::App& app, double& seconds) {
  constexpr double kLeast = 1e-3;
  constexpr double kMax = 1e8;  // three years
  add_real_option(app, "--host-time-limit-s", seconds, kLeast, kMax,
                  "Stop after this time on this computer (exit code 4), whatever the run does")
      ->type_name("SECONDS");
}

}  // namespace kb::cli

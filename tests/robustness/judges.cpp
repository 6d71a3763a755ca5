#include "tests/robustness/judges.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/robustness/command_shape.h"
#include "tests/robustness/file_text.h"

namespace kb::robustness {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kSpareKb = 256 << 10;
constexpr std::size_t kBytesPerInputByte = 64;
constexpr double kKbPerSecond = 128 << 10;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t input_bytes(const AttackCase& attack, const Trial& trial) {
  std::size_t bytes = 0;
  for (const std::string& arg : attack.args) bytes += arg.size();
  for (const auto& [name, what] : trial.before) {
    if (what.rfind("file ", 0) == 0) bytes += std::stoul(what.substr(5));
  }
  return bytes;
}

std::string normal(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().generic_string();
}

std::string leaf(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// Whether the command line asks for this file to be written.
bool asked_for(const AttackCase& attack, const std::string& path) {
  const CommandShape shape = shape_of(attack.args);
  for (const std::string& file : shape.output_files) {
    if (normal(file) == path) return true;
    const auto link = attack.links.find(file);
    if (normal(file) == "link_to_user" && path == "user.txt") return true;
    if (normal(file) == "dangling" && path == "nowhere") return true;
    if (link != attack.links.end() && normal(link->second) == path) return true;
  }
  const bool evaluation = shape.command == "evaluate" || shape.command == "sweep";
  return std::any_of(shape.result_folders.begin(), shape.result_folders.end(), [&](const std::string& folder) {
    const bool drawing = path.rfind("_view.svg") != std::string::npos && path == normal(folder + "/" + leaf(path));
    if (!evaluation) {
      return drawing || path == normal(folder + "/result.json") || path == normal(folder + "/inputs.json");
    }
    return path.rfind(normal(folder + "/x").substr(0, normal(folder + "/x").size() - 1), 0) == 0;
  });
}

bool input_of(const AttackCase& attack, const std::string& path) {
  return attack.files.count(path) != 0 && path.find("result.json") == std::string::npos &&
         path.find("evaluation/") != 0;
}

// The command line reads the file, too; an evaluation replaces what lies in its folder.
bool also_read(const AttackCase& attack, const std::string& path) {
  const std::vector<std::string> outputs = shape_of(attack.args).output_files;
  const auto names = [&](const std::string& word) { return contains(word, path); };
  return std::count_if(attack.args.begin(), attack.args.end(), names) >
         std::count_if(outputs.begin(), outputs.end(), names);
}

// Programs tell of a failed run in the report unless --quiet or --json keeps it short.
std::string messages(const AttackCase& attack, const Trial& trial) {
  const CommandShape shape = shape_of(attack.args);
  return trial.end.code == 2 || shape.json || shape.quiet ? trial.err : trial.err + trial.out;
}

// A value of the command line or the environment that the message repeats is a place, too.
bool names_value(const AttackCase& attack, const std::string& message) {
  const auto said = [&](const std::string& text) {
    const std::string value = text.substr(text.rfind('=') + 1);  // all of a text without it
    return value.size() > 1 && contains(message, value);
  };
  const auto of_environment = [&](const auto& entry) { return contains(message, entry.first); };
  return std::any_of(attack.args.begin(), attack.args.end(),
                     [&](const auto& arg) { return !arg.empty() && said(arg); }) ||
         std::any_of(attack.environment.begin(), attack.environment.end(), of_environment);
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// `c` between two letters or digits: a dotted key, a file's name, a parameter.
bool joins_words(const std::string& text, char c) {
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == c && is_word(text[i - 1]) && is_word(text[i + 1])) return true;
  }
  return false;
}

bool contains_one_of(const std::string& text, std::initializer_list<const char*> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](const char* part) { return contains(text, part); });
}

}  // namespace

bool names_place(const std::string& message) {
  const bool quotes = std::count(message.begin(), message.end(), '\'') >= 2;
  return quotes || joins_words(message, '.') || joins_words(message, '_') || joins_words(message, ':') ||
         contains_one_of(message, {"--", "standard output", "launch #", " failed: "});
}

// A remedy stands in parentheses behind a problem of a file, or is a sentence with one of these words. A limit
// or a rule that is named is a remedy; a syntax error says what it met, which is all there is to say.
bool names_remedy(const std::string& message) {
  static const std::set<std::string> kWords = {"must",   "use",     "choose",   "write",   "need",  "needs",
                                               "known",  "instead", "between",  "above",   "below", "raise",
                                               "free",   "give",    "reduce",   "enlarge", "try",   "measure",
                                               "remove", "leave",   "numbered", "rename",  "take",  "only"};
  std::istringstream words(message);
  for (std::string word; words >> word;) {
    word.erase(std::remove_if(word.begin(), word.end(),
                              [](char c) { return std::ispunct(static_cast<unsigned char>(c)) != 0; }),
               word.end());
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (kWords.count(word) != 0) return true;
  }
  return contains_one_of(message,
                         {")\n",         "did you mean", "at least", "at most",      "more than",    "one of",
                          "multiple of", "wait until",   "not both", "who waits",    "machine has ", "run has ",
                          "group has ",  "SIP has ",     "evenly",   " takes all",   "twice",        "is written like",
                          "e.g.",        "`kernbench ",  "name a ",  "syntax error", "is not JSON"});
}

bool temporary_name(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return contains(name, ".tmp") || contains(name, ".part") || name.rfind(".kernbench", 0) == 0 ||
         contains(name, "-journal") || contains(name, "-wal") || contains(name, "-shm");
}

std::string readable(const std::string& text, std::size_t most) {
  std::string shown;
  for (const char c : text.substr(0, most)) {
    char code[8];
    std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned char>(c));
    const bool raw = c == '\n' || (static_cast<unsigned char>(c) >= ' ' && c != '\x7f');
    shown += raw ? std::string(1, c) : std::string(code);
  }
  return shown;
}

Finding judge_signal(const AttackCase&, const Trial& trial, const Setup&) {
  if (trial.end.signal == 0 || trial.end.timed_out) return std::nullopt;
  return "ended by signal " + std::to_string(trial.end.signal);
}

Finding judge_sanitizers(const AttackCase&, const Trial& trial, const Setup&) {
  for (const char* report : {"runtime error: ", "ERROR: AddressSanitizer"}) {
    const std::size_t at = trial.err.find(report);
    if (at == std::string::npos) continue;
    const std::size_t line = trial.err.rfind('\n', at) + 1;  // 0 without one
    return readable(trial.err.substr(line, trial.err.find('\n', at) - line), 400);
  }
  return std::nullopt;
}

Finding judge_exit_code(const AttackCase&, const Trial& trial, const Setup&) {
  if (trial.end.signal != 0 || trial.end.timed_out) return std::nullopt;
  const int code = trial.end.code;
  if (code == 3) return "exit code 3: " + readable(trial.err, 300);
  if (code == 0 || code == 1 || code == 2 || code == 4) return std::nullopt;
  return "exit code " + std::to_string(code) + ", which has no meaning";
}

Finding judge_time(const AttackCase&, const Trial& trial, const Setup& setup) {
  if (!trial.end.timed_out && trial.end.cpu_s <= setup.limits.cpu_s) return std::nullopt;
  return "more than " + std::to_string(static_cast<int>(setup.limits.cpu_s)) + " s";
}

Finding judge_memory(const AttackCase& attack, const Trial& trial, const Setup& setup) {
  if (setup.sanitized || trial.end.timed_out) return std::nullopt;
  // What is refused needs no more than its text; what is carried out may need more the longer it takes.
  const double seconds = trial.end.code == 2 ? 0.0 : trial.end.cpu_s;
  const std::size_t most = setup.baseline_kb + kSpareKb + kBytesPerInputByte * input_bytes(attack, trial) / 1024 +
                           static_cast<std::size_t>(seconds * kKbPerSecond);
  if (trial.end.peak_kb <= most) return std::nullopt;
  return std::to_string(trial.end.peak_kb / 1024) + " MB, more than " + std::to_string(most / 1024) + " MB";
}

// Numbers that are wrong, or that break a rule of an evaluation, have no remedy that a message could name.
Finding judge_message(const AttackCase& attack, const Trial& trial, const Setup&) {
  if (trial.end.code == 0 || trial.end.code == 3 || trial.end.signal != 0 || trial.end.timed_out) return std::nullopt;
  const std::string said = messages(attack, trial);
  if (said.empty()) return "no message";
  if (trial.end.code == 1 && contains_one_of(said, {"VERIFICATION_FAILED", ": check E-", ": check R-"})) {
    return std::nullopt;
  }
  if (!names_place(said) && !names_value(attack, said)) return "no place: " + readable(said, 400);
  if (!names_remedy(said)) return "no remedy: " + readable(said, 400);
  return std::nullopt;
}

Finding judge_control_bytes(const AttackCase& attack, const Trial& trial, const Setup&) {
  for (const std::string* text : {&trial.err, &trial.out}) {
    for (std::size_t i = 0; i < text->size(); ++i) {
      const auto byte = static_cast<unsigned char>((*text)[i]);
      const bool c1 = byte == 0xc2 && i + 1 < text->size() && static_cast<unsigned char>((*text)[i + 1]) < 0xa0;
      const bool tab = byte == '\t' && text == &trial.out;  // tab-separated values
      if ((byte >= ' ' || byte == '\n' || tab) && byte != 0x7f && !c1) continue;
      const std::size_t from = i < 100 ? 0 : i - 100;
      return "raw control byte in " + std::string(text == &trial.out ? "what " : "a message of ") +
             shape_of(attack.args).command + (text == &trial.out ? " prints: " : ": ") +
             readable(text->substr(from), 160);
    }
  }
  return std::nullopt;
}

Finding judge_leftovers(const AttackCase& attack, const Trial& trial, const Setup&) {
  for (const std::string& name : new_files(trial.before, trial.after)) {
    if (temporary_name(name) && !asked_for(attack, name)) return "left behind: " + readable(name, 200);
  }
  return std::nullopt;
}

Finding judge_user_files(const AttackCase& attack, const Trial& trial, const Setup&) {
  for (const std::string& name : changed(trial.before, trial.after)) {
    if (input_of(attack, name) && (!asked_for(attack, name) || also_read(attack, name)))
      return "changed an input: " + readable(name, 200);
    if (!asked_for(attack, name)) return "changed a file of the user: " + readable(name, 200);
  }
  for (const std::string& name : new_files(trial.before, trial.after)) {
    if (temporary_name(name) || asked_for(attack, name)) continue;
    return "wrote a file that nobody asked for: " + readable(name, 200);
  }
  return std::nullopt;
}

Finding judge_rejected(const AttackCase& attack, const Trial& trial, const Setup&) {
  if (trial.end.code != 2) return std::nullopt;
  if (contains(trial.err, "standard output")) return std::nullopt;  // the run itself succeeded
  for (const std::string& name : new_files(trial.before, trial.after)) {
    // Finished points stay for the next call, tables for a figure that could not be drawn.
    const std::string command = shape_of(attack.args).command;
    const bool points =
        (command == "evaluate" || command == "sweep") && contains(name, command == "sweep" ? "journal" : "sweeps/");
    const bool tables = command == "evaluate" && contains(trial.err, "gnuplot");
    if (!points && !tables) return "exit 2, and yet wrote " + readable(name, 200);
  }
  const std::vector<std::string> other = changed(trial.before, trial.after);
  if (!other.empty()) return "exit 2, and yet changed " + readable(other.front(), 200);
  return std::nullopt;
}

Finding judge_result(const AttackCase& attack, const Trial& trial, const Setup&) {
  const CommandShape shape = shape_of(attack.args);
  const int code = trial.end.code;
  const bool ran = code == 0 || code == 1 || code == 4;
  if (shape.command != "run" || shape.dump || !ran || trial.end.signal != 0 || trial.end.timed_out) return std::nullopt;
  if (shape.result_folders.empty()) return std::nullopt;
  const std::string name = normal(shape.result_folders.back() + "/result.json");
  if (trial.after.count(name) == 0) return "exit " + std::to_string(code) + " without " + readable(name, 200);
  const Json result = Json::parse(read_text(trial.folder + "/" + name), nullptr, false);
  if (!result.is_object()) return "result.json does not parse";
  for (const char* key : {"schema", "version", "topology", "config", "bench", "ok", "error", "launches", "host"}) {
    if (!result.contains(key)) return std::string("result.json has no member ") + key;
  }
  const bool strict = std::find(attack.args.begin(), attack.args.end(), "--strict") != attack.args.end();
  const bool ok = result["ok"] == true;
  if (ok != (code == 0) && !(strict && ok && code == 1)) return "exit code and result.json's ok disagree";
  if (!ok && !result["error"].is_object()) return "ok is false but error is null";
  return std::nullopt;
}

Finding judge_json(const AttackCase& attack, const Trial& trial, const Setup&) {
  const CommandShape shape = shape_of(attack.args);
  if (trial.out.size() >= kMaxOutput) return std::nullopt;  // read in part
  if (!shape.json || trial.end.code != 0 || trial.end.signal != 0 || trial.out.empty()) return std::nullopt;
  if (trial.end.timed_out || std::count(attack.args.begin(), attack.args.end(), "--help") > 0) return std::nullopt;
  if (std::count(attack.args.begin(), attack.args.end(), "-h") > 0) return std::nullopt;
  if (Json::accept(trial.out)) return std::nullopt;
  return "standard output is no JSON: " + readable(trial.out, 200);
}

Finding judge_expected(const AttackCase& attack, const Trial& trial, const Setup&) {
  const int code = trial.end.signal != 0 ? 128 + trial.end.signal : trial.end.code;
  if (!attack.codes.empty() && std::find(attack.codes.begin(), attack.codes.end(), code) == attack.codes.end()) {
    return "exit code " + std::to_string(code) + ", not " + std::to_string(attack.codes.front());
  }
  for (const std::string& text : attack.says) {
    if (!contains(trial.err + trial.out, text)) return "does not say '" + text + "'";
  }
  return std::nullopt;
}

std::vector<Verdict> judge(const AttackCase& attack, const Trial& trial, const Setup& setup) {
  using Judge = Finding (*)(const AttackCase&, const Trial&, const Setup&);
  static const std::vector<std::pair<const char*, Judge>> judges = {
      {"signal", judge_signal},         {"sanitizer", judge_sanitizers},
      {"exit code", judge_exit_code},   {"time", judge_time},
      {"memory", judge_memory},         {"message", judge_message},
      {"control", judge_control_bytes}, {"leftover", judge_leftovers},
      {"user file", judge_user_files},  {"rejected", judge_rejected},
      {"result", judge_result},         {"json", judge_json},
      {"expected", judge_expected}};
  // An allocation that fails is an exception of the program elsewhere, and its end under sanitizers.
  if (setup.sanitized && contains_one_of(trial.err, {"allocation-size-too-big", "out-of-memory"})) return {};
  std::vector<Verdict> verdicts;
  for (const auto& [name, function] : judges) {
    if (const Finding found = function(attack, trial, setup)) verdicts.push_back({name, *found});
  }
  return verdicts;
}

}  // namespace kb::robustness

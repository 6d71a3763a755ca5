#include "tests/robustness/attack_case.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/robustness/file_text.h"

namespace kb::robustness {
namespace {

namespace fs = std::filesystem;

const char* const kCommandFile = "command";

bool plain(const std::string& word) {
  return !word.empty() &&
         word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:,=%@") ==
             std::string::npos;
}

int hex_digit(char c) {
  return c <= '9' ? c - '0' : c - 'a' + 10;
}

// `at` is behind the opening quote; returns the place behind the closing one.
std::size_t read_quoted(const std::string& line, std::size_t at, bool escapes, std::string& word) {
  for (; at < line.size() && line[at] != '\''; ++at) {
    const bool escape = escapes && line[at] == '\\';
    if (escape) ++at;
    if (escape && line.at(at) == 'x') {
      word += static_cast<char>(16 * hex_digit(line.at(at + 1)) + hex_digit(line.at(at + 2)));
      at += 2;
    } else {
      word += line.at(at);
    }
  }
  if (at >= line.size()) throw std::runtime_error("a quote is not closed: " + line);
  return at + 1;
}

void take_line(AttackCase& attack, const std::string& key, const std::vector<std::string>& words,
               const std::string& rest) {
  if (key == "kernbench") {
    attack.args = words;
  } else if (key == "generate") {
    attack.generated.push_back(rest);
  } else if (key == "link") {
    attack.links[words.at(0)] = words.at(1);
  } else if (key == "env") {
    attack.environment[words.at(0)] = words.at(1);
  } else if (key == "stdout") {
    attack.stdout_to = words.at(0);
  } else if (key == "exit") {
    for (const std::string& word : words) attack.codes.push_back(std::stoi(word));
  } else if (key == "says") {
    attack.says.push_back(words.at(0));
  } else if (key == "skip") {
    attack.skip = rest;
  } else {
    throw std::runtime_error(
        "unknown line '" + key +
        "' in a file 'command': kernbench, generate, link, env, stdout, exit, says and skip are known");
  }
}

}  // namespace

std::string quoted(const std::string& word) {
  if (plain(word)) return word;
  bool escape = word.find('\'') != std::string::npos;
  for (const char c : word)
    escape = escape || static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) >= 127;
  if (!escape) return "'" + word + "'";
  std::string text = "$'";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    char code[8];
    std::snprintf(code, sizeof code, "\\x%02x", byte);
    text += byte < ' ' || byte >= 127 || c == '\'' || c == '\\' ? std::string(code) : std::string(1, c);
  }
  return text + "'";
}

std::vector<std::string> split_words(const std::string& line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == ' ') {
      ++at;
      continue;
    }
    std::string word;
    while (at < line.size() && line[at] != ' ') {
      const bool escapes = line.compare(at, 2, "$'") == 0;
      if (escapes || line[at] == '\'') {
        at = read_quoted(line, at + (escapes ? 2 : 1), escapes, word);
      } else {
        word += line[at++];
      }
    }
    words.push_back(word);
  }
  return words;
}

AttackCase read_case(const std::string& folder) {
  AttackCase attack;
  std::istringstream lines(read_text(folder + "/" + kCommandFile));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (line[0] == '#') {
      attack.notes.push_back(
          line.substr(line.find_first_not_of("# ") == std::string::npos ? 1 : line.find_first_not_of("# ")));
      continue;
    }
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string rest = space < line.size() ? line.substr(space + 1) : "";
    take_line(attack, line.substr(0, space), split_words(rest), rest);
  }
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = fs::relative(entry.path(), folder).generic_string();
    if (name != kCommandFile) attack.files[name] = read_text(entry.path().string());
  }
  return attack;
}

void write_case(const std::string& folder, const AttackCase& attack) {
  std::string text;
  for (const std::string& note : attack.notes) text += "# " + note + "\n";
  for (const std::string& line : attack.generated) text += "generate " + line + "\n";
  for (const auto& [name, target] : attack.links) text += "link " + quoted(name) + " " + quoted(target) + "\n";
  for (const auto& [name, value] : attack.environment) text += "env " + quoted(name) + " " + quoted(value) + "\n";
  if (!attack.stdout_to.empty()) text += "stdout " + quoted(attack.stdout_to) + "\n";
  text += command_line(attack, "kernbench") + "\n";
  if (!attack.codes.empty()) text += "exit";
  for (const int code : attack.codes) text += " " + std::to_string(code);
  if (!attack.codes.empty()) text += "\n";
  for (const std::string& said : attack.says) text += "says " + quoted(said) + "\n";
  write_text(folder + "/" + kCommandFile, text);
  for (const auto& [name, content] : attack.files) write_text(folder + "/" + name, content);
}

std::string command_line(const AttackCase& attack, const std::string& program) {
  std::string line = program;
  for (const std::string& arg : attack.args) line += " " + quoted(arg);
  return line;
}

}  // namespace kb::robustness

// One attack: a command line and the contents of its folder. Findings and the corpus are stored in this text form.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace kb::robustness {

struct AttackCase {
  std::vector<std::string> notes;            // description of the attack
  std::vector<std::string> args;             // arguments of the program
  std::map<std::string, std::string> files;  // inputs, by path in the folder
  std::map<std::string, std::string> links;  // symbolic links, by path in the folder
  std::vector<std::string> generated;        // "FILE KIND N": inputs too large to be stored
  std::map<std::string, std::string> environment;
  std::string stdout_to;          // file for standard output; empty: the harness reads it
  std::vector<int> codes;         // accepted exit codes; empty: the judges decide
  std::vector<std::string> says;  // texts that the messages must contain
  std::string skip;               // reason why the case is not judged; empty: judged
};

// Reads the file `command` and all other files of a folder. Throws std::runtime_error with the reason.
AttackCase read_case(const std::string& folder);
void write_case(const std::string& folder, const AttackCase& attack);
// The equivalent shell command in the case's folder.
std::string command_line(const AttackCase& attack, const std::string& program);

std::string quoted(const std::string& word);                    // for a POSIX shell, $'...' for control bytes
std::vector<std::string> split_words(const std::string& line);  // reverses quoted()

}  // namespace kb::robustness

// One attack: a command line and the folder it runs in. The same text form holds findings and the corpus.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace kb::robustness {

struct AttackCase {
  std::vector<std::string> notes;            // what is attacked, for the reader
  std::vector<std::string> args;             // of the program
  std::map<std::string, std::string> files;  // inputs, by path in the folder
  std::map<std::string, std::string> links;  // symbolic links, by path in the folder
  std::vector<std::string> generated;        // "FILE KIND N": inputs too large to be stored
  std::map<std::string, std::string> environment;
  std::string stdout_to;          // a file that takes standard output instead of the harness
  std::vector<int> codes;         // exit codes that are right; empty: whatever the judges accept
  std::vector<std::string> says;  // texts that the messages must have
  std::string skip;               // why the case cannot be judged yet; empty: it is
};

// The file `command` of `folder` and every other file beside it. std::runtime_error names what is wrong.
AttackCase read_case(const std::string& folder);
void write_case(const std::string& folder, const AttackCase& attack);
// The line of a shell that does the same in the case's folder.
std::string command_line(const AttackCase& attack, const std::string& program);

std::string quoted(const std::string& word);                    // for a POSIX shell, $'...' for control bytes
std::vector<std::string> split_words(const std::string& line);  // what quoted() writes

}  // namespace kb::robustness

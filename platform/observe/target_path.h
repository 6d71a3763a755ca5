// Resolves the name of an output file.
#pragma once

#include <string>

namespace kb::observe {

struct TargetPath {
  enum class Kind {
    file,    // a regular file, or a name that does not exist yet
    direct,  // a pipe, a device, or an open file of a process (/dev/stdout): written directly, never replaced
    folder,
  };
  std::string path;  // symbolic links of the last component are followed
  Kind kind = Kind::file;
  int own_descriptor = -1;  // descriptor of this process's open file that the name refers to
};

// std::system_error when symbolic links form a cycle.
TargetPath resolve_target(const std::string& path);

// True when writing to one name changes the other, also through links, `..`, and folders that do not exist yet. Two
// names of one device do not conflict.
bool same_file(const std::string& a, const std::string& b);

}  // namespace kb::observe

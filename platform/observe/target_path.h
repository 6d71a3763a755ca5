// What the name of an output file stands for.
#pragma once

#include <string>

namespace kb::observe {

struct TargetPath {
  enum class Kind {
    file,    // a regular file, or a name that does not exist yet
    direct,  // a pipe, a device, an open file of a process (/dev/stdout): written in place, never renamed over
    folder,
  };
  std::string path;  // symbolic links of the last component are followed
  Kind kind = Kind::file;
  int own_descriptor = -1;  // of the open file of this process that the name stands for
};

// std::system_error when symbolic links make a cycle.
TargetPath resolve_target(const std::string& path);

// Whether writing to one name changes what the other one names, also through links, `..`, and folders that do not exist
// yet. Two names of one device do not conflict.
bool same_file(const std::string& a, const std::string& b);

}  // namespace kb::observe

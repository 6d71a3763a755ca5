// Refuses command lines in which one file has two roles.
#pragma once

#include <string>
#include <vector>

namespace kb::cli {

// The files that a command reads and writes, with their options. Empty paths are ignored.
class FileRoles {
 public:
  void reads(const std::string& option, const std::string& path);
  void writes(const std::string& option, const std::string& path);
  // Adds standard output and standard error, which may be the same file. Another output to the same pipe or to
  // /dev/stdout would be mixed with them; this is refused when standard output is a document (`alone`).
  void prints(bool alone);

  // Usage Error that names both options when a written file also has another role, regardless of how its path is
  // spelled.
  void check() const;

 private:
  enum class Role { input, output, document, stream };
  struct Entry {
    Role role;
    std::string option;
    std::string path;
  };

  static bool conflict(const Entry& first, const Entry& second);
  void add(Role role, const std::string& option, const std::string& path);

  std::vector<Entry> entries_;
};

}  // namespace kb::cli

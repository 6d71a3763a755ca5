// Refuses command lines on which one file has two roles.
#pragma once

#include <string>
#include <vector>

namespace kb::cli {

// The files that a command reads and writes, each under the option that names it. Empty paths are left out.
class FileRoles {
 public:
  void reads(const std::string& option, const std::string& path);
  void writes(const std::string& option, const std::string& path);
  // Standard output and error, which may be the same file. What is written to a pipe, or to /dev/stdout itself, mixes
  // with them; that is refused where standard output is a document (`alone`).
  void prints(bool alone);

  // Throws a usage Error that names both options when a file that is written has another role, too, however its path is
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

// Folders of files that come with the program.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace kb::cli {

struct ShippedFolder {
  std::string folder;  // "configs", in the installation and in the source tree
  std::string suffix;  // ".yaml"
  std::string known;   // a file that is there, by which the folder is recognised
  std::string what;    // "machines", for messages
  std::function<bool(const std::string& file)> is_listed;

  // The folder beside the installed program, or in the source tree that built it; empty when there is none.
  std::string path() const;
  // A remedy for messages when there is none: where the folder was looked for, and what to do.
  std::string where_missing() const;
  // The files in the order of their names.
  std::vector<std::string> files() const;
  // Returns `name` when the user has such a file or names a folder, otherwise the file that comes with the program.
  // Configuration Error with the nearest name, or with where_missing().
  std::string file_of(const std::string& name) const;
};

}  // namespace kb::cli

// Sources with their includes, and libraries with their declarations, for the meta tests.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace kb::meta {

struct Include {
  std::string file;  // including file, from the root
  int line = 0;
  std::string target;  // "platform/base/units.h" or "yaml-cpp/yaml.h"
  bool own = false;    // written with quotes
};

struct Library {
  std::string name;               // "kb_elab"
  std::string folder;             // "platform/elab"
  std::set<std::string> sources;  // from the root
  std::set<std::string> deps;     // public and private, as declared
};

// All files below `folder` (from the root) whose name ends in one of `endings`, sorted; build folders are not entered.
std::vector<std::string> files_below(const std::string& folder, const std::vector<std::string>& endings);
std::string read(const std::string& file);  // from the root
std::vector<Include> includes_of(const std::string& file);

// Every kb_library() of the folders that make the product.
std::vector<Library> libraries();

// "platform/base/units.h" -> "platform/base"; "modules/catalog.h" -> "modules".
std::string folder_of(const std::string& file);

inline const std::vector<std::string>& product_folders() {
  static const std::vector<std::string> folders = {"platform", "modules", "kernels", "sw", "sim"};
  return folders;
}

}  // namespace kb::meta

#include "sim/cli/file_roles.h"

#include "platform/observe/target_path.h"
#include "sim/cli/program.h"

namespace kb::cli {

void FileRoles::reads(const std::string& option, const std::string& path) {
  add(Role::input, option, path);
}

void FileRoles::writes(const std::string& option, const std::string& path) {
  add(Role::output, option, path);
}

void FileRoles::prints(bool alone) {
  add(alone ? Role::document : Role::stream, "standard output", "/dev/stdout");
  add(Role::stream, "standard error", "/dev/stderr");
}

void FileRoles::add(Role role, const std::string& option, const std::string& path) {
  if (!path.empty()) entries_.push_back({role, option, path});
}

bool FileRoles::conflict(const Entry& first, const Entry& second) {
  if (first.role != Role::output && second.role != Role::output) return false;
  if (!observe::same_file(first.path, second.path)) return false;
  if (first.role != Role::stream && second.role != Role::stream) return true;
  const Entry& written = first.role == Role::output ? first : second;
  return observe::resolve_target(written.path).kind == observe::TargetPath::Kind::file;
}

void FileRoles::check() const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Entry &first = entries_[j], &second = entries_[i];
      if (!conflict(first, second)) continue;
      throw usage_error(first.option + " and " + second.option + " are the same file '" + first.path +
                        "'; give each a file of its own");
    }
  }
}

}  // namespace kb::cli

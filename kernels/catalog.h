// The catalog of kernels: an explicit table of the built-in ones, and those of plug-ins.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/base/groups.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {

struct KernelGroup {
  const char* name;  // platform/base/groups.h
  std::vector<contract::Kernel> kernels;
};
// The table of built-in kernels; docs/guides/kernels.md describes them.
std::vector<KernelGroup> builtin_kernels();

class KernelCatalog final : public contract::IKernelCatalog {
 public:
  KernelCatalog();  // contains the built-in kernels

  // `group` is the heading in `kernbench list`. Program Error SCHEMA_ERROR when the name is taken or is not lower-case
  // words joined by '-' or '_', when the body is missing, and when parameter names are missing or not unique.
  void add(contract::Kernel kernel, const std::string& group = groups::kOthers);

  const contract::Kernel* find(const std::string& name) const override;  // the pointer stays valid
  std::vector<std::string> names() const override;
  const groups::Groups& groups() const { return groups_; }

 private:
  std::map<std::string, contract::Kernel> kernels_;
  groups::Groups groups_;
};

// ^[a-z][a-z0-9]*([_-][a-z0-9]+)*$
bool is_kernel_name(const std::string& name);

}  // namespace kb::kernels

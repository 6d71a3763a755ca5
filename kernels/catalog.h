// The kernels a simulation knows: the built-in ones in one explicit table, and those that plug-ins add.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/contract/kernel.h"

namespace kb::kernels {

// The table of built-in kernels; docs/guides/kernels.md describes them.
std::vector<contract::Kernel> builtin_kernels();

class KernelCatalog final : public contract::IKernelCatalog {
 public:
  KernelCatalog();  // with the built-in kernels

  // Program Error SCHEMA_ERROR when the name is taken or is not lower-case words joined by '-' or '_', when there is no
  // body, and when parameters have no names or the same one.
  void add(contract::Kernel kernel);

  const contract::Kernel* find(const std::string& name) const override;  // stays valid
  std::vector<std::string> names() const override;

 private:
  std::map<std::string, contract::Kernel> kernels_;
};

// ^[a-z][a-z0-9]*([_-][a-z0-9]+)*$
bool is_kernel_name(const std::string& name);

}  // namespace kb::kernels

// A kernel as the machine sees it, and the kernels that a machine knows.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "platform/contract/kernel_arguments.h"

namespace kb::contract {

class IPe;

// A name and a body over the PE and the values of its parameters. kernels/tl makes it from a typed function.
struct Kernel {
  std::string name;  // ^[a-z][a-z0-9]*([_-][a-z0-9]+)*$
  std::string description;
  std::vector<KernelParameter> parameters;
  std::function<void(IPe&, const std::vector<KernelArg>&)> body;  // takes what bind_arguments makes

  // Binds the arguments and runs the body, as a launch does.
  void run(IPe& pe, std::vector<NamedArg> args) const;
};

class IKernelCatalog {
 public:
  virtual ~IKernelCatalog() = default;
  virtual const Kernel* find(const std::string& name) const = 0;  // null when unknown
  virtual std::vector<std::string> names() const = 0;             // sorted
};

}  // namespace kb::contract

// Kernels in the form that the machine runs, and the interface of their catalog.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "platform/contract/kernel_arguments.h"

namespace kb::contract {

class IPe;

// A name and a body that takes the PE and the parameter values. kernels/tl creates it from a typed function.
struct Kernel {
  std::string name;  // ^[a-z][a-z0-9]*([_-][a-z0-9]+)*$
  std::string description;
  std::vector<KernelParameter> parameters;
  std::function<void(IPe&, const std::vector<KernelArg>&)> body;  // takes the result of bind_arguments()

  // Binds the arguments and runs the body, like a launch.
  void run(IPe& pe, std::vector<NamedArg> args) const;
};

class IKernelCatalog {
 public:
  virtual ~IKernelCatalog() = default;
  virtual const Kernel* find(const std::string& name) const = 0;  // null when unknown
  virtual std::vector<std::string> names() const = 0;             // sorted
};

}  // namespace kb::contract

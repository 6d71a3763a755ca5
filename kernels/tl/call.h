// What a kernel is doing, for its errors and commands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "platform/base/error.h"
#include "platform/base/ids.h"
#include "platform/contract/command.h"
#include "platform/ops/op_types.h"

namespace kb::tl {

// The call that a kernel is in: its name and number, of which kernel on which PE. Errors of the call are raised here,
// so that each begins with that place: "kernel gemm, tl.dot #17, sip0.cube0.pe3: ...".
class Call {
 public:
  Call(PeCoord pe, std::string kernel);

  void begin(const char* name) {
    name_ = name;
    ++number_;
  }
  const char* name() const { return name_; }            // of the latest call
  std::uint64_t number() const { return number_; }      // how many there were
  std::uint64_t instance() const { return instance_; }  // of the kernel; no two have the same
  const std::string& kernel() const { return kernel_; }
  PeCoord pe() const { return pe_; }

  void label(contract::Command& command) const {
    command.kernel = lasting_kernel_;
    command.call = name_;
    command.call_index = number_;
  }

  [[noreturn]] void raise(std::string_view code, std::string_view message) const;
  // KERNEL_ERROR of the kernel, whatever it is doing.
  [[noreturn]] void fail(std::string_view message) const;
  // What `function` gives; program Errors that it throws become errors of this call, unless they name one.
  template <typename Function>
  auto located(Function&& function) const -> decltype(function()) {
    try {
      return function();
    } catch (const Error& error) {
      if (error.family() != ErrorFamily::program || names_a_call(error)) throw;
      raise(error.code(), error.what());
    }
  }

  // The bytes of a tensor; SHAPE_ERROR when there cannot be one.
  std::uint64_t checked_bytes(const Shape& shape, Dtype dtype) const;

 private:
  bool names_a_call(const Error& error) const;  // as those of the data engine do

  PeCoord pe_;
  std::string kernel_;
  const char* lasting_kernel_;  // the same, for records that outlive the kernel
  std::uint64_t instance_;
  const char* name_ = "";
  std::uint64_t number_ = 0;
};

}  // namespace kb::tl

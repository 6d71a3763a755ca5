// The current call of a kernel, for its errors and commands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/tl/places.h"
#include "platform/base/error.h"
#include "platform/base/ids.h"
#include "platform/contract/command.h"
#include "platform/contract/source_line.h"
#include "platform/ops/op_types.h"

namespace kb::tl {

// Name, number and line of the current call, with its kernel and PE. Errors of the call are thrown here, so that all
// begin with this place: "kernel gemm, tl.dot #17 at gemm.cpp:79, sip0.cube0.pe3: ...".
class Call {
 public:
  Call(contract::IPe& pe, std::string kernel);

  // Calls that take no time have no line.
  void begin(const char* name) { begin(name, contract::SourceLine()); }
  void begin(const char* name, contract::SourceLine at) {
    at_ = at;
    name_ = name;
    ++number_;
    if (misplaced_range_) refuse_range();
  }
  const char* name() const { return name_; }            // of the latest call
  std::uint64_t number() const { return number_; }      // number of calls so far
  std::uint64_t instance() const { return instance_; }  // unique number of the running kernel
  const std::string& kernel() const { return kernel_; }
  PeCoord pe() const { return pe_; }

  void label(contract::Command& command) const {
    command.kernel = lasting_kernel_;
    command.call = name_;
    command.call_index = number_;
    command.at = at_;
    if (!contract::is_transfer(command.kind)) command.place = place();  // transfers have that of their tensor
  }
  // Place of what the current call transfers.
  account::PlaceId place(const contract::TensorLayout* tensor = nullptr) const {
    return places_.find(at_, name_, tensor);
  }

  std::size_t open_range(std::string_view name);
  void close_range(std::size_t depth) noexcept;
  // KERNEL_ERROR for a range that the kernel has not closed.
  void require_closed_ranges() const;

  [[noreturn]] void raise(std::string_view code, std::string_view message) const;
  // Throws a KERNEL_ERROR of the kernel that does not name a call.
  [[noreturn]] void fail(std::string_view message) const;
  // " (after tl.load #3 at gemm.cpp:71)", the latest call; empty before the first one.
  std::string after_call() const;
  // Returns the result of `function`; a program Error that it throws becomes an error of this call, unless it names a
  // call.
  template <typename Function>
  auto located(Function&& function) const -> decltype(function()) {
    try {
      return function();
    } catch (const Error& error) {
      if (error.family() != ErrorFamily::program || names_a_call(error)) throw;
      raise(error.code(), error.what());
    }
  }

  // Size of a tensor; SHAPE_ERROR when the shape is not valid.
  std::uint64_t checked_bytes(const Shape& shape, Dtype dtype) const;

 private:
  [[noreturn]] void refuse_range();
  bool names_a_call(const Error& error) const;  // true for errors of the data engine

  PeCoord pe_;
  std::string kernel_;
  const char* lasting_kernel_;  // the kernel's name, for records that outlive the kernel
  std::uint64_t instance_;
  const char* name_ = "";
  std::uint64_t number_ = 0;
  contract::SourceLine at_;
  mutable Places places_;
  bool misplaced_range_ = false;  // a range was closed before one inside it
};

}  // namespace kb::tl

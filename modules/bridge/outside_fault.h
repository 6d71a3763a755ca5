// Faults of models outside the machine.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <systemc>

#include "platform/base/error.h"

namespace kb::modules {

struct OutsideFault {
  enum class Kind : std::uint8_t {
    breach,          // violation of TLM-2.0 rules
    memory_error,    // the memory of a block of the machine answers with an error
    driver_mistake,  // in a register or a descriptor; the ERROR register holds its code
  };
  Kind kind = Kind::breach;
  std::string rule;  // place and kind, without transaction and time; faults are counted per rule
  std::string text;  // the complete sentence
};

// May be called from any process and inside any call; it only records the fault.
using FaultReport = std::function<void(const OutsideFault&)>;

// Calls into an outside model. Program Error FOREIGN_EXCEPTION with the text of an exception that the model throws.
template <typename Call>
void call_foreign(const std::string& model, Call&& call) {
  try {
    call();
  } catch (const sc_core::sc_unwind_exception&) {
    throw;  // the process is being killed
  } catch (const Error&) {
    throw;
  } catch (const std::exception& thrown) {
    throw Error::program("FOREIGN_EXCEPTION", fmt::format("{} threw an exception: {}", model, thrown.what()));
  } catch (...) {
    throw Error::program("FOREIGN_EXCEPTION", fmt::format("{} threw an object that is not a std::exception", model));
  }
}

// For a process without a caller: passes an exception of the call to `failed`.
template <typename Call>
void call_guarded(const std::function<void(std::exception_ptr)>& failed, Call&& call) {
  try {
    call();
  } catch (const Error&) {
    failed(std::current_exception());
  }
}

}  // namespace kb::modules

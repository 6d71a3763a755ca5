// What models outside of the machine do wrong, and how that is told.
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
    breach,          // of the rules of TLM-2.0
    memory_error,    // a memory behind a block of the machine answers with an error
    driver_mistake,  // in a register or a descriptor; the ERROR register has a code for it
  };
  Kind kind = Kind::breach;
  std::string rule;  // where and what, without transaction and time; faults are counted by it
  std::string text;  // the whole sentence
};

// May be called from any process and inside of any call; it only takes a note.
using FaultReport = std::function<void(const OutsideFault&)>;

// Makes a call into a foreign model. Program Error FOREIGN_EXCEPTION, with the words of what the model threw.
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

// For a process that has nobody above it: `failed` gets what the call throws.
template <typename Call>
void call_guarded(const std::function<void(std::exception_ptr)>& failed, Call&& call) {
  try {
    call();
  } catch (const Error&) {
    failed(std::current_exception());
  }
}

}  // namespace kb::modules

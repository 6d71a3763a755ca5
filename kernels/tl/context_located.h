// Puts the place of a kernel's call in front of what it calls says; for the parts of Context.
#pragma once

#include "kernels/tl/context.h"

namespace kb::tl {

template <typename Function>
auto Context::located(Function&& function) const -> decltype(function()) {
  try {
    return function();
  } catch (const Error& error) {
    if (error.family() != ErrorFamily::program) throw;
    raise(error.code(), error.what());
  }
}

}  // namespace kb::tl

// The reason of a refused request, for an initiator that needs more than the response status.
#pragma once

#include <string>
#include <tlm>

namespace kb {

// An ignorable extension. When an initiator attaches one to its payload, it is filled in with every error response.
struct ErrorCause final : tlm::tlm_extension<ErrorCause> {
  std::string code;  // "ADDRESS_ERROR"
  std::string message;

  tlm::tlm_extension_base* clone() const override { return new ErrorCause(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const ErrorCause&>(other); }
};

}  // namespace kb

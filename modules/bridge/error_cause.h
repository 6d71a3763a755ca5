// Why a request from outside was refused, for an initiator that wants to know more than a response status.
#pragma once

#include <string>
#include <tlm>

namespace kb {

// Ignorable. An initiator that attaches one to its payload finds it filled in when the response has an error.
struct ErrorCause final : tlm::tlm_extension<ErrorCause> {
  std::string code;  // "ADDRESS_ERROR"
  std::string message;

  tlm::tlm_extension_base* clone() const override { return new ErrorCause(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const ErrorCause&>(other); }
};

}  // namespace kb

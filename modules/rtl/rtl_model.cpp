#include "modules/rtl/rtl_model.h"

namespace kb::modules {

namespace {
const char* code_of(RtlFault fault) {
  switch (fault) {
    case RtlFault::hang:
      return "RTL_HANG";
    case RtlFault::unknown:
      return "RTL_UNKNOWN_VALUE";
    case RtlFault::wrong:
      break;
  }
  return "RTL_WRONG";
}
}  // namespace

Error rtl_error(RtlFault fault, const std::string& message) {
  return {ErrorFamily::model, code_of(fault), message};
}

}  // namespace kb::modules

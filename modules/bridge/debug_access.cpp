#include "modules/bridge/debug_access.h"

#include <algorithm>
#include <vector>

#include "platform/base/error.h"
#include "platform/routing/memory_split.h"

namespace kb::modules {

unsigned debug_access(tlm::tlm_generic_payload& payload, const AddressWindows& windows,
                      const routing::AddressResolver& resolver, IContents& contents) {
  const unsigned length = payload.get_data_length();
  if (length == 0 || payload.get_data_ptr() == nullptr || payload.get_command() == tlm::TLM_IGNORE_COMMAND) return 0;
  unsigned done = 0;
  try {
    for (const AddressWindows::Piece& piece : windows.find(payload.get_address(), length)) {
      routing::split_access(resolver, piece.pa, piece.nbytes);
      unsigned char* const data = payload.get_data_ptr() + piece.offset;
      if (payload.is_write()) {
        contents.poke(piece.pa, data, piece.nbytes);
      } else {
        const std::vector<std::byte> bytes = contents.read(piece.pa, piece.nbytes);
        std::copy_n(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), data);
      }
      done += static_cast<unsigned>(piece.nbytes);
    }
  } catch (const Error& error) {
    // the address is in no memory, or in one that was never written (strict)
    if (error.family() != ErrorFamily::program) throw;
  }
  payload.set_response_status(done > 0 ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  return done;
}

}  // namespace kb::modules

#include "platform/topology/sha256.h"

#include <sha2.h>

#include <cstdint>

namespace kb::topology {

std::string sha256_hex(std::string_view bytes) {
  char hex[SHA256_DIGEST_STRING_LENGTH];
  return SHA256Data(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), hex);
}

}  // namespace kb::topology

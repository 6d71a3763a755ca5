// A socket with one peer, read and written packet by packet, blocking.
#pragma once

#include <optional>
#include <string>

#include "sim/ports/remote/packet.h"

namespace kb::remote {

class Connection {
 public:
  explicit Connection(int descriptor) : descriptor_(descriptor) {}
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // No value when the peer has closed the connection between two packets. Program Error PROTOCOL_ERROR when it did so
  // inside one, or sent nonsense.
  std::optional<Packet> receive();
  // Waits; false when the peer has closed the connection.
  bool has_more();
  // False when the peer is gone.
  bool send(const std::string& bytes);

 private:
  bool fill_buffer();
  std::size_t fill(char* bytes, std::size_t count);

  int descriptor_;
  std::string buffer_;
  std::size_t at_ = 0;
};

}  // namespace kb::remote

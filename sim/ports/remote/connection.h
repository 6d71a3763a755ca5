// A socket with one peer, with blocking reads and writes of packets.
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

  // Returns no value when the peer has closed the connection between two packets. Program Error PROTOCOL_ERROR when it
  // was closed inside a packet, or for an invalid packet.
  std::optional<Packet> receive();
  // Blocks; returns false when the peer has closed the connection.
  bool has_more();
  // Returns false when the peer has closed the connection.
  bool send(const std::string& bytes);

 private:
  bool fill_buffer();
  std::size_t fill(char* bytes, std::size_t count);

  int descriptor_;
  std::string buffer_;
  std::size_t at_ = 0;
};

}  // namespace kb::remote

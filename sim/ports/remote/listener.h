// Listening socket for a peer: a Unix socket or a TCP port.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "sim/ports/remote/connection.h"

namespace kb::remote {

// "unix:PATH", "tcp:PORT" (this computer only) or "tcp:HOST:PORT"; port 0 selects a free port.
class Listener {
 public:
  // Configuration Error when the place is malformed, in use, or cannot be created, and when a host that is reachable by
  // others has no `token`. The socket of a dead process is replaced.
  Listener(const std::string& place, std::string token);
  ~Listener();  // removes a Unix socket
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // The place with the selected port.
  const std::string& place() const { return place_; }
  // Waits for a peer, which must send the token (if there is one) as its first line. Until this peer disconnects,
  // others get a line with the reason and are disconnected.
  std::unique_ptr<Connection> accept();

 private:
  void listen_unix(const std::string& path);
  void listen_tcp(const std::string& host, const std::string& port);
  int next_peer();
  bool says_token(int peer) const;
  void refuse_others(int watched);
  [[noreturn]] void refuse(const std::string& what) const;

  std::string place_, token_;
  std::string path_;  // for a Unix socket
  int descriptor_ = -1;
  std::thread refusing_;
  std::atomic<bool> serving_{false};
};

}  // namespace kb::remote

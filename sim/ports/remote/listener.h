// Where a peer connects: a Unix socket, or a port of TCP.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "sim/ports/remote/connection.h"

namespace kb::remote {

// "unix:PATH", "tcp:PORT" (of this machine alone) or "tcp:HOST:PORT"; port 0 is one that is free.
class Listener {
 public:
  // Configuration Error when the place is malformed, taken, or cannot be made; when a host that others reach has no
  // `token`. The socket of a dead process is replaced.
  Listener(const std::string& place, std::string token);
  ~Listener();  // removes a Unix socket
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // The place with the port that was chosen.
  const std::string& place() const { return place_; }
  // Waits for a peer that says the token, as a line before everything else, where there is one. Until that
  // peer hangs up, others get a line that says so and are closed.
  std::unique_ptr<Connection> accept();

 private:
  void listen_unix(const std::string& path);
  void listen_tcp(const std::string& host, const std::string& port);
  int next_peer();
  bool says_token(int peer) const;
  void refuse_others(int watched);
  [[noreturn]] void refuse(const std::string& what) const;

  std::string place_, token_;
  std::string path_;  // of a Unix socket
  int descriptor_ = -1;
  std::thread refusing_;
  std::atomic<bool> serving_{false};
};

}  // namespace kb::remote

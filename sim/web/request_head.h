// The first part of a request, read before the library sees any of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace kb::web {

struct RequestHead {
  int status = 0;            // 0: fine; -1: the client has gone; else the answer
  std::string request_line;  // METHOD /path?query HTTP/1.x, without its end
  std::string host;
  std::string cookie;
};

// Reads from a socket until the empty line, for at most `time` and `most_bytes`. Only the headers Host and Cookie are
// kept: nothing else changes an answer, and what is not looked at can do no harm.
RequestHead read_head(int socket, std::chrono::milliseconds time, std::size_t most_bytes);
// The same from a text that has everything.
RequestHead parse_head(const std::string& text);

// Waits until the socket is ready for `events` of poll(); false when the time has passed.
bool wait_for(int socket, short events, std::chrono::steady_clock::time_point end);

}  // namespace kb::web

// Reads the head of a request before the library gets any of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace kb::web {

struct RequestHead {
  int status = 0;            // 0: valid; -1: the client has disconnected; otherwise the HTTP status of the refusal
  std::string request_line;  // METHOD /path?query HTTP/1.x, without line end
  std::string host;
  std::string cookie;
};

// Reads from a socket until the empty line, for at most `time` and `most_bytes`. Only the headers Host and Cookie are
// kept, because no other header affects an answer; ignored headers cannot do harm.
RequestHead read_head(int socket, std::chrono::milliseconds time, std::size_t most_bytes);
// Like read_head(), but from a complete text.
RequestHead parse_head(const std::string& text);

// Waits until the socket is ready for `events` of poll(); false after the time limit.
bool wait_for(int socket, short events, std::chrono::steady_clock::time_point end);

}  // namespace kb::web

#include "sim/web/request_head.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <set>

#include "platform/base/split.h"

namespace kb::web {
namespace {

constexpr int kGone = -1, kMalformed = 400, kTimeout = 408, kTooLarge = 431;

using Clock = std::chrono::steady_clock;

bool same_name(const std::string& a, const char* lower) {
  std::string text = a;
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text == lower;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool printable_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c == '\t' || (c >= ' ' && c <= '~'); });
}

// Requires METHOD /path?query HTTP/1.x with a method of RFC 9110. Zero bytes are refused, because a library may treat
// them as the end of the path.
bool well_formed(const std::string& request_line) {
  static const std::set<std::string> methods = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"};
  const std::vector<std::string> words = split(request_line, ' ');
  return words.size() == 3 && methods.count(words[0]) != 0 && words[1].rfind('/', 0) == 0 &&
         words[1].find("%00") == std::string::npos && (words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0");
}

}  // namespace

bool wait_for(int socket, short events, Clock::time_point end) {
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    pollfd poll_for{socket, events, 0};
    const int ready = ::poll(&poll_for, 1, static_cast<int>(std::min<long long>(left, 60'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

RequestHead read_head(int socket, std::chrono::milliseconds time, std::size_t most_bytes) {
  const auto failed = [](int status) {
    RequestHead head;
    head.status = status;
    return head;
  };
  const Clock::time_point end = Clock::now() + time;
  std::string text;
  char buffer[4096];
  while (true) {
    if (!wait_for(socket, POLLIN, end)) return failed(text.empty() ? kGone : kTimeout);
    const ssize_t count = ::recv(socket, buffer, sizeof buffer, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return failed(kGone);
    const std::size_t look_from = text.size() < 3 ? 0 : text.size() - 3;
    text.append(buffer, static_cast<std::size_t>(count));
    const std::size_t empty_line = text.find("\r\n\r\n", look_from);
    const std::size_t size = empty_line == std::string::npos ? text.size() : empty_line;
    if (size > most_bytes) return failed(kTooLarge);
    if (empty_line != std::string::npos) return parse_head(text.substr(0, empty_line));
  }
}

RequestHead parse_head(const std::string& text) {
  RequestHead head;
  bool first = true, has_host = false;
  for (std::string line : split(text, '\n')) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (first) {
      first = false;
      head.request_line = line;
      if (!printable_ascii(line) || !well_formed(line)) head.status = kMalformed;
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon == 0 || line[0] == ' ' || line[0] == '\t') {
      head.status = kMalformed;
      break;
    }
    const std::string name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
    const bool host = same_name(name, "host"), cookie = same_name(name, "cookie");
    if ((host || cookie) && !printable_ascii(value)) head.status = kMalformed;
    if (host && has_host) head.status = kMalformed;
    has_host = has_host || host;
    if (host) head.host = value;
    if (cookie) head.cookie += (head.cookie.empty() ? "" : "; ") + value;
  }
  if (!has_host) head.status = kMalformed;
  return head;
}

}  // namespace kb::web

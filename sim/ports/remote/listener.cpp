#include "sim/ports/remote/listener.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "platform/base/error.h"
#include "sim/run/driver/interrupt.h"

namespace kb::remote {
namespace {

constexpr const char* kEarly = ".new";
constexpr const char* kBusy = "kernbench serve: another peer is connected; try again when it has gone\n";
constexpr const char* kNoToken = "kernbench serve: the first line has to be the token\n";
constexpr int kLastPort = 65535;
constexpr int kLookMs = 50;       // time limit for the line of a second peer
constexpr int kFarewellMs = 200;  // maximum silence of a refused peer
constexpr int kTokenSeconds = 5;  // time limit for the token

// Reads the peer's data first, because closing a socket with unread data would discard the line.
void turn_away(int peer, const char* line) {
  if (::send(peer, line, std::strlen(line), MSG_NOSIGNAL) > 0 && ::shutdown(peer, SHUT_WR) == 0) {
    pollfd waiting{peer, POLLIN, 0};
    char read[256];
    while (::poll(&waiting, 1, kFarewellMs) > 0 && ::recv(peer, read, sizeof read, 0) > 0) continue;
  }
  ::close(peer);
}

bool is_loopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, address, sizeof v4);
    return ntohl(v4.sin_addr.s_addr) >> 24 == 127;
  }
  sockaddr_in6 v6{};
  std::memcpy(&v6, address, sizeof v6);
  return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

}  // namespace

void Listener::refuse(const std::string& what) const {
  throw Error::configuration(fmt::format("--remote-port {}: {}", place_, what));
}

Listener::Listener(const std::string& place, std::string token) : place_(place), token_(std::move(token)) {
  const std::size_t colon = place.find(':');
  const std::string kind = place.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : place.substr(colon + 1);
  if (colon != std::string::npos && kind == "unix") {
    listen_unix(rest);
  } else if (colon != std::string::npos && kind == "tcp") {
    const std::size_t last = rest.rfind(':');
    listen_tcp(last == std::string::npos ? "127.0.0.1" : rest.substr(0, last),
               last == std::string::npos ? rest : rest.substr(last + 1));
  } else {
    refuse("write unix:PATH, tcp:PORT or tcp:HOST:PORT, e.g. unix:kb.sock");
  }
}

void Listener::listen_unix(const std::string& path) {
  const auto address_of = [this](const std::string& name) {
    sockaddr_un address{};
    if (name.empty() || name.size() >= sizeof address.sun_path) {
      refuse(fmt::format("the path of a socket has 1 to {} characters", sizeof address.sun_path - 1));
    }
    address.sun_family = AF_UNIX;
    std::copy(name.begin(), name.end(), address.sun_path);
    return address;
  };
  const sockaddr_un address = address_of(path);
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode)) refuse("this is a file; name a path that is free");
    const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool alive = ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(probe);
    if (alive) refuse("another process listens there");
    ::unlink(path.c_str());
  }
  descriptor_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor_ < 0) refuse(std::strerror(errno));
  // The socket gets its final name when it listens, because a peer may connect as soon as the path exists.
  const std::string early = path + kEarly;
  const sockaddr_un early_address = address_of(early);
  ::unlink(early.c_str());
  if (::bind(descriptor_, reinterpret_cast<const sockaddr*>(&early_address), sizeof early_address) != 0 ||
      ::listen(descriptor_, 4) != 0 || ::rename(early.c_str(), path.c_str()) != 0) {
    const std::string reason = std::strerror(errno);
    ::close(descriptor_);
    ::unlink(early.c_str());
    refuse(reason);
  }
  path_ = path;
}

void Listener::listen_tcp(const std::string& host, const std::string& port) {
  const bool digits = !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::stoi(port) > kLastPort) refuse(fmt::format("a port is a number from 0 to {}", kLastPort));
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int status = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (status != 0) refuse(::gai_strerror(status));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> keeps(found, &::freeaddrinfo);
  if (token_.empty() && !is_loopback(found->ai_addr)) {
    refuse("others reach this machine there; give --token-file, whose line a peer has to say first");
  }
  descriptor_ = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (descriptor_ < 0 || ::bind(descriptor_, found->ai_addr, found->ai_addrlen) != 0 || ::listen(descriptor_, 4) != 0) {
    const std::string reason = std::strerror(errno);
    if (descriptor_ >= 0) ::close(descriptor_);
    refuse(reason);
  }
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&bound), &size);
  char number[NI_MAXSERV] = "";
  ::getnameinfo(reinterpret_cast<const sockaddr*>(&bound), size, nullptr, 0, number, sizeof number, NI_NUMERICSERV);
  place_ = fmt::format("tcp:{}:{}", host, number);
}

Listener::~Listener() {
  serving_ = false;
  if (refusing_.joinable()) refusing_.join();
  ::close(descriptor_);
  if (!path_.empty()) ::unlink(path_.c_str());
}

int Listener::next_peer() {
  while (true) {
    const int peer = ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
    if (peer >= 0) return peer;
    if (sim::interrupted()) sim::end_interrupted();
    if (errno != EINTR && errno != ECONNABORTED) refuse(std::strerror(errno));
  }
}

// Always compares the complete line, so that the time does not depend on the number of right characters.
bool Listener::says_token(int peer) const {
  if (token_.empty()) return true;
  const timeval patience{kTokenSeconds, 0};
  ::setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  std::string line(token_.size() + 1, '\0');
  std::size_t got = 0;
  while (got < line.size()) {
    const ssize_t part = ::recv(peer, line.data() + got, line.size() - got, 0);
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) return false;
    got += static_cast<std::size_t>(part);
  }
  const timeval forever{};
  ::setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever);
  unsigned difference = static_cast<unsigned char>(line.back()) ^ static_cast<unsigned>('\n');
  for (std::size_t i = 0; i < token_.size(); ++i) {
    difference |= static_cast<unsigned char>(line[i]) ^ static_cast<unsigned char>(token_[i]);
  }
  return difference == 0;
}

std::unique_ptr<Connection> Listener::accept() {
  serving_ = false;
  if (refusing_.joinable()) refusing_.join();
  while (true) {
    const int peer = next_peer();
    const int on = 1;
    ::setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // fails for a Unix socket, which does not need it
    if (says_token(peer)) {
      serving_ = true;
      refusing_ = std::thread([this, watched = ::dup(peer)] { refuse_others(watched); });
      return std::make_unique<Connection>(peer);
    }
    turn_away(peer, kNoToken);
  }
}

// A peer that connects after the current one has disconnected waits for the next session.
void Listener::refuse_others(int watched) {
  pollfd looked_at[] = {{descriptor_, POLLIN, 0}, {watched, POLLRDHUP, 0}};
  while (serving_) {
    const int events = ::poll(looked_at, 2, kLookMs);
    if (events > 0 && looked_at[1].revents != 0) break;
    if (events <= 0 || !serving_) continue;
    const int peer = ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
    if (peer >= 0) turn_away(peer, kBusy);
  }
  ::close(watched);
}

}  // namespace kb::remote

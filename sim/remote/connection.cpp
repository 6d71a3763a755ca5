#include "sim/remote/connection.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "platform/base/error.h"

namespace kb::remote {
namespace {

constexpr std::size_t kReadBytes = 1 << 16;
constexpr const char* kEarly = ".new";

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    throw Error::configuration(fmt::format("--remote-port unix:{}: the path of a socket has 1 to {} characters", path,
                                           sizeof address.sun_path - 1));
  }
  address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), address.sun_path);
  return address;
}

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw Error::configuration(fmt::format("--remote-port unix:{}: {}", path, what));
}

// A socket that nobody listens at any more.
void remove_leftover(const std::string& path, const sockaddr_un& address) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;
  if (!S_ISSOCK(status.st_mode)) refuse(path, "this is a file; name a path that is free");
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool alive = ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(probe);
  if (alive) refuse(path, "another process listens there");
  ::unlink(path.c_str());
}

}  // namespace

Listener::Listener(const std::string& path) : path_(path), descriptor_(-1) {
  const sockaddr_un address = address_of(path);
  remove_leftover(path, address);
  descriptor_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor_ < 0) refuse(path, std::strerror(errno));
  // Whoever sees the path can connect: it gets its name when it listens.
  const std::string early = path + kEarly;
  const sockaddr_un early_address = address_of(early);
  ::unlink(early.c_str());
  if (::bind(descriptor_, reinterpret_cast<const sockaddr*>(&early_address), sizeof early_address) != 0 ||
      ::listen(descriptor_, 1) != 0 || ::rename(early.c_str(), path.c_str()) != 0) {
    const std::string reason = std::strerror(errno);
    ::close(descriptor_);
    ::unlink(early.c_str());
    refuse(path, reason);
  }
}

Listener::~Listener() {
  ::close(descriptor_);
  ::unlink(path_.c_str());
}

std::unique_ptr<Connection> Listener::accept() {
  while (true) {
    const int peer = ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
    if (peer >= 0) return std::make_unique<Connection>(peer);
    if (errno != EINTR && errno != ECONNABORTED) refuse(path_, std::strerror(errno));
  }
}

Connection::~Connection() {
  ::close(descriptor_);
}

// False at the end of the stream.
bool Connection::fill_buffer() {
  buffer_.resize(kReadBytes);
  at_ = 0;
  ssize_t got = -1;
  do {
    got = ::recv(descriptor_, buffer_.data(), buffer_.size(), 0);
  } while (got < 0 && errno == EINTR);
  buffer_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return got > 0;
}

bool Connection::has_more() {
  return at_ < buffer_.size() || fill_buffer();
}

// Fewer than `count` at the end of the stream.
std::size_t Connection::fill(char* bytes, std::size_t count) {
  std::size_t done = 0;
  while (done < count && has_more()) {
    const std::size_t part = std::min(count - done, buffer_.size() - at_);
    std::copy_n(buffer_.data() + at_, part, bytes + done);
    at_ += part;
    done += part;
  }
  return done;
}

std::optional<Packet> Connection::receive() {
  const auto cut = [](const std::string& where) {
    return Error::program("PROTOCOL_ERROR", "the peer disappeared in the middle of " + where);
  };
  std::string head(kHeaderBytes, '\0');
  const std::size_t got = fill(head.data(), head.size());
  if (got == 0) return std::nullopt;
  if (got < head.size()) throw cut("a packet's header");
  const Header header = decode_header(head);
  std::string payload(header.payload, '\0');
  if (fill(payload.data(), payload.size()) < payload.size()) {
    throw cut(fmt::format("packet {} ({})", header.id, kind_text(header.kind)));
  }
  return decode(header, payload);
}

bool Connection::send(const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t sent = ::send(descriptor_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    done += static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace kb::remote

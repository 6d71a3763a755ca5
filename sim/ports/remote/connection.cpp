#include "sim/ports/remote/connection.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "platform/base/error.h"
#include "sim/run/driver/interrupt.h"

namespace kb::remote {
namespace {

constexpr std::size_t kReadBytes = 1 << 16;
}  // namespace

Connection::~Connection() {
  ::close(descriptor_);
}

// Returns false at the end of the stream.
bool Connection::fill_buffer() {
  buffer_.resize(kReadBytes);
  at_ = 0;
  ssize_t got = -1;
  do {
    got = ::recv(descriptor_, buffer_.data(), buffer_.size(), 0);
    if (got < 0 && sim::interrupted()) sim::end_interrupted();
  } while (got < 0 && errno == EINTR);
  buffer_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return got > 0;
}

bool Connection::has_more() {
  return at_ < buffer_.size() || fill_buffer();
}

// Returns fewer than `count` bytes at the end of the stream.
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

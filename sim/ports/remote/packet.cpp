#include "sim/ports/remote/packet.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"

namespace kb::remote {
namespace {

constexpr std::uint32_t kHelloBytes = 12, kHelloWithoutCapabilities = 4;
constexpr std::uint32_t kBusBytes = 38, kExtendedBusBytes = 60;  // after the header
constexpr std::uint32_t kMaxBytes = 2 * kMaxPayload + 1024;      // there may be as many byte enables as bytes
constexpr std::uint32_t kInterruptBytes = 21, kSyncBytes = 8;

[[noreturn]] void wrong(const Header& header, const std::string& what) {
  throw Error::program("PROTOCOL_ERROR", fmt::format("the peer's packet {} ({}) is no packet of Remote-Port: {}",
                                                     header.id, kind_text(header.kind), what));
}

template <typename T>
T number_at(std::string_view bytes, std::size_t at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(static_cast<std::uint64_t>(value) << 8 | static_cast<unsigned char>(bytes[at + i]));
  }
  return value;
}

template <typename T>
void append(std::string& bytes, T value) {
  for (int shift = static_cast<int>(sizeof(T)) * 8 - 8; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> shift & 0xff);
  }
}

void need(const Header& header, std::string_view payload, std::uint32_t bytes) {
  if (payload.size() < bytes) wrong(header, fmt::format("it has {} bytes and needs {}", payload.size(), bytes));
}

// `offset` counts from the start of the packet.
std::string piece(const Header& header, std::string_view payload, std::uint64_t offset, std::uint64_t length,
                  const char* what) {
  if (offset < kHeaderBytes || length > payload.size() || offset - kHeaderBytes > payload.size() - length) {
    wrong(header, fmt::format("its {} ({} bytes at {}) lie outside of it", what, length, offset));
  }
  return std::string(payload.substr(offset - kHeaderBytes, length));
}

void decode_hello(Packet& packet, std::string_view payload) {
  need(packet.header, payload, kHelloWithoutCapabilities);
  packet.major = number_at<std::uint16_t>(payload, 0);
  packet.minor = number_at<std::uint16_t>(payload, 2);
  if (payload.size() < kHelloBytes) return;
  const auto offset = number_at<std::uint32_t>(payload, 4);
  const auto count = number_at<std::uint16_t>(payload, 8);
  const std::string list =
      piece(packet.header, payload, count == 0 ? kHeaderBytes : offset, count * 4u, "capabilities");
  for (std::size_t i = 0; i < count; ++i) packet.capabilities.push_back(number_at<std::uint32_t>(list, i * 4));
}

void decode_bus(Packet& packet, std::string_view payload) {
  const Header& header = packet.header;
  need(header, payload, kBusBytes);
  packet.time_ns = number_at<std::uint64_t>(payload, 0);
  packet.attributes = number_at<std::uint64_t>(payload, 8);
  packet.address = number_at<std::uint64_t>(payload, 16);
  packet.length = number_at<std::uint32_t>(payload, 24);
  packet.streaming_width = number_at<std::uint32_t>(payload, 32);
  std::uint64_t data_at = kHeaderBytes + kBusBytes;
  if ((packet.attributes & kExtendedLayout) != 0) {
    need(header, payload, kExtendedBusBytes);
    data_at = number_at<std::uint32_t>(payload, 44);
    const auto enables_at = number_at<std::uint32_t>(payload, 52);
    const auto enables = number_at<std::uint32_t>(payload, 56);
    if (enables > 0) packet.enables = piece(header, payload, enables_at, enables, "byte enables");
  }
  if (packet.length > kMaxPayload) {
    wrong(header, fmt::format("it moves {} bytes; at most {} are served", packet.length, kMaxPayload));
  }
  const bool carries = header.is(PacketKind::write) != header.is_response();
  if (carries) packet.data = piece(header, payload, data_at, packet.length, "data");
}

}  // namespace

std::string kind_text(std::uint32_t kind) {
  static const char* const names[] = {"nop", "hello", "cfg", "read", "write", "interrupt", "sync"};
  return kind < std::size(names) ? names[kind] : fmt::format("command {}", kind);
}

bool Packet::can(std::uint32_t capability) const {
  return std::find(capabilities.begin(), capabilities.end(), capability) != capabilities.end();
}

Header decode_header(std::string_view bytes) {
  Header header;
  header.kind = number_at<std::uint32_t>(bytes, 0);
  header.payload = number_at<std::uint32_t>(bytes, 4);
  header.id = number_at<std::uint32_t>(bytes, 8);
  header.flags = number_at<std::uint32_t>(bytes, 12);
  header.device = number_at<std::uint32_t>(bytes, 16);
  if (header.payload > kMaxBytes) {
    wrong(header, fmt::format("its length is {} bytes; at most {} are served", header.payload, kMaxBytes));
  }
  return header;
}

Packet decode(const Header& header, std::string_view payload) {
  Packet packet;
  packet.header = header;
  if (header.is(PacketKind::hello)) {
    decode_hello(packet, payload);
  } else if (header.is(PacketKind::read) || header.is(PacketKind::write)) {
    decode_bus(packet, payload);
  } else if (header.is(PacketKind::interrupt)) {
    need(header, payload, kInterruptBytes);
    packet.time_ns = number_at<std::uint64_t>(payload, 0);
    packet.vector = number_at<std::uint64_t>(payload, 8);
    packet.line = number_at<std::uint32_t>(payload, 16);
    packet.value = number_at<std::uint8_t>(payload, 20);
  } else if (header.is(PacketKind::sync)) {
    need(header, payload, kSyncBytes);
    packet.time_ns = number_at<std::uint64_t>(payload, 0);
  } else if (!header.is(PacketKind::nop) && !header.is(PacketKind::cfg) && (header.flags & kOptional) == 0) {
    wrong(header, "nobody knows this command, and it is not optional");
  }
  return packet;
}

std::string encode(const Packet& packet, bool extended) {
  std::string payload;
  const Header& header = packet.header;
  if (header.is(PacketKind::hello)) {
    append(payload, packet.major);
    append(payload, packet.minor);
    append(payload, kHeaderBytes + kHelloBytes);
    append(payload, static_cast<std::uint16_t>(packet.capabilities.size()));
    append(payload, std::uint16_t{0});
    for (const std::uint32_t capability : packet.capabilities) append(payload, capability);
  } else if (header.is(PacketKind::read) || header.is(PacketKind::write)) {
    append(payload, packet.time_ns);
    append(payload, packet.attributes | (extended ? kExtendedLayout : 0));
    append(payload, packet.address);
    append(payload, packet.length);
    append(payload, std::uint32_t{0});  // width of a beat: unknown
    append(payload, packet.streaming_width);
    append(payload, std::uint16_t{0});  // id of the bus master
    if (extended) {
      append(payload, std::uint16_t{0});
      append(payload, std::uint32_t{0});
      append(payload, kHeaderBytes + kExtendedBusBytes);
      append(payload, std::uint32_t{0});
      append(payload, std::uint32_t{0});
      append(payload, std::uint32_t{0});
    }
    payload += packet.data;
  } else if (header.is(PacketKind::interrupt)) {
    append(payload, packet.time_ns);
    append(payload, packet.vector);
    append(payload, packet.line);
    append(payload, packet.value);
  } else if (header.is(PacketKind::sync)) {
    append(payload, packet.time_ns);
  }
  std::string bytes;
  append(bytes, header.kind);
  append(bytes, static_cast<std::uint32_t>(payload.size()));
  append(bytes, header.id);
  append(bytes, header.flags);
  append(bytes, header.device);
  return bytes + payload;
}

}  // namespace kb::remote

// Packets of the Remote-Port protocol, version 4.3, as used by Xilinx's QEMU and libsystemctlm-soc. All numbers are in
// network byte order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kb::remote {

enum class PacketKind : std::uint32_t { nop, hello, cfg, read, write, interrupt, sync };

inline constexpr std::uint16_t kVersionMajor = 4, kVersionMinor = 3;

// Bits of Header::flags.
inline constexpr std::uint32_t kOptional = 1, kIsResponse = 2, kPosted = 4;
// Bits of the attributes.
inline constexpr std::uint64_t kExtendedLayout = 4;
inline constexpr int kResponseShift = 8;
enum class BusResponse : std::uint8_t { ok, generic_error, address_error };
// Capability numbers of a hello packet.
inline constexpr std::uint32_t kCanExtendedLayout = 1, kCanByteEnables = 2, kCanPostedWires = 3;

inline constexpr std::uint32_t kHeaderBytes = 20;
inline constexpr std::uint32_t kMaxPayload = 16u << 20;

struct Header {
  std::uint32_t kind = 0;
  std::uint32_t payload = 0;  // bytes after the header
  std::uint32_t id = 0;
  std::uint32_t flags = 0;
  std::uint32_t device = 0;

  bool is(PacketKind other) const { return kind == static_cast<std::uint32_t>(other); }
  bool is_response() const { return (flags & kIsResponse) != 0; }
};

// Only the members for the packet's kind are valid.
struct Packet {
  Header header;
  std::uint64_t time_ns = 0;
  std::uint64_t attributes = 0;  // read, write
  std::uint64_t address = 0;
  std::uint32_t length = 0;
  std::uint32_t streaming_width = 0;
  std::string data;                    // data of a write, or of the response to a read
  std::string enables;                 // empty: all bytes
  std::uint16_t major = 0, minor = 0;  // hello
  std::vector<std::uint32_t> capabilities;
  std::uint64_t vector = 0;  // interrupt
  std::uint32_t line = 0;
  std::uint8_t value = 0;

  bool can(std::uint32_t capability) const;
  BusResponse response() const { return static_cast<BusResponse>(attributes >> kResponseShift & 0xf); }
};

Header decode_header(std::string_view bytes);  // `bytes` has kHeaderBytes
// Program Error PROTOCOL_ERROR that describes the problem.
Packet decode(const Header& header, std::string_view payload);
// `extended`: encodes reads and writes with byte enables.
std::string encode(const Packet& packet, bool extended);

// "read", or "command 77".
std::string kind_text(std::uint32_t kind);

}  // namespace kb::remote

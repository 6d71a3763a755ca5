// Encoder of one Protocol Buffers message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kb::convert {

class ProtoMessage {
 public:
  ProtoMessage& number(std::uint32_t field, std::uint64_t value) {
    tag(bytes_, field, kVarint);
    varint(bytes_, value);
    return *this;
  }
  ProtoMessage& fixed(std::uint32_t field, std::uint64_t bits) {
    tag(bytes_, field, kEightBytes);
    for (unsigned byte = 0; byte < sizeof bits; ++byte) bytes_ += static_cast<char>(bits >> (8 * byte));
    return *this;
  }
  ProtoMessage& text(std::uint32_t field, std::string_view value) {
    tag(bytes_, field, kLength);
    varint(bytes_, value.size());
    bytes_ += value;
    return *this;
  }
  ProtoMessage& message(std::uint32_t field, const ProtoMessage& value) { return text(field, value.bytes_); }

  void clear() { bytes_.clear(); }

  // Appends a complete message as a field of the outer message in `bytes`.
  static void append_message(std::string& bytes, std::uint32_t field, const ProtoMessage& value) {
    tag(bytes, field, kLength);
    varint(bytes, value.bytes_.size());
    bytes += value.bytes_;
  }

 private:
  static constexpr std::uint32_t kVarint = 0, kEightBytes = 1, kLength = 2;

  static void tag(std::string& bytes, std::uint32_t field, std::uint32_t type) { varint(bytes, field << 3U | type); }
  static void varint(std::string& bytes, std::uint64_t value) {
    constexpr std::uint64_t kLow = 0x7f, kMore = 0x80;
    for (; value > kLow; value >>= 7U) bytes += static_cast<char>((value & kLow) | kMore);
    bytes += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace kb::convert

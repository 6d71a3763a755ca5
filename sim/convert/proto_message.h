// One message of Protocol Buffers, as bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace kb::convert {

class ProtoMessage {
 public:
  ProtoMessage& number(std::uint32_t field, std::uint64_t value) {
    tag(field, kVarint);
    varint(value);
    return *this;
  }
  ProtoMessage& real(std::uint32_t field, double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return fixed(field, bits);
  }
  ProtoMessage& fixed(std::uint32_t field, std::uint64_t bits) {
    tag(field, kEightBytes);
    for (unsigned byte = 0; byte < sizeof bits; ++byte) bytes_ += static_cast<char>(bits >> (8 * byte));
    return *this;
  }
  ProtoMessage& text(std::uint32_t field, std::string_view value) {
    tag(field, kLength);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  ProtoMessage& message(std::uint32_t field, const ProtoMessage& value) { return text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }
  std::string take() {
    std::string taken;
    taken.swap(bytes_);
    return taken;
  }

 private:
  static constexpr std::uint32_t kVarint = 0, kEightBytes = 1, kLength = 2;

  void tag(std::uint32_t field, std::uint32_t type) { varint(field << 3U | type); }
  void varint(std::uint64_t value) {
    constexpr std::uint64_t kLow = 0x7f, kMore = 0x80;
    for (; value > kLow; value >>= 7U) bytes_ += static_cast<char>((value & kLow) | kMore);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace kb::convert

// A text buffer that is efficient for many short appends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace kb::observe {

class TextBuffer {
 public:
  std::string_view text() const { return {bytes_.data(), size_}; }
  void clear() { size_ = 0; }

  void add(char c) {
    *room(1) = c;
    ++size_;
  }
  void add(std::string_view text) {
    std::memcpy(room(text.size()), text.data(), text.size());
    size_ += text.size();
  }

  // Returns space for `bytes` more characters; the next function sets the end of the written ones.
  char* room(std::size_t bytes) {
    if (bytes_.size() - size_ < bytes) bytes_.resize(std::max(2 * bytes_.size(), size_ + bytes));
    return bytes_.data() + size_;
  }
  void end_at(const char* end) { size_ = static_cast<std::size_t>(end - bytes_.data()); }

 private:
  std::string bytes_;  // grows only
  std::size_t size_ = 0;
};

}  // namespace kb::observe

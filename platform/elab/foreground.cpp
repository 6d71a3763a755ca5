#include "platform/elab/foreground.h"

#include <cstring>

namespace kb::elab {
namespace {

class Writer {
 public:
  Writer(char* text, std::size_t size) : next_(text), end_(text + size - 1) { *next_ = '\0'; }

  Writer& operator<<(const char* part) {
    for (; part != nullptr && *part != '\0' && next_ != end_; ++part) {
      const bool printable = static_cast<unsigned char>(*part) >= 0x20 && *part != 0x7f;
      *next_++ = printable ? *part : '?';
    }
    *next_ = '\0';
    return *this;
  }
  Writer& operator<<(std::uint64_t number) {
    char digits[21] = {};
    char* first = digits + sizeof digits - 1;
    do {
      *--first = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    return *this << first;
  }

 private:
  char* next_;
  char* end_;
};

void write_call(const Foreground::View& view, Writer& out) {
  if (view.call == nullptr || *view.call == '\0') return;
  out << ", after tl." << view.call << " #" << view.index;
  if (view.at.line() == 0) return;
  const char* const slash = std::strrchr(view.at.file(), '/');
  out << " at " << (slash == nullptr ? view.at.file() : slash + 1) << ":" << static_cast<std::uint64_t>(view.at.line());
}

}  // namespace

void describe(const Foreground::View& view, char* text, std::size_t size) {
  Writer out(text, size);
  switch (view.code) {
    case UserCode::none:
      return;
    case UserCode::plug_in:
      out << "in the plug-in " << view.name << ", while it was loaded";
      return;
    case UserCode::workload:
      out << "in the workload (" << view.place << ")";
      return;
    case UserCode::kernel:
      out << "in kernel " << view.name << " on " << view.place;
      write_call(view, out);
      return;
    case UserCode::block:
      out << "in the block " << view.name << " at " << view.place;
      return;
  }
}

}  // namespace kb::elab

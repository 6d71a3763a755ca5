#include "platform/observe/packed_file.h"

#include <cerrno>
#include <cstdio>
#include <optional>
#include <streambuf>
#include <system_error>
#include <vector>

#include "platform/base/error.h"
#include "platform/observe/gzip.h"

namespace kb::observe {
namespace {

constexpr std::string_view kEnding = ".gz";
constexpr std::string_view kMagic = "\x1f\x8b";

}  // namespace

bool is_packed_name(std::string_view path) {
  return path.size() > kEnding.size() && path.substr(path.size() - kEnding.size()) == kEnding;
}

class PackedOutput::Buffer final : public std::streambuf {
 public:
  explicit Buffer(OutputFile& file) : file_(file) {
    if (is_packed_name(file.path())) gzip_.emplace([this](std::string_view bytes) { file_.write(bytes); });
    setp(room_.data(), room_.data() + room_.size());
  }

  void finish() {
    pass_on();
    if (gzip_) gzip_->finish();
  }

 private:
  int_type overflow(int_type next) override {
    pass_on();
    if (!traits_type::eq_int_type(next, traits_type::eof())) sputc(traits_type::to_char_type(next));
    return traits_type::not_eof(next);
  }
  void pass_on() {
    const std::string_view bytes(pbase(), static_cast<std::size_t>(pptr() - pbase()));
    setp(room_.data(), room_.data() + room_.size());
    if (gzip_) {
      gzip_->add(bytes);
    } else if (!bytes.empty()) {
      file_.write(bytes);
    }
  }

  OutputFile& file_;
  std::optional<Gzip> gzip_;
  std::vector<char> room_ = std::vector<char>(kPieceBytes);
};

PackedOutput::PackedOutput(OutputFile& file) : std::ostream(nullptr), buffer_(std::make_unique<Buffer>(file)) {
  rdbuf(buffer_.get());
  exceptions(std::ios::badbit);  // throws on what the file threw
}

PackedOutput::~PackedOutput() = default;

void PackedOutput::finish() {
  buffer_->finish();
}

struct PackedInput::State {
  explicit State(const std::string& path) : name(path), file(std::fopen(path.c_str(), "rb"), std::fclose) {
    if (!file) throw std::system_error(errno, std::generic_category(), path);
  }

  std::string_view read() {
    errno = 0;
    const std::size_t size = std::fread(raw.data(), 1, raw.size(), file.get());
    if (std::ferror(file.get()) != 0) throw std::system_error(errno, std::generic_category(), name);
    return {raw.data(), size};
  }
  [[noreturn]] void refuse(const char* problem) const {
    throw Error({Diagnostic{name, 0, 0, "", problem, "pack it again; 'gzip -t' tests a file"}});
  }

  std::string name;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file;
  std::vector<char> raw = std::vector<char>(kPieceBytes);
  bool begun = false;
  std::optional<Gunzip> gunzip;
  std::string unpacked;
};

PackedInput::PackedInput(const std::string& path) : state_(std::make_unique<State>(path)) {}

PackedInput::~PackedInput() = default;

std::string_view PackedInput::next() {
  State& s = *state_;
  s.unpacked.clear();
  while (true) {
    const std::string_view raw = s.read();
    if (!s.begun && raw.substr(0, kMagic.size()) == kMagic) {
      s.gunzip.emplace([&s](std::string_view bytes) { s.unpacked += bytes; });
    }
    s.begun = true;
    if (!s.gunzip) return raw;
    if (raw.empty() && !s.gunzip->complete()) s.refuse("the packed file is cut off");
    if (!s.gunzip->add(raw)) s.refuse("the packed file is damaged");
    if (raw.empty() || !s.unpacked.empty()) return s.unpacked;
  }
}

class PackedInputStream::Buffer final : public std::streambuf {
 public:
  explicit Buffer(const std::string& path) : input_(path) {}

 private:
  int_type underflow() override {
    const std::string_view bytes = input_.next();
    if (bytes.empty()) return traits_type::eof();
    char* const begin = const_cast<char*>(bytes.data());  // a get area is not written without sputbackc
    setg(begin, begin, begin + bytes.size());
    return traits_type::to_int_type(*begin);
  }

  PackedInput input_;
};

PackedInputStream::PackedInputStream(const std::string& path)
    : std::istream(nullptr), buffer_(std::make_unique<Buffer>(path)) {
  rdbuf(buffer_.get());
  exceptions(std::ios::badbit);  // throws on what the input threw
}

PackedInputStream::~PackedInputStream() = default;

}  // namespace kb::observe

#include "platform/waves/fst_file.h"

#include "platform/base/error.h"

#ifdef KB_HAS_FST
#include <fcntl.h>
#include <fst_names.h>
#include <fstapi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "platform/base/version.h"
#include "platform/observe/signal_block.h"
#include "platform/waves/fst_fast_path.h"
#include "platform/waves/wave_scopes.h"
#endif

namespace kb::waves {

#ifdef KB_HAS_FST

namespace {

constexpr int kBlockHeader = 9;  // a byte of its kind and eight of the length of what follows the kind, big endian
// So many changes are packed at once. With more, their chains no longer lie in a cache, and the file becomes larger.
constexpr std::uint64_t kSection = 200'000;
// LZ4 is faster than zlib and packs what repeats. Beyond so many bytes a change, of which a VCD has 16, the next
// section is packed by zlib: a file becomes a tenth of the VCD at the least cost.
constexpr double kMaxBytes = 1.5;

// Digits of each byte, eight in a row.
constexpr std::array<char, 256 * 8> digits_of_bytes() {
  std::array<char, 256 * 8> all{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    for (std::size_t bit = 0; bit < 8; ++bit) all[8 * byte + 7 - bit] = static_cast<char>('0' + (byte >> bit & 1));
  }
  return all;
}
constexpr std::array<char, 256 * 8> kByteDigits = digits_of_bytes();

// The library opens files by name, and a killed process should leave none: the names are removed as soon as the files
// are open.
class FstFile final : public IWaveFile {
 public:
  explicit FstFile(observe::OutputFile& file) : file_(file) {}
  ~FstFile() override {
    if (writer_ != nullptr) ::fstWriterClose(writer_);
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  void begin(const std::vector<contract::SignalInfo>& signals, TimeFs from) override;
  void initial(std::uint32_t signal, std::uint64_t value) override { change(signal, value); }
  void end_initial() override {}
  void time(TimeFs at) override;
  void change(std::uint32_t signal, std::uint64_t value) override;
  void end(TimeFs at) override;

 private:
  struct Variable {
    fstHandle handle = 0;
    std::uint16_t bits = 1;
    bool has_words = false;
  };
  struct Text {
    fstHandle handle = 0;
    std::vector<std::string> words;
  };

  void check_room(std::size_t signals);
  void open();
  void declare(const contract::SignalInfo& signal, std::uint32_t index);
  void change_text(const Text& text, std::uint64_t value);
  void flush();
  std::uint64_t written();
  void copy();
  void check_blocks(std::uint64_t size);
  std::size_t read_at(std::uint64_t place, char* to, std::size_t size);
  [[noreturn]] void fail(int error_number) {
    throw Error::configuration(std::string("cannot keep waveform data in a temporary file: ") +
                               std::strerror(error_number) +
                               "; record fewer signals with --wave-filter, or free some disk space");
  }

  observe::OutputFile& file_;
  void* writer_ = nullptr;
  int descriptor_ = -1;
  std::optional<FstFastPath> fast_;
  std::vector<Variable> variables_;
  std::unordered_map<std::uint32_t, Text> texts_;  // of signals with words
  std::uint64_t unpacked_ = 0;                     // changes that the library holds
  std::uint64_t packed_ = 0;                       // changes in its file
};

// The library maps files of its own, and a full disk would then be an invalid access to memory.
void FstFile::check_room(std::size_t signals) {
  constexpr std::uintmax_t kRoom = std::uintmax_t{16} << 20, kRoomOfSignal = 256;
  std::error_code error;
  for (const std::filesystem::path& folder :
       {std::filesystem::temp_directory_path(error), std::filesystem::path(P_tmpdir)}) {
    const std::filesystem::space_info space = std::filesystem::space(folder.empty() ? "." : folder, error);
    if (!error && space.available < kRoom + kRoomOfSignal * signals) fail(ENOSPC);
  }
}

void FstFile::open() {
  const observe::SignalBlock block;
  std::error_code ignored;
  std::string folder = (std::filesystem::temp_directory_path(ignored) / "kernbench-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) fail(errno);
  const std::string name = folder + "/wave.fst";
  constexpr int kCompressedHierarchy = 1;
  errno = 0;
  writer_ = ::fstWriterCreate(name.c_str(), kCompressedHierarchy);
  if (writer_ != nullptr) descriptor_ = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  const int error_number = errno;
  std::filesystem::remove_all(folder, ignored);
  if (descriptor_ < 0) fail(error_number);
  fast_.emplace(writer_);
}

void FstFile::begin(const std::vector<contract::SignalInfo>& signals, TimeFs from) {
  check_room(signals.size());
  open();
  ::fstWriterSetVersion(writer_, ("kernbench " + std::string(kVersion)).c_str());
  ::fstWriterSetDate(writer_, "");  // equal runs give equal files
  ::fstWriterSetTimescaleFromString(writer_, "1 fs");
  ::fstWriterSetPackType(writer_, FST_WR_PT_LZ4);
  variables_.resize(signals.size());
  visit_scopes(signals, {[&](const std::string& name) {
                           ::fstWriterSetScope(writer_, FST_ST_VCD_MODULE, name.c_str(), nullptr);
                         },
                         [&] { ::fstWriterSetUpscope(writer_); }, [&](std::uint32_t s) { declare(signals[s], s); }});
  time(from);
}

void FstFile::declare(const contract::SignalInfo& signal, std::uint32_t index) {
  Variable& variable = variables_[index];
  std::string name = shown_name(signal.name);
  if (signal.bits > 1) name += " [" + std::to_string(signal.bits - 1) + ":0]";
  variable.bits = static_cast<std::uint16_t>(signal.bits);
  variable.handle = ::fstWriterCreateVar(writer_, FST_VT_VCD_WIRE, FST_VD_IMPLICIT,
                                         static_cast<std::uint32_t>(signal.bits), name.c_str(), 0);
  if (signal.words.empty()) return;
  variable.has_words = true;
  Text& text = texts_[index];
  text.words = signal.words;
  text.handle = ::fstWriterCreateVar(writer_, FST_VT_GEN_STRING, FST_VD_IMPLICIT, 0, text_name(signal).c_str(), 0);
}

void FstFile::time(TimeFs at) {
  if (unpacked_ > kSection) flush();
  fast_->time(static_cast<std::uint64_t>(at.fs()));
}

void FstFile::flush() {
  ::fstWriterFlushContext(writer_);
  packed_ += unpacked_;
  unpacked_ = 0;
  const auto most = static_cast<std::uint64_t>(kMaxBytes * static_cast<double>(packed_));
  ::fstWriterSetPackType(writer_, written() > most ? FST_WR_PT_ZLIB : FST_WR_PT_LZ4);
}

void FstFile::change(std::uint32_t signal, std::uint64_t number) {
  std::uint64_t value = number;
  const Variable& variable = variables_[signal];
  ++unpacked_;
  if (variable.bits == 1 && !variable.has_words) {  // most of them
    fast_->bit(variable.handle, (value & 1) != 0);
    return;
  }
  std::array<char, 64> digits;  // of whole bytes, the value's are the last ones
  const std::size_t bytes = (variable.bits + 7u) / 8;
  for (std::size_t i = bytes; i-- > 0; value >>= 8) std::memcpy(&digits[8 * i], &kByteDigits[8 * (value & 0xff)], 8);
  ::fstWriterEmitValueChange(writer_, variable.handle, &digits[8 * bytes - variable.bits]);
  if (variable.has_words) change_text(texts_.at(signal), number);
}

void FstFile::change_text(const Text& text, std::uint64_t value) {
  const std::string word = value < text.words.size() ? text.words[value] : std::to_string(value);
  ::fstWriterEmitVariableLengthValueChange(writer_, text.handle, word.data(), static_cast<std::uint32_t>(word.size()));
}

void FstFile::end(TimeFs at) {
  time(at);
  fast_->finish();
  ::fstWriterClose(writer_);
  writer_ = nullptr;
  copy();
  file_.complete();
}

std::uint64_t FstFile::written() {
  struct stat facts {};
  if (::fstat(descriptor_, &facts) != 0) fail(errno);
  return static_cast<std::uint64_t>(facts.st_size);
}

void FstFile::copy() {
  const std::uint64_t size = written();
  check_blocks(size);
  std::vector<char> buffer(std::size_t{1} << 20);
  for (std::uint64_t place = 0; place < size;) {
    const std::size_t count = read_at(place, buffer.data(), buffer.size());
    if (count == 0) fail(EIO);
    file_.write({buffer.data(), count});
    place += count;
  }
}

// The library does not tell when the disk is full, but then the lengths of the blocks do not add up to the file's.
void FstFile::check_blocks(std::uint64_t size) {
  std::uint64_t place = 0;
  while (place < size) {
    std::array<char, kBlockHeader> header;
    if (read_at(place, header.data(), header.size()) != header.size()) fail(ENOSPC);
    std::uint64_t length = 0;
    for (int i = 1; i < kBlockHeader; ++i) length = length << 8 | static_cast<unsigned char>(header[i]);
    if (static_cast<unsigned char>(header[0]) == FST_BL_SKIP || length < 8 || length >= size - place) fail(ENOSPC);
    place += length + 1;
  }
  if (size == 0) fail(ENOSPC);
}

std::size_t FstFile::read_at(std::uint64_t place, char* to, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ::ssize_t count = ::pread(descriptor_, to + done, size - done, static_cast<::off_t>(place + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

}  // namespace

void check_fst(const std::string&) {}

std::unique_ptr<IWaveFile> make_fst_file(observe::OutputFile& file) {
  return std::make_unique<FstFile>(file);
}

#else

void check_fst(const std::string& name) {
  throw Error::configuration("cannot write " + name +
                             " as FST: this kernbench was built without GTKWave's fstapi.c, which is in the package "
                             "verilator, or without zlib (apt-get install verilator zlib1g-dev, and build again); "
                             "a name that ends in .vcd needs neither");
}

std::unique_ptr<IWaveFile> make_fst_file(observe::OutputFile& file) {
  check_fst(file.path());
  return nullptr;
}

#endif

}  // namespace kb::waves

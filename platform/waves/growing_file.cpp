#include "platform/waves/growing_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "platform/observe/signal_block.h"

namespace kb::waves {
namespace {

constexpr std::size_t kCopied = std::size_t{1} << 20;  // bytes at once

int open_nameless() {
  const observe::SignalBlock block;
  std::FILE* const file = std::tmpfile();
  if (file == nullptr) return -1;
  const int descriptor = ::dup(::fileno(file));
  std::fclose(file);
  return descriptor;
}

}  // namespace

GrowingFile::~GrowingFile() {
  if (nameless_) ::close(descriptor_);
}

void GrowingFile::open() {
  if (descriptor_ >= 0) return;
  descriptor_ = file_.descriptor();
  if (descriptor_ >= 0) return;
  descriptor_ = open_nameless();
  if (descriptor_ < 0) file_.fail("write", std::strerror(errno));
  nameless_ = true;
}

void GrowingFile::set_head(std::string_view head) {
  open();
  if (size_ == 0) {
    head_ = size_ = head.size();
  } else if (head.size() != head_) {
    move_body(head.size());
  }
  write_at(0, head);
}

void GrowingFile::append(std::string_view bytes) {
  cut_to_body();
  write_in_turn(bytes);
  size_ += bytes.size();
}

void GrowingFile::show(std::string_view bytes) {
  cut_to_body();
  write_in_turn(bytes);
  shown_ = !bytes.empty();
  if (!nameless_) file_.appear();
}

void GrowingFile::complete() {
  open();
  cut_to_body();
  if (nameless_) {
    std::vector<char> buffer(kCopied);
    for (std::uint64_t place = 0; place < size_;) {
      const std::size_t count = read_at(descriptor_, place, buffer.data(), buffer.size());
      file_.write({buffer.data(), count});
      place += count;
    }
  }
  file_.complete();
}

void GrowingFile::write_in_turn(std::string_view bytes) {
  if (!is_blocks_ || bytes.empty()) {
    write_at(size_, bytes);
    return;
  }
  write_at(size_ + 1, bytes.substr(1));
  write_at(size_, bytes.substr(0, 1));
}

void GrowingFile::write_at(std::uint64_t place, std::string_view bytes) {
  while (!bytes.empty()) {
    const ::ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<::off_t>(place));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) file_.fail("write", std::strerror(written == 0 ? ENOSPC : errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
    place += static_cast<std::uint64_t>(written);
  }
}

void GrowingFile::cut_to_body() {
  if (std::exchange(shown_, false) && ::ftruncate(descriptor_, static_cast<::off_t>(size_)) != 0) {
    file_.fail("write", std::strerror(errno));
  }
}

void GrowingFile::move_body(std::size_t head) {
  const std::uint64_t body = size_ - head_;
  const std::unique_ptr<observe::TemporaryFile> before = nameless_ ? nullptr : file_.begin_new_file();
  const int from = descriptor_;
  descriptor_ = nameless_ ? open_nameless() : file_.descriptor();
  if (descriptor_ < 0) file_.fail("write", std::strerror(errno));
  std::vector<char> buffer(kCopied);
  for (std::uint64_t done = 0; done < body;) {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), body - done));
    const std::size_t count = read_at(from, head_ + done, buffer.data(), wanted);
    write_at(head + done, {buffer.data(), count});
    done += count;
  }
  if (nameless_) ::close(from);
  head_ = head;
  size_ = head + body;
  shown_ = false;
}

std::size_t GrowingFile::read_at(int from, std::uint64_t place, char* to, std::size_t size) {
  for (;;) {
    const ::ssize_t count = ::pread(from, to, size, static_cast<::off_t>(place));
    if (count > 0) return static_cast<std::size_t>(count);
    if (count == 0 || errno != EINTR) file_.fail("read", std::strerror(count == 0 ? EIO : errno));
  }
}

}  // namespace kb::waves

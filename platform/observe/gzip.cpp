#include "platform/observe/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>
#include <vector>

namespace kb::observe {

namespace {

constexpr int kWindowBits = 15, kAsGzip = 16;

}  // namespace

struct Gzip::Stream {
  z_stream z{};
  std::vector<unsigned char> room = std::vector<unsigned char>(std::size_t{1} << 16);
};

Gzip::Gzip(TextSink write, int level) : write_(std::move(write)), stream_(std::make_unique<Stream>()) {
  constexpr int kMemory = 8;
  if (deflateInit2(&stream_->z, level, Z_DEFLATED, kWindowBits + kAsGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

Gzip::~Gzip() {
  deflateEnd(&stream_->z);
}

void Gzip::add(std::string_view bytes) {
  constexpr std::size_t kMax = std::numeric_limits<uInt>::max();
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kMax, bytes.size()))) run(bytes.substr(0, kMax), false);
}

void Gzip::finish() {
  run("", true);
}

void Gzip::run(std::string_view bytes, bool last) {
  z_stream& z = stream_->z;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not change it
  z.avail_in = static_cast<uInt>(bytes.size());
  do {
    z.next_out = stream_->room.data();
    z.avail_out = static_cast<uInt>(stream_->room.size());
    deflate(&z, last ? Z_FINISH : Z_NO_FLUSH);
    const std::size_t made = stream_->room.size() - z.avail_out;
    if (made > 0) write_({reinterpret_cast<const char*>(stream_->room.data()), made});
  } while (z.avail_out == 0);
}

struct Gunzip::Stream {
  z_stream z{};
  std::vector<unsigned char> room = std::vector<unsigned char>(std::size_t{1} << 16);
};

Gunzip::Gunzip(TextSink write) : write_(std::move(write)), stream_(std::make_unique<Stream>()) {
  if (inflateInit2(&stream_->z, kWindowBits + kAsGzip) != Z_OK) throw std::bad_alloc();
}

Gunzip::~Gunzip() {
  inflateEnd(&stream_->z);
}

bool Gunzip::add(std::string_view bytes) {
  z_stream& z = stream_->z;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not change it
  z.avail_in = static_cast<uInt>(bytes.size());
  do {
    if (complete_ && z.avail_in == 0) break;
    if (complete_ && inflateReset(&z) != Z_OK) return false;
    z.next_out = stream_->room.data();
    z.avail_out = static_cast<uInt>(stream_->room.size());
    const int result = inflate(&z, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) return false;
    complete_ = result == Z_STREAM_END;
    const std::size_t made = stream_->room.size() - z.avail_out;
    if (made > 0) write_({reinterpret_cast<const char*>(stream_->room.data()), made});
  } while (z.avail_in > 0 || z.avail_out == 0);
  return true;
}

}  // namespace kb::observe

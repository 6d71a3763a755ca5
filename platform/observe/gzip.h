// Streaming compression and decompression with gzip.
#pragma once

#include <memory>
#include <string_view>

#include "platform/observe/text_sink.h"

namespace kb::observe {

// The file contains neither a name nor a time, so that equal bytes give equal files.
class Gzip {
 public:
  // `level` is zlib's: from 1, fast, to 9, small.
  explicit Gzip(TextSink write, int level = 4);
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void add(std::string_view bytes);
  // Writes the buffered rest and the end of the file; no more data may be added.
  void finish();

 private:
  struct Stream;
  void run(std::string_view bytes, bool last);

  TextSink write_;
  std::unique_ptr<Stream> stream_;
};

// Unpacks pieces of a gzip file, which may have several members, one after the other.
class Gunzip {
 public:
  explicit Gunzip(TextSink write);
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  // False when the bytes are not those of a gzip file, or damaged.
  bool add(std::string_view bytes);
  // True when the data so far are a whole file.
  bool complete() const { return complete_; }

 private:
  struct Stream;

  TextSink write_;
  std::unique_ptr<Stream> stream_;
  bool complete_ = true;
};

}  // namespace kb::observe

// Streaming gzip compression.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace kb::convert {

// The file contains neither a name nor a time, so that equal bytes give equal files.
class Gzip {
 public:
  using Write = std::function<void(std::string_view)>;
  // `level` is zlib's: from 1, fast, to 9, small.
  explicit Gzip(Write write, int level = 4);
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void add(std::string_view bytes);
  // Writes the buffered rest and the end of the file; no more data may be added.
  void finish();

 private:
  struct Stream;
  void run(std::string_view bytes, bool last);

  Write write_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace kb::convert

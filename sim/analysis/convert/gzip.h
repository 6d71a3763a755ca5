// Bytes packed as a gzip file, piece by piece.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace kb::convert {

// The file has no name and no time in it: equal bytes give equal files.
class Gzip {
 public:
  using Write = std::function<void(std::string_view)>;
  explicit Gzip(Write write);
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void add(std::string_view bytes);
  // What is still inside, and the end of the file; nothing is added afterwards.
  void finish();

 private:
  struct Stream;
  void run(std::string_view bytes, bool last);

  Write write_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace kb::convert

// Text files that may be packed by gzip: written packed when their name ends in ".gz", read packed or not.
#pragma once

#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "platform/observe/output_file.h"

namespace kb::observe {

bool is_packed_name(std::string_view path);

// A stream into an output file that is packed when the name of the file ends in ".gz".
class PackedOutput final : public std::ostream {
 public:
  // The file must outlive the stream. Errors of the file are thrown by the writing call.
  explicit PackedOutput(OutputFile& file);
  ~PackedOutput() override;

  // Passes all bytes to the file; nothing may be written any more. The file is committed by its owner.
  void finish();

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

// A file, pipe or device that is read from the beginning to the end in pieces. Whether it is packed is seen by its
// first bytes.
class PackedInput {
 public:
  // std::system_error when it cannot be opened.
  explicit PackedInput(const std::string& path);
  ~PackedInput();

  // The next bytes, valid until the next call; empty at the end. std::system_error when the file cannot be read, and a
  // configuration Error when its packed bytes are damaged or cut off.
  std::string_view next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The same as a stream, which throws the errors of PackedInput.
class PackedInputStream final : public std::istream {
 public:
  explicit PackedInputStream(const std::string& path);
  ~PackedInputStream() override;

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace kb::observe

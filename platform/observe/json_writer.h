// Ordered JSON text with exact numbers: times are written from integer femtoseconds, without conversion to double.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/units.h"
#include "platform/observe/text_sink.h"

namespace kb::observe {

// Members appear in call order, so that equal calls give equal bytes.
class JsonWriter {
 public:
  enum class Layout { pretty, compact };
  explicit JsonWriter(Layout layout = Layout::pretty) : pretty_(layout == Layout::pretty) {}
  // Passes the text to `sink` piece by piece; the sink outlives the writer.
  explicit JsonWriter(const TextSink& sink) : pretty_(true), sink_(&sink) {}

  // A container opened with `inline_items` keeps its contents on one line.
  JsonWriter& begin_object(bool inline_items = false) { return open('{', inline_items); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array(bool inline_items = false) { return open('[', inline_items); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& text(std::string_view value);  // bytes that are not UTF-8 become U+FFFD
  JsonWriter& integer(std::int64_t value);
  JsonWriter& unsigned_integer(std::uint64_t value);
  JsonWriter& real(double value);  // shortest text that reads back as the same double; null when not finite
  JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
  JsonWriter& null() { return raw("null"); }
  JsonWriter& time_ns(TimeFs fs);          // exact, up to six decimals
  JsonWriter& raw(std::string_view json);  // a complete JSON value

  // The document so far; complete when every container is closed. Only for writers without a sink.
  std::string str() const { return fmt::to_string(out_); }
  // Passes the last piece of the complete document and a line end to the sink.
  void finish();

 private:
  struct Level {
    bool inline_items = false;
    bool empty = true;
  };
  JsonWriter& open(char bracket, bool inline_items);
  JsonWriter& close(char bracket);
  void pass_on();
  void before_value();
  char* put_separator(char* to);
  char* put_new_line(char* to) const;
  std::size_t separator_bytes() const { return 2 + 2 * levels_.size(); }  // upper bound

  fmt::memory_buffer out_;
  std::vector<Level> levels_;
  bool pretty_;
  const TextSink* sink_ = nullptr;
  bool after_key_ = false;
};

// `text` as a JSON string, quotes included.
std::string json_string(std::string_view text);
// Shortest decimal text that reads back as the same finite double.
std::string shortest(double value);
// Removes rounding noise of double arithmetic: rounds to twelve significant digits, or to six decimals (which are exact
// times in ns) where that keeps more digits.
double tidy(double value);
std::string number_text(double value);  // shortest(tidy(value))

}  // namespace kb::observe

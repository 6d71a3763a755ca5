#include "platform/data/op_log_format.h"

#include <cmath>
#include <cstring>
#include <iterator>

namespace kb::data {
namespace {

using Buffer = fmt::memory_buffer;

void text(Buffer& out, std::string_view s) {
  out.append(s.data(), s.data() + s.size());
}

template <typename Integer>
void decimal(Buffer& out, Integer value) {
  const fmt::format_int digits(value);
  text(out, {digits.data(), digits.size()});
}

void hex(Buffer& out, std::uint64_t value) {
  char digits[20];
  int at = 19;
  digits[at] = '"';
  do {
    digits[--at] = "0123456789abcdef"[value & 15];
    value >>= 4;
  } while (value != 0);
  digits[--at] = 'x';
  digits[--at] = '0';
  digits[--at] = '"';
  text(out, {digits + at, static_cast<std::size_t>(20 - at)});
}

// As format_ns(), without a string.
void nanoseconds(Buffer& out, TimeFs fs) {
  const bool negative = fs < 0;
  const std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(fs) : static_cast<std::uint64_t>(fs);
  if (negative) out.push_back('-');
  decimal(out, magnitude / kFsPerNs);
  std::uint64_t fraction = magnitude % kFsPerNs;
  if (fraction == 0) return;
  char digits[6];
  for (int i = 6; i-- > 0; fraction /= 10) digits[i] = static_cast<char>('0' + fraction % 10);
  int length = 6;
  while (digits[length - 1] == '0') --length;
  out.push_back('.');
  text(out, {digits, static_cast<std::size_t>(length)});
}

// Writes the members of one JSON object.
class Params {
 public:
  Params(Buffer& out, const OpLog::Options& options) : out_(out), options_(options) { out_.push_back('{'); }
  void close() { out_.push_back('}'); }

  Buffer& key(std::string_view prefix, std::string_view name = {}) {
    if (!first_) out_.push_back(',');
    first_ = false;
    out_.push_back('"');
    text(out_, prefix);
    text(out_, name);
    text(out_, "\":");
    return out_;
  }
  void word(std::string_view name, std::string_view value) {
    key(name);
    quoted(value);
  }
  template <typename Integer>
  void number(std::string_view name, Integer value) {
    decimal(key(name), value);
  }
  void boolean(std::string_view name, bool value) { text(key(name), value ? "true" : "false"); }

  template <typename Items, typename Each>
  void array(std::string_view name, const Items& items, Each each) {
    key(name).push_back('[');
    bool first = true;
    for (const auto& item : items) {
      if (!first) out_.push_back(',');
      first = false;
      each(item);
    }
    out_.push_back(']');
  }

  void quoted(std::string_view value) {
    out_.push_back('"');
    text(out_, value);
    out_.push_back('"');
  }
  void shape_value(const Shape& shape) {
    out_.push_back('[');
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (i > 0) out_.push_back(',');
      decimal(out_, shape[i]);
    }
    out_.push_back(']');
  }
  void scalar_value(const Scalar& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return decimal(out_, *whole);
    const double real = std::get<double>(value);
    if (std::isfinite(real)) {
      fmt::format_to(std::back_inserter(out_), "{}", real);
    } else {
      quoted(std::isnan(real) ? "nan" : real > 0 ? "inf" : "-inf");  // JSON has no such numbers
    }
  }
  void address_value(const std::vector<Extent>& extents) {
    if (extents.empty()) return text(out_, "null");
    hex(out_, extents.front().pa);
  }
  void space_value(const std::vector<Extent>& extents) {
    if (extents.empty() || !options_.space) return text(out_, "null");
    quoted(options_.space(extents.front().pa));
  }

  // "<prefix>_addr", "<prefix>_space" and, unless the bytes are in one piece, "<prefix>_extents".
  void place(std::string_view prefix, const std::vector<Extent>& extents) {
    key(prefix, "_addr");
    address_value(extents);
    if (options_.space) {
      key(prefix, "_space");
      space_value(extents);
    }
    if (!one_piece(extents)) {
      key(prefix, "_extents");
      extents_value(extents);
    }
  }

  static bool one_piece(const std::vector<Extent>& extents) {
    for (std::size_t i = 1; i < extents.size(); ++i) {
      if (extents[i].pa != extents[i - 1].pa + extents[i - 1].nbytes) return false;
    }
    return true;
  }

  // [[addr, nbytes], ...]; equal pieces at an equal distance are one [addr, nbytes, count, stride].
  void extents_value(const std::vector<Extent>& extents) {
    out_.push_back('[');
    for (std::size_t i = 0; i < extents.size();) {
      const auto stride_at = [&](std::size_t j) {
        return static_cast<std::int64_t>(extents[j + 1].pa - extents[j].pa);
      };
      const auto same_size = [&](std::size_t j) { return extents[j].nbytes == extents[i].nbytes; };
      std::size_t last = i;
      while (last + 1 < extents.size() && same_size(last + 1) && stride_at(last) == stride_at(i)) ++last;
      if (i > 0) out_.push_back(',');
      out_.push_back('[');
      hex(out_, extents[i].pa);
      out_.push_back(',');
      decimal(out_, extents[i].nbytes);
      if (last > i) {
        out_.push_back(',');
        decimal(out_, last - i + 1);
        out_.push_back(',');
        decimal(out_, stride_at(i));
      }
      out_.push_back(']');
      i = last + 1;
    }
    out_.push_back(']');
  }

 private:
  Buffer& out_;
  const OpLog::Options& options_;
  bool first_ = true;
};

void params(Params& json, const CopyOp& op) {
  json.place("src", op.source);
  json.place("dst", op.destination);
  json.number("nbytes", total_bytes(op.destination));
}

void params(Params& json, const WriteOp& op) {
  json.place("dst", op.destination);
  json.number("nbytes", total_bytes(op.destination));
  if (op.buffer) {
    json.word("source", "buffer");
    json.number("buffer_offset", op.buffer_offset);
  } else {
    json.word("source", "pattern");
    hex(json.key("pattern"), op.pattern.value);
    json.number("pattern_width", static_cast<unsigned>(op.pattern.width));
  }
}

void params(Params& json, const GemmOp& op) {
  json.place("src_a", op.a.extents);
  json.place("src_b", op.b.extents);
  json.place("dst", op.out.extents);
  json.key("shape_a");
  json.shape_value(op.a.shape);
  json.key("shape_b");
  json.shape_value(op.b.shape);
  json.key("shape_out");
  json.shape_value(op.out.shape);
  json.boolean("transpose_a", op.a.transposed);
  json.boolean("transpose_b", op.b.transposed);
  json.word("dtype_in", dtype_name(op.a.dtype));
  json.word("dtype_acc", dtype_name(op.acc_dtype));
  json.word("dtype_out", dtype_name(op.out.dtype));
  json.number("m", op.a.shape.empty() ? 0 : op.a.shape.front());
  json.number("k", op.b.shape.empty() ? 0 : op.b.shape.front());
  json.number("n", op.b.shape.empty() ? 0 : op.b.shape.back());
}

void params(Params& json, const MathOpRecord& op) {
  bool values = false, pieces = false, transposed = false;
  for (const OperandRef& input : op.inputs) {
    values = values || input.immediate.has_value();
    pieces = pieces || !Params::one_piece(input.extents);
    transposed = transposed || input.transposed;
  }
  json.array("input_addrs", op.inputs, [&](const OperandRef& in) { json.address_value(in.extents); });
  json.array("input_shapes", op.inputs, [&](const OperandRef& in) { json.shape_value(in.shape); });
  json.array("input_spaces", op.inputs, [&](const OperandRef& in) { json.space_value(in.extents); });
  json.array("input_dtypes", op.inputs, [&](const OperandRef& in) { json.quoted(dtype_name(in.dtype)); });
  if (transposed) {
    Buffer& out = json.key("input_transposed");
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      out.push_back(i == 0 ? '[' : ',');
      text(out, op.inputs[i].transposed ? "true" : "false");
    }
    out.push_back(']');
  }
  if (pieces) {
    json.array("input_extents", op.inputs, [&](const OperandRef& in) { json.extents_value(in.extents); });
  }
  if (values) {
    Buffer& out = json.key("input_values");
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      out.push_back(i == 0 ? '[' : ',');
      op.inputs[i].immediate ? json.scalar_value(*op.inputs[i].immediate) : text(out, "null");
    }
    out.push_back(']');
  }
  json.place("dst", op.out.extents);
  json.key("shape_out");
  json.shape_value(op.out.shape);
  json.word("dtype", dtype_name(op.out.dtype));
  Buffer& out = json.key("axis");
  op.axis ? decimal(out, *op.axis) : text(out, "null");
}

void params(Params&, const OtherOp&) {}

}  // namespace

void format_row(fmt::memory_buffer& out, std::uint64_t sequence, const OpRecord& record,
                const OpLog::Options& options) {
  decimal(out, sequence);
  out.push_back('\t');
  decimal(out, record.id);
  out.push_back('\t');
  nanoseconds(out, record.start);
  out.push_back('\t');
  nanoseconds(out, record.end);
  out.push_back('\t');
  if (!record.component.valid()) {
    text(out, "host");
  } else if (record.component.value < options.component_names.size()) {
    text(out, options.component_names[record.component.value]);
  } else {
    text(out, "node");
    decimal(out, record.component.value);
  }
  out.push_back('\t');
  text(out, op_kind_name(record.kind()));
  out.push_back('\t');
  text(out, record.name());
  out.push_back('\t');
  Params json(out, options);
  std::visit([&](const auto& op) { params(json, op); }, record.op);
  json.close();
  out.push_back('\n');
}

}  // namespace kb::data

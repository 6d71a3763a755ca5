#include "platform/data/op_log_format.h"

#include <cmath>

#include "platform/data/text_writer.h"

namespace kb::data {
namespace {

// Writes the members of one JSON object.
class Params {
 public:
  Params(TextWriter& out, const OpLog::Options& options) : out_(out), options_(options) { out_.put('{'); }
  void close() { out_.put('}'); }

  TextWriter& key(std::string_view prefix, std::string_view name = {}) {
    if (!first_) out_.put(',');
    first_ = false;
    out_.put('"');
    out_.text(prefix);
    out_.text(name);
    out_.text("\":");
    return out_;
  }
  void word(std::string_view name, std::string_view value) {
    key(name);
    quoted(value);
  }
  template <typename Integer>
  void number(std::string_view name, Integer value) {
    key(name).decimal(value);
  }
  void boolean(std::string_view name, bool value) { key(name).text(value ? "true" : "false"); }

  template <typename Items, typename Each>
  void array(std::string_view name, const Items& items, Each each) {
    key(name).put('[');
    bool first = true;
    for (const auto& item : items) {
      if (!first) out_.put(',');
      first = false;
      each(item);
    }
    out_.put(']');
  }

  void quoted(std::string_view value) {
    out_.put('"');
    out_.text(value);
    out_.put('"');
  }
  void quoted_hex(std::uint64_t value) {
    out_.put('"');
    out_.hex(value);
    out_.put('"');
  }
  void shape_value(const Shape& shape) {
    out_.put('[');
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (i > 0) out_.put(',');
      out_.decimal(shape[i]);
    }
    out_.put(']');
  }
  void scalar_value(const Scalar& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return out_.decimal(*whole);
    const double real = std::get<double>(value);
    if (std::isfinite(real)) {
      char digits[32];
      out_.text({digits, static_cast<std::size_t>(fmt::format_to(digits, "{}", real) - digits)});
    } else {
      quoted(std::isnan(real) ? "nan" : real > 0 ? "inf" : "-inf");  // JSON has no such numbers
    }
  }
  void address_value(const std::vector<Extent>& extents) {
    if (extents.empty()) return out_.text("null");
    quoted_hex(extents.front().pa);
  }
  void space_value(const std::vector<Extent>& extents) {
    if (extents.empty() || !options_.space) return out_.text("null");
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
    out_.put('[');
    for (std::size_t i = 0; i < extents.size();) {
      const auto stride_at = [&](std::size_t j) {
        return static_cast<std::int64_t>(extents[j + 1].pa - extents[j].pa);
      };
      const auto same_size = [&](std::size_t j) { return extents[j].nbytes == extents[i].nbytes; };
      std::size_t last = i;
      while (last + 1 < extents.size() && same_size(last + 1) && stride_at(last) == stride_at(i)) ++last;
      if (i > 0) out_.put(',');
      out_.put('[');
      quoted_hex(extents[i].pa);
      out_.put(',');
      out_.decimal(extents[i].nbytes);
      if (last > i) {
        out_.put(',');
        out_.decimal(last - i + 1);
        out_.put(',');
        out_.decimal(stride_at(i));
      }
      out_.put(']');
      i = last + 1;
    }
    out_.put(']');
  }

 private:
  TextWriter& out_;
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
    json.key("pattern");
    json.quoted_hex(op.pattern.value);
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
    TextWriter& out = json.key("input_transposed");
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      out.put(i == 0 ? '[' : ',');
      out.text(op.inputs[i].transposed ? "true" : "false");
    }
    out.put(']');
  }
  if (pieces) {
    json.array("input_extents", op.inputs, [&](const OperandRef& in) { json.extents_value(in.extents); });
  }
  if (values) {
    TextWriter& out = json.key("input_values");
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      out.put(i == 0 ? '[' : ',');
      op.inputs[i].immediate ? json.scalar_value(*op.inputs[i].immediate) : out.text("null");
    }
    out.put(']');
  }
  json.place("dst", op.out.extents);
  json.key("shape_out");
  json.shape_value(op.out.shape);
  json.word("dtype", dtype_name(op.out.dtype));
  TextWriter& out = json.key("axis");
  op.axis ? out.decimal(*op.axis) : out.text("null");
}

void params(Params&, const OtherOp&) {}

}  // namespace

void format_row(fmt::memory_buffer& buffer, std::uint64_t sequence, const OpRecord& record,
                const OpLog::Options& options) {
  TextWriter out(buffer);
  out.decimal(sequence);
  out.put('\t');
  out.decimal(record.id);
  out.put('\t');
  out.nanoseconds(record.start);
  out.put('\t');
  out.nanoseconds(record.end);
  out.put('\t');
  if (!record.component.valid()) {
    out.text("host");
  } else if (record.component.value < options.component_names.size()) {
    out.text(options.component_names[record.component.value]);
  } else {
    out.text("node");
    out.decimal(record.component.value);
  }
  out.put('\t');
  out.text(op_kind_name(record.kind()));
  out.put('\t');
  out.text(record.name());
  out.put('\t');
  Params json(out, options);
  std::visit([&](const auto& op) { params(json, op); }, record.op);
  json.close();
  out.put('\n');
}

}  // namespace kb::data

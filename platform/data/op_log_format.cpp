#include "platform/data/op_log_format.h"

#include <array>
#include <cmath>

#include "platform/data/text_writer.h"
#include "platform/engine/engine_row.h"

namespace kb::data {
namespace {

// The start of a member, `,"name":`, in a fixed-size buffer that is copied as a whole.
class Key {
 public:
  template <std::size_t N>
  constexpr Key(const char (&name)[N]) : size_(N + 3) {
    static_assert(N + 3 <= kBytes, "make the key's buffer larger");
    text_[0] = ',';
    text_[1] = '"';
    for (std::size_t i = 0; i + 1 < N; ++i) text_[i + 2] = name[i];
    text_[N + 1] = '"';
    text_[N + 2] = ':';
  }
  void write(TextWriter& out) const { out.padded(text_, size_); }

 private:
  static constexpr std::size_t kBytes = 24;
  std::array<char, kBytes> text_{};
  std::size_t size_;
};

struct PlaceKeys {
  Key address, space, extents;
};
constexpr PlaceKeys kSource{"src_addr", "src_space", "src_extents"};
constexpr PlaceKeys kSourceA{"src_a_addr", "src_a_space", "src_a_extents"};
constexpr PlaceKeys kSourceB{"src_b_addr", "src_b_space", "src_b_extents"};
constexpr PlaceKeys kDestination{"dst_addr", "dst_space", "dst_extents"};
constexpr PlaceKeys kPositions{"positions_addr", "positions_space", "positions_extents"};
constexpr Key kByteCount("nbytes");

// Writes the members of one JSON object.
class Params {
 public:
  Params(TextWriter& out, const OpLog::Options& options) : out_(out), options_(options), begin_(out.size()) {}
  void close() {
    if (out_.size() == begin_) {
      out_.put('{');
    } else {
      out_[begin_] = '{';  // overwrites the comma of the first member
    }
    out_.put('}');
  }

  TextWriter& key(const Key& name) {
    name.write(out_);
    return out_;
  }
  void word(const Key& name, std::string_view value) {
    key(name);
    quoted(value);
  }
  template <typename Integer>
  void number(const Key& name, Integer value) {
    key(name).decimal(value);
  }
  void boolean(const Key& name, bool value) { key(name).text(value ? "true" : "false"); }

  template <typename Items, typename Each>
  void array(const Key& name, const Items& items, Each each) {
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
      quoted(std::isnan(real) ? "nan" : real > 0 ? "inf" : "-inf");  // JSON cannot represent these numbers
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

  // The address, its space and, unless the bytes are contiguous, the extents.
  void place(const PlaceKeys& keys, const std::vector<Extent>& extents) {
    key(keys.address);
    address_value(extents);
    if (options_.space) {
      key(keys.space);
      space_value(extents);
    }
    if (!one_piece(extents)) {
      key(keys.extents);
      extents_value(extents);
    }
  }

  // {"op":"bias","scope":"output_tile","value":0.5} or, for a tensor, its address, shape and dtype.
  void epilogue_value(const Epilogue& epilogue) {
    out_.text(R"({"op":)");
    quoted(epilogue_name(epilogue));
    word("scope", epilogue_scope_name(epilogue.scope));
    if (epilogue.place != 0) number("product_input", epilogue.place + 1);
    if (epilogue.operand) epilogue_operand(*epilogue.operand);
    if (epilogue.second) {
      key("second");
      const std::size_t begin = out_.size();
      epilogue_operand(*epilogue.second);
      out_[begin] = '{';  // overwrites the comma of the first member
      out_.put('}');
    }
    out_.put('}');
  }
  void epilogue_operand(const OperandRef& operand) {
    if (operand.immediate) {
      key("value");
      return scalar_value(*operand.immediate);
    }
    place(kSource, operand.extents);
    key("shape");
    shape_value(operand.shape);
    word("dtype", dtype_name(operand.dtype));
    if (operand.transposed) boolean("transposed", true);
  }

  static bool one_piece(const std::vector<Extent>& extents) {
    for (std::size_t i = 1; i < extents.size(); ++i) {
      if (extents[i].pa != extents[i - 1].pa + extents[i - 1].nbytes) return false;
    }
    return true;
  }

  // [[addr, nbytes], ...]; equal pieces at equal distances are combined to [addr, nbytes, count, stride].
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
  std::size_t begin_;
};

void params(Params& json, const CopyOp& op) {
  json.place(kSource, op.source);
  json.place(kDestination, op.destination);
  json.number(kByteCount, total_bytes(op.destination));
  if (op.added) json.word("dtype", dtype_name(*op.added));
  if (op.direction.empty()) return;
  json.word("direction", op.direction);
  json.number("sequence", op.sequence);
}

void params(Params& json, const WriteOp& op) {
  json.place(kDestination, op.destination);
  json.number(kByteCount, total_bytes(op.destination));
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
  json.place(kSourceA, op.a.extents);
  json.place(kSourceB, op.b.extents);
  json.place(kDestination, op.out.extents);
  json.key("shape_a");
  json.shape_value(op.a.shape);
  json.key("shape_b");
  json.shape_value(op.b.shape);
  json.key("shape_out");
  json.shape_value(op.out.shape);
  json.boolean("transpose_a", op.a.transposed);
  json.boolean("transpose_b", op.b.transposed);
  json.word("dtype_in", dtype_name(op.a.dtype));
  if (op.b.dtype != op.a.dtype) json.word("dtype_in_b", dtype_name(op.b.dtype));
  json.word("dtype_acc", dtype_name(op.acc_dtype));
  json.word("dtype_out", dtype_name(op.out.dtype));
  json.number("m", op.a.shape.empty() ? 0 : op.a.shape.front());
  json.number("k", op.b.shape.empty() ? 0 : op.b.shape.front());
  json.number("n", op.b.shape.empty() ? 0 : op.b.shape.back());
  if (op.accumulate) json.boolean("accumulate", true);
  if (op.epilogues.empty()) return;
  json.number("tile_k", op.tile_k);
  json.array("epilogues", op.epilogues, [&](const Epilogue& epilogue) { json.epilogue_value(epilogue); });
}

void params(Params& json, const MathOpRecord& op) {
  bool values = false, pieces = false, transposed = false;
  for (const OperandRef& input : op.inputs) {
    values = values || input.immediate.has_value();
    pieces = pieces || !Params::one_piece(input.extents);
    transposed = transposed || input.transposed;
  }
  if (op.composite) json.word("op", math_op_name(op.op));
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
  json.place(kDestination, op.out.extents);
  json.key("shape_out");
  json.shape_value(op.out.shape);
  json.word("dtype", dtype_name(op.out.dtype));
  TextWriter& out = json.key("axis");
  op.axis ? out.decimal(*op.axis) : out.text("null");
  if (op.positions) json.place(kPositions, op.positions->extents);
  if (op.must_fit) json.boolean("must_fit", true);
  const std::int64_t passes = static_cast<std::int64_t>(math_passes(op.op).size()) * math_rounds(op.op, op.inputs);
  if (passes > 1) json.number("passes", passes);
  if (op.epilogues.empty()) return;
  json.array("epilogues", op.epilogues, [&](const Epilogue& epilogue) { json.epilogue_value(epilogue); });
}

void params(Params& json, const EngineOp& op) {
  json.array("input_addrs", op.inputs, [&](const OperandRef& in) { json.address_value(in.extents); });
  json.array("input_shapes", op.inputs, [&](const OperandRef& in) { json.shape_value(in.shape); });
  json.array("input_dtypes", op.inputs, [&](const OperandRef& in) { json.quoted(dtype_name(in.dtype)); });
  json.place(kDestination, op.out.extents);
  json.key("shape_out");
  json.shape_value(op.out.shape);
  json.word("dtype", dtype_name(op.out.dtype));
  json.key("elements");
  json.scalar_value(op.row->work({op.inputs, op.parameters}));
  TextWriter& out = json.key("parameters");
  out.put('{');
  for (std::size_t i = 0; i < op.parameters.size(); ++i) {
    if (i > 0) out.put(',');
    json.quoted(op.row->parameters[i].name);
    out.put(':');
    out.decimal(op.parameters[i]);
  }
  out.put('}');
}

void params(Params&, const OtherOp&) {}

void params(Params& json, const TileOp& op) {
  const plan::Stage& stage = op.stage;
  json.word("stage_type", plan::stage_type_name(stage.type));
  json.number("composite", op.composite);
  json.number("tile", op.tile);
  if (plan::engine_of(stage.type)) {
    if (stage.useful_macs() > 0) {
      json.number("macs", stage.macs);
      json.number("useful_macs", stage.useful_macs());
    } else {
      json.number("elements", stage.elements);
      if (stage.is_epilogue) json.number("epilogue", stage.epilogue);
    }
    return;
  }
  if (stage.type == plan::StageType::dma_read) {
    if (stage.operand == plan::TileOperand::epilogue) {
      json.word("operand", "epilogue");
      json.number("epilogue", stage.epilogue);
      if (stage.input > 0) json.word("of", "second");
    } else {
      json.word("operand", stage.operand == plan::TileOperand::a ? "a" : "b");
    }
  }
  json.number(kByteCount, stage.nbytes);
}

void write_params(TextWriter& out, const OpRecord& record, const OpLog::Options& options) {
  Params json(out, options);
  std::visit([&](const auto& op) { params(json, op); }, record.op);
  json.close();
}

}  // namespace

std::string component_name(NodeId component, const OpLog::Options& options) {
  if (!component.valid()) return "host";
  if (component.value < options.nodes.size()) return options.nodes[component.value].id;
  return "node" + std::to_string(component.value);
}

void format_params(fmt::memory_buffer& buffer, const OpRecord& record, const OpLog::Options& options) {
  TextWriter out(buffer);
  write_params(out, record, options);
}

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
  if (record.component.valid() && record.component.value < options.nodes.size()) {
    out.text(options.nodes[record.component.value].id);
  } else {
    out.text(component_name(record.component, options));
  }
  out.put('\t');
  out.text(record.kind());
  out.put('\t');
  out.text(record.name());
  out.put('\t');
  write_params(out, record, options);
  out.put('\n');
}

}  // namespace kb::data

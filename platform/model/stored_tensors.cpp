#include "platform/model/stored_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include "platform/base/checked.h"
#include "platform/base/text_kind.h"
#include "platform/model/json_tree.h"
#include "platform/model/weights.h"

namespace kb::model {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMostHeaderBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMostNamed = 6;  // tensors in one message
const char* const kTensorsRemedy = "give a .safetensors file, or the .safetensors.index.json of several";

[[noreturn]] void refuse(const std::string& file, const std::string& message,
                         const std::string& remedy = kTensorsRemedy) {
  throw Error({Diagnostic{file, 0, 0, "", message, remedy}});
}

std::string bytes_of(std::ifstream& input, std::uint64_t count) {
  std::string text(static_cast<std::size_t>(count), '\0');
  input.read(text.data(), static_cast<std::streamsize>(count));
  text.resize(static_cast<std::size_t>(input.gcount()));
  return text;
}

// Eight bytes with the length of the header, lowest first, then the header as JSON.
std::string header_of(const std::string& file, std::ifstream& input) {
  const std::string length = bytes_of(input, kLengthBytes);
  constexpr std::uint64_t kMostKind = 24;
  if (length == "version ") check_text_kind(file, length + bytes_of(input, kMostKind));
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < length.size(); ++i) {
    count |= static_cast<std::uint64_t>(static_cast<unsigned char>(length[i])) << (8 * i);
  }
  if (length.size() != kLengthBytes || count > kMostHeaderBytes) refuse(file, "is not a safetensors file");
  std::string header = bytes_of(input, count);
  if (header.size() != count) refuse(file, "ends inside its header", "the file is not complete; get it again");
  return header;
}

Shape shape_of(const JsonNode& tensor, const std::string& name, const std::string& file) {
  const JsonMember* const member = tensor.find("shape");
  Shape shape;
  if (member != nullptr && member->node().kind == JsonNode::Kind::list) {
    for (const JsonNode& extent : member->node().items) shape.push_back(extent.integer);
    return shape;
  }
  refuse(file, "tensor '" + name + "' has no shape");
}

// Offsets count from the end of the header, which takes `header` bytes with its length.
void set_place(const JsonNode& tensor, const std::string& name, const std::string& file, std::uint64_t header,
               StoredTensor& stored) {
  const JsonMember* const member = tensor.find("data_offsets");
  if (member == nullptr) return;
  const std::vector<JsonNode>& ends = member->node().items;
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  const auto is_whole = [](const JsonNode& node) { return node.kind == JsonNode::Kind::integer; };
  if (ends.size() != 2 || !std::all_of(ends.begin(), ends.end(), is_whole) || ends[0].integer < 0 ||
      ends[1].integer < ends[0].integer || ends[1].integer > kMost) {
    refuse(file, "tensor '" + name + "' has data_offsets that are not two whole numbers in order",
           "the file is damaged; get it again");
  }
  stored.begin = header + static_cast<std::uint64_t>(ends[0].integer);
  stored.end = header + static_cast<std::uint64_t>(ends[1].integer);
}

StoredTensors read_header(const std::string& file, const JsonNode& root, std::uint64_t header) {
  StoredTensors tensors;
  for (const JsonMember& member : root.members) {
    if (member.key == "__metadata__") continue;
    const JsonMember* const dtype = member.node().find("dtype");
    StoredTensor& stored = tensors[member.key];
    stored.shape = shape_of(member.node(), member.key, file);
    if (dtype != nullptr) stored.dtype = dtype->node().text;
    set_place(member.node(), member.key, file, header, stored);
  }
  return tensors;
}

StoredTensors read_index(const std::string& file, const JsonNode& root) {
  const JsonMember* const map = root.find("weight_map");
  if (map == nullptr) refuse(file, "has no weight_map");
  if (map->node().kind != JsonNode::Kind::object) refuse(file, "has a weight_map that is " + map->node().described());
  StoredTensors tensors;
  for (const JsonMember& member : map->node().members) tensors[member.key] = {};
  return tensors;
}

// The tensors that the configuration calls for, with their shapes.
std::map<std::string, Shape> expected_tensors(const ModelSpec& spec) {
  std::map<std::string, Shape> expected;
  const auto add = [&expected](const std::string& name, const WeightTensor& weight) {
    expected[name] = weight.shape;
    if (!weight.scales) return;
    expected[name + "_scale_inv"] = {ceil_div(weight.rows(), weight.scales->rows),
                                     ceil_div(weight.columns(), weight.scales->columns)};
  };
  for (const WeightTensor& weight : all_weights(spec, Dtype::bf16)) {
    const std::string name = weight.name();
    const std::size_t star = name.find('*');
    if (star == std::string::npos) add(name, weight);
    for (std::int64_t expert = 0; star != std::string::npos && expert < weight.experts; ++expert) {
      add(name.substr(0, star) + std::to_string(expert) + name.substr(star + 1), weight);
    }
  }
  return expected;
}

// "model.layers.61.": layers behind those of the model predict further tokens.
bool is_of_further_layer(const ModelSpec& spec, const std::string& name) {
  const std::string begin = "model.layers.";
  if (name.compare(0, begin.size(), begin) != 0) return false;
  std::int64_t layer = 0;
  for (std::size_t i = begin.size(); i < name.size() && name[i] >= '0' && name[i] <= '9' && layer < 1'000'000; ++i) {
    layer = 10 * layer + (name[i] - '0');
  }
  return layer >= spec.layer_count() && layer < spec.layer_count() + spec.mtp_layers;
}

bool is_no_surprise(const ModelSpec& spec, const std::string& name) {
  return name.find("rotary_emb.inv_freq") != std::string::npos || (spec.tied && name == "lm_head.weight") ||
         is_of_further_layer(spec, name);
}

std::string named(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kMostNamed ? fmt::format("{} and {} more", text, names.size() - kMostNamed) : text;
}

}  // namespace

StoredTensors read_stored_tensors(const std::string& file) {
  std::error_code error;
  if (!fs::exists(file, error)) refuse(file, "does not exist");
  if (!fs::is_regular_file(file, error)) refuse(file, "is not a regular file");
  std::ifstream input(file, std::ios::binary);
  if (!input) refuse(file, "cannot be read", "check the permissions of the file");
  if (fs::path(file).extension() != ".json") {
    const std::string header = header_of(file, input);
    return read_header(file, parse_json_tree(header, file), kLengthBytes + header.size());
  }
  if (fs::file_size(file, error) > kMostHeaderBytes) refuse(file, "is too large for an index");
  return read_index(file, parse_json_tree({std::istreambuf_iterator<char>(input), {}}, file));
}

std::vector<std::byte> stored_bytes(const std::string& file, const std::string& name, const StoredTensor& tensor) {
  std::error_code error;
  std::ifstream input(file, std::ios::binary);
  if (!input) refuse(file, "cannot be read", "check the permissions of the file");
  if (fs::file_size(file, error) < tensor.end || error) {
    refuse(file, "ends inside the tensor '" + name + "'", "the file is not complete; get it again");
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.end - tensor.begin));
  input.seekg(static_cast<std::streamoff>(tensor.begin));
  input.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!input) refuse(file, "ends inside the tensor '" + name + "'", "the file is not complete; get it again");
  return bytes;
}

std::vector<Diagnostic> check_stored_tensors(const ModelSpec& spec, const StoredTensors& stored,
                                             const std::string& file) {
  const std::map<std::string, Shape> expected = expected_tensors(spec);
  std::vector<std::string> missing, unused;
  std::vector<Diagnostic> problems;
  for (const auto& [name, shape] : expected) {
    const auto found = stored.find(name);
    if (found == stored.end()) {
      missing.push_back(name);
    } else if (found->second.shape && *found->second.shape != shape) {
      problems.push_back({file, 0, 0, name,
                          fmt::format("has the shape {}, but {} calls for {}", format_shape(*found->second.shape),
                                      spec.file, format_shape(shape)),
                          "are these files of one model?"});
    }
  }
  for (const auto& [name, tensor] : stored) {
    if (expected.count(name) == 0 && !is_no_surprise(spec, name)) unused.push_back(name);
  }
  if (!missing.empty()) {
    const std::string instead = unused.empty() ? "" : fmt::format("; the file has {} instead", named(unused));
    problems.push_back({file, 0, 0, "",
                        fmt::format("{} of the tensors that {} calls for {} missing: {}{}", missing.size(), spec.file,
                                    missing.size() == 1 ? "is" : "are", named(missing), instead),
                        "are these files of one model? Of several files give the index"});
  }
  if (!problems.empty()) {
    if (problems.size() > kMostNamed) problems.resize(kMostNamed);
    throw Error(std::move(problems));
  }
  if (unused.empty()) return {};
  return {Diagnostic{file, 0, 0, "", fmt::format("tensors without a use: {}", named(unused)), ""}};
}

}  // namespace kb::model

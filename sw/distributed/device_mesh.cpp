#include "sw/distributed/device_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "sw/tensor/join.h"

namespace kb::sw {
namespace {

Error schema_error(const std::string& text) {
  return Error::program("SCHEMA_ERROR", "device mesh: " + text);
}

std::vector<std::string> names_of(const std::vector<MeshAxis>& axes) {
  std::vector<std::string> names;
  for (const MeshAxis& axis : axes) names.push_back(axis.name);
  return names;
}

void require_axes(const std::vector<MeshAxis>& axes, std::size_t ranks) {
  if (axes.empty()) throw schema_error("it has no axis; give at least one, such as {\"dp\", 2}");
  std::vector<std::string> names = names_of(axes);
  std::size_t product = 1;
  std::string text;
  for (const MeshAxis& axis : axes) {
    if (axis.name.empty()) throw schema_error("an axis has no name");
    if (axis.size < 1) throw schema_error(fmt::format("axis '{}' has size {}; at least 1", axis.name, axis.size));
    if (__builtin_mul_overflow(product, static_cast<std::size_t>(axis.size), &product)) product = SIZE_MAX;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", axis.name, axis.size);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) throw schema_error(fmt::format("two axes have the name '{}'", *twice));
  if (product == ranks) return;
  throw schema_error(
      fmt::format("axes {} hold {} ranks, but there are {}; the product of the sizes must be their number", text,
                  product == SIZE_MAX ? "countless" : std::to_string(product), ranks));
}

}  // namespace

DeviceMesh::DeviceMesh(ProcessGroup& world, std::vector<MeshAxis> axes)
    : DeviceMesh(world, std::move(axes), world.ranks()) {}

DeviceMesh::DeviceMesh(ProcessGroup& world, std::vector<MeshAxis> axes, std::vector<int> ranks)
    : world_(world), axes_(std::move(axes)), ranks_(std::move(ranks)) {
  require_axes(axes_, ranks_.size());
  for (int axis = 0; axis < this->axes(); ++axis) make_groups(axis);
}

void DeviceMesh::make_groups(int axis) {
  const int count = static_cast<int>(ranks_.size()), step = stride(axis), size = this->axis(axis).size;
  std::vector<Communicator*>& of_place = groups_.emplace_back(ranks_.size());
  for (int place = 0; place < count; ++place) {
    if (place / step % size != 0) continue;
    std::vector<int> members;
    for (int i = 0; i < size; ++i) members.push_back(ranks_[static_cast<std::size_t>(place + i * step)]);
    Communicator& group =
        world_.new_group(members, fmt::format("{} of ranks {}", this->axis(axis).name, join(members)));
    for (int i = 0; i < size; ++i) of_place[static_cast<std::size_t>(place + i * step)] = &group;
  }
}

int DeviceMesh::stride(int axis) const {
  return std::accumulate(axes_.begin() + axis + 1, axes_.end(), 1,
                         [](int product, const MeshAxis& inner) { return product * inner.size; });
}

int DeviceMesh::axis_index(const std::string& name) const {
  const std::vector<std::string> names = names_of(axes_);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  throw schema_error(fmt::format("there is no axis '{}'; {}", name, suggest(name, names)));
}

bool DeviceMesh::has(int rank) const {
  return std::find(ranks_.begin(), ranks_.end(), rank) != ranks_.end();
}

int DeviceMesh::place() const {
  const int rank = runtime().rank_waiter() == nullptr ? 0 : runtime().rank();
  if (has(rank)) return static_cast<int>(std::find(ranks_.begin(), ranks_.end(), rank) - ranks_.begin());
  throw Error::program("COLLECTIVE_ERROR",
                       fmt::format("rank {} is not in the device mesh, which has ranks {}", rank, join(ranks_)));
}

int DeviceMesh::coordinate(int axis) const {
  return place() / stride(axis) % this->axis(axis).size;
}

Communicator& DeviceMesh::group(int axis) const {
  return *groups_.at(static_cast<std::size_t>(axis))[static_cast<std::size_t>(place())];
}

}  // namespace kb::sw

// Groups of workloads and kernels: the headings of `kernbench list`.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace kb::groups {

inline constexpr const char* kMatrices = "matrix multiplication";
inline constexpr const char* kAttention = "attention";
inline constexpr const char* kTransformer = "transformer layers";
inline constexpr const char* kElements = "element-wise operations and normalisation";
inline constexpr const char* kTensorParallel = "tensor parallelism";
inline constexpr const char* kCollectives = "collectives";
inline constexpr const char* kCopies = "copies";
inline constexpr const char* kMicrobenchmarks = "microbenchmarks and tests of the machine";
inline constexpr const char* kOthers = "others";  // default for programs that embed kernbench

// Maps the names of one catalog to their groups.
class Groups {
 public:
  void add(const std::string& name, const std::string& group);

  // Returns the group of a name that was added.
  const std::string& of(const std::string& name) const { return group_of_.at(name); }
  // Returns the groups in the order in which they first appeared.
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::map<std::string, std::string> group_of_;
  std::vector<std::string> names_;
};

}  // namespace kb::groups

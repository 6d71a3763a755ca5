/* The version of kernbench, for C and C++; installed as kernbench/version.h. CMakeLists.txt reads it from here. It is
   the newest version of CHANGELOG.md. */
#ifndef KERNBENCH_VERSION_H
#define KERNBENCH_VERSION_H

#define KERNBENCH_VERSION_MAJOR 0
#define KERNBENCH_VERSION_MINOR 6
#define KERNBENCH_VERSION_PATCH 0
#define KERNBENCH_VERSION "0.6.0"

#ifdef __cplusplus
namespace kb {
inline constexpr const char* kVersion = KERNBENCH_VERSION;
}  // namespace kb
#endif

#endif /* KERNBENCH_VERSION_H */

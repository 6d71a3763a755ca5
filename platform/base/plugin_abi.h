// ABI version that a user's shared library and the program that loads it must share.
#pragma once

#include <string>

#include "platform/base/version.h"

namespace kb {

// Incremented with every change of a type that crosses the boundary; CHANGELOG.md lists the changes.
inline constexpr int kPluginAbi = 26;

// For example "kernbench 0.6.0, plug-in ABI 26".
inline std::string plugin_abi() {
  std::string text = std::string("kernbench ") + kVersion + ", plug-in ABI " + std::to_string(kPluginAbi);
#if defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
  text += ", old C++ strings";
#endif
#if defined(__SANITIZE_ADDRESS__)
  text += ", address sanitizer";
#endif
  return text;
}

}  // namespace kb

// Symbols that the loader looks up: the first one is required, and at least one of the next two.
inline constexpr const char* kKernbenchPluginAbiSymbol = "kernbench_plugin_abi";  // const char*()
inline constexpr const char* kKernbenchPluginSymbol = "kernbench_plugin";         // void(kb::sw::PluginRegistrar&)
inline constexpr const char* kKernbenchBlocksSymbol = "kernbench_blocks";         // void(kb::elab::BlockCatalog&)
inline constexpr const char* kKernbenchGroupSymbol = "kernbench_plugin_group";    // const char*(), optional

// The function is weak, because a library with both kernels and blocks defines it twice.
#define KERNBENCH_PLUGIN_ABI                                                                   \
  extern "C" __attribute__((visibility("default"), weak)) const char* kernbench_plugin_abi() { \
    static const std::string text = kb::plugin_abi();                                          \
    return text.c_str();                                                                       \
  }

// What a shared library of a user and the program that loads it must agree on.
#pragma once

#include <string>

#include "platform/base/version.h"

namespace kb {

// Raised with every change of a type that crosses the boundary, and then stated in CHANGELOG.md.
inline constexpr int kPluginAbi = 24;

// For example "kernbench 0.5.0, plug-in ABI 24".
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

// The symbols that the loader looks for: the first, and one or both of the others.
inline constexpr const char* kKernbenchPluginAbiSymbol = "kernbench_plugin_abi";  // const char*()
inline constexpr const char* kKernbenchPluginSymbol = "kernbench_plugin";         // void(kb::sw::PluginRegistrar&)
inline constexpr const char* kKernbenchBlocksSymbol = "kernbench_blocks";         // void(kb::elab::BlockCatalog&)

// Weak, because a library that brings kernels and blocks has it twice.
#define KERNBENCH_PLUGIN_ABI                                                                   \
  extern "C" __attribute__((visibility("default"), weak)) const char* kernbench_plugin_abi() { \
    static const std::string text = kb::plugin_abi();                                          \
    return text.c_str();                                                                       \
  }

// A library with the two symbols of a plug-in and something wrong with the first.
#include <cstdlib>
#include <string>

extern "C" const char* kernbench_plugin_abi() {
  const std::string odd = std::getenv("KB_ODD_ABI");
  if (odd == "throw") throw 7;
  return odd == "null" ? nullptr : "kernbench 0.0.1\x1b[31m";
}

extern "C" void kernbench_plugin() {}

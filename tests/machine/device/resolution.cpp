// A simulation that forgot kb::set_time_resolution(), or chose another one: the device says so.
#include <iostream>
#include <string>
#include <systemc>

#include "platform/base/error.h"
#include "sim/device/device.h"

int sc_main(int argc, char** argv) {
  const std::string unit = argc > 2 ? argv[2] : "";
  if (unit == "ns") sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
  if (unit == "fs") kb::set_time_resolution();
  kb::DeviceConfig config;
  config.topology = argv[1];
  try {
    kb::Device device("device", config);
    std::cout << "the device was made\n";
  } catch (const kb::Error& error) {
    std::cout << error.what() << "\n";
  }
  return 0;
}

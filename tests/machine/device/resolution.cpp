// A simulation that forgot kb::set_time_resolution(), chose another one, or called it too late or twice.
#include <iostream>
#include <string>
#include <systemc>

#include "platform/base/error.h"
#include "sim/ports/device/device.h"

int sc_main(int argc, char** argv) {
  const std::string unit = argc > 2 ? argv[2] : "";
  if (unit == "late") {
    const sc_core::sc_time period(10, sc_core::SC_NS);
    try {
      kb::set_time_resolution();
    } catch (const kb::Error& error) {
      std::cout << error.what() << "\n";
    }
    return 0;
  }
  if (unit == "twice") kb::set_time_resolution();
  if (unit == "ns") sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
  if (unit == "fs" || unit == "twice") kb::set_time_resolution();
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

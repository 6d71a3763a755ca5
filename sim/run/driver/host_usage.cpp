#include "sim/run/driver/host_usage.h"

#include <sys/resource.h>

namespace kb::sim {
namespace {

double process_cpu_s() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

HostUsage::HostUsage() : start_(std::chrono::steady_clock::now()), cpu_start_(process_cpu_s()) {}

double HostUsage::wall_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

double HostUsage::cpu_s() const {
  return process_cpu_s() - cpu_start_;
}

HostFigures HostUsage::figures(std::uint64_t events) const {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return {wall_s(), cpu_s(), static_cast<double>(usage.ru_maxrss) / 1024.0, events};
}

}  // namespace kb::sim

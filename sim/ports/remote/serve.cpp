#include "sim/ports/remote/serve.h"

#include <fmt/format.h>

#include "platform/base/error.h"
#include "sim/ports/remote/listener.h"
#include "sim/ports/remote/remote_port.h"
#include "sim/run/driver/systemc_setup.h"

namespace kb::remote {

ServeResult serve(const ServeOptions& options, const std::function<void(const std::string&)>& tell) {
  Listener listener(options.place, options.token);
  sim::prepare_systemc();
  sim::SystemcRun systemc(nullptr);
  systemc.on_warning(options.warn);
  DeviceConfig config = options.device;
  config.targets = {{"peer"}};
  config.on_failure = "warning";  // the peer may end the session at any time
  config.may_end_early = true;
  auto* const device = new Device("device", config);  // never destroyed, like its blocks
  tell(fmt::format("listening at {}", listener.place()));
  int left = options.sessions;
  RemotePort port(
      "remote", *device, "peer",
      [&]() -> std::unique_ptr<Connection> {
        if (options.sessions > 0 && left-- == 0) return nullptr;
        // A port scan connects and closes without a packet; it does not count as a session.
        std::unique_ptr<Connection> connection = listener.accept();
        while (!connection->send(hello()) || !connection->has_more()) connection = listener.accept();
        return connection;
      },
      sc_core::sc_time(options.quantum_ns, sc_core::SC_NS));
  port.on_warning(options.warn);
  systemc.run();
  if (port.failure()) device->report_error(port.failure()->code(), port.failure()->what());
  ServeResult result;
  result.report = device->finish();
  result.packets = port.packets();
  return result;
}

}  // namespace kb::remote

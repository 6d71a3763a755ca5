#include "tests/machine/device/memory_case.h"
#include "tests/machine/device/misuses/misuse.h"

namespace kb::test {

std::vector<Misuse> misuses_of_configuration() {
  std::vector<Misuse> all;
  const auto add = [&](const char* name, const char* says, std::function<void(Scene&)> prepare) {
    all.push_back({name, Misuse::Ends::construction, says, std::move(prepare)});
  };
  const auto config = [&](const char* name, const char* says, std::function<void(DeviceConfig&)> spoil) {
    add(name, says, [spoil = std::move(spoil)](Scene& scene) { spoil(scene.config); });
  };
  const auto before = [&](const char* name, const char* says, std::function<void(Device&)> call) {
    add(name, says, [call = std::move(call)](Scene& scene) { scene.before = call; });
  };
  const auto memory = [&](const char* name, const char* says, const char* attrs) {
    add(name, says, [attrs](Scene& scene) { scene.make_memory(attrs); });
  };
  config("NoMachine", "names no machine", [](DeviceConfig& c) { c.topology.clear(); });
  config("NoSuchFile", "there is no file 'no_such.yaml'", [](DeviceConfig& c) { c.topology = "no_such.yaml"; });
  config("UnknownKey", "did you mean 'w'?", [](DeviceConfig& c) { c.settings = {{"sip.cube_mesh.ww", "2"}}; });
  config("Data", "did you mean 'eager'?", [](DeviceConfig& c) { c.data = "eagre"; });
  config("OnFailure", "did you mean 'error'?", [](DeviceConfig& c) { c.on_failure = "eror"; });
  config("NoIrq", "irqs is 0; it has to be from 1 to 32", [](DeviceConfig& c) { c.irqs = 0; });
  config("ManyIrqs", "irqs is 33; it has to be from 1 to 32", [](DeviceConfig& c) { c.irqs = 33; });
  config("NoProgress", "no_progress_ns is -1", [](DeviceConfig& c) { c.no_progress_ns = -1; });
  config("AttachedToARouter", "could send requests", [](DeviceConfig& c) { c.targets[0].attach = "sip0.cube0.r0c0"; });
  config("AttachedToNothing", "did you mean 'sip0.io0.pcie_ep'?",
         [](DeviceConfig& c) { c.targets[0].attach = "sip0.io0.pcie_epp"; });
  config("NothingOutstanding", "max_outstanding is 0; it has to be at least 1",
         [](DeviceConfig& c) { c.targets[0].max_outstanding = 0; });
  config("WindowsOverlap", "the windows 0x0 to 0x3f and 0x20 to 0x5f overlap", [](DeviceConfig& c) {
    c.targets[0].windows = {{0, hbm(0), 64}, {32, hbm(64), 64}};
  });
  config("EmptyWindow", "has no bytes", [](DeviceConfig& c) { c.targets[0].windows = {{0, hbm(0), 0}}; });
  config("AcceptsBefore", "accept_ns is -1", [](DeviceConfig& c) { c.targets[0].accept_ns = -1; });
  config("TwoTargetsOfOneName", "target 'cpu0' of device exists already",
         [](DeviceConfig& c) { c.targets.push_back(c.targets[0]); });
  config("WaveDetail", "did you mean 'flit'?", [](DeviceConfig& c) { c.wave = "w.vcd", c.wave_detail = "flits"; });
  config("WaveEndsBeforeItBegins", "wave_until_ns, 8, is before wave_from_ns, 9",
         [](DeviceConfig& c) { c.wave = "w.vcd", c.wave_from_ns = 9, c.wave_until_ns = 8; });
  config("WaveFilter", "matches no signal", [](DeviceConfig& c) { c.wave = "w.vcd", c.wave_filters = {"pe9.*"}; });
  config("WaveInNoFolder", "cannot create the waveform file 'no_such/w.vcd'",
         [](DeviceConfig& c) { c.wave = "no_such/w.vcd"; });
  config("SaveFileAlone", "set `wave`, too", [](DeviceConfig& c) { c.gtkw = "w.gtkw"; });
  before("UnknownTarget", "has no target socket 'cpu1': did you mean 'cpu0'?", [](Device& d) { d.target("cpu1"); });
  before("UnknownMemory", "has no memory socket 'dram'", [](Device& d) { d.memory("dram"); });
  before("UnknownIrq", "has no interrupt line 3; there are 1", [](Device& d) { d.interrupt(3); });
  before("NoPins", "shows no pins of 'sip0.cube0.r0c0'", [](Device& d) { d.pins("sip0.cube0.r0c0"); });
  before("TwoPrograms", "one program", [](Device& d) {
    for (int i = 0; i < 2; ++i) d.run([](sw::Runtime&) {});
  });
  memory("MemoryUnbound", "nothing is bound to its memory socket 'dram'", "");
  memory("EndResp", "did you mean 'early'?", ", end_resp: erly");
  memory("MemoryMode", "did you mean 'at'?", ", mode: att");
  memory("NoReads", "attrs.max_reads: 0 is out of range", ", max_reads: 0");
  return all;
}

}  // namespace kb::test

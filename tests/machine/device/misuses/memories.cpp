#include <stdexcept>

#include "tests/machine/device/misuses/misuse.h"

namespace kb::test {
namespace {

using tlm::tlm_generic_payload;
using tlm::tlm_phase;

// Serves requests in phases: `then` runs 20 ns after one; END_REQ comes in the call unless `accepts` is false.
ScriptedMemory::Forward by_phases(std::function<void(ScriptedMemory&, tlm_generic_payload&)> then,
                                  bool accepts = true) {
  return [then = std::move(then), accepts](ScriptedMemory& memory, tlm_generic_payload& payload, tlm_phase& phase,
                                           sc_core::sc_time&) {
    sc_core::sc_spawn([&memory, &payload, then] {
      sc_core::wait(ns(20));
      then(memory, payload);
    });
    if (!accepts) return tlm::TLM_ACCEPTED;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  };
}

ScriptedMemory::Access with_status(tlm::tlm_response_status status) {
  return [status](tlm_generic_payload& payload) { payload.set_response_status(status); };
}

}  // namespace

std::vector<Misuse> misuses_of_memories() {
  std::vector<Misuse> all;
  const auto add = [&](const std::string& name, const std::string& says, ScriptedMemory::Forward by_phases,
                       ScriptedMemory::Access by_calls, double until_ns = 1000, const std::string& attrs = "") {
    const std::string mode = by_phases ? "" : ", mode: lt";
    all.push_back({name, Misuse::Ends::simulation, says,
                   [=](Scene& scene) {
                     scene.make_memory(mode + attrs);
                     scene.memory_by_phases = by_phases;
                     scene.memory = by_calls;
                   },
                   until_ns});
  };
  const auto phases = [&](const char* name, const char* says,
                          std::function<void(ScriptedMemory&, tlm_generic_payload&)> then, bool accepts = true,
                          double until_ns = 1000) {
    add(name, says, by_phases(std::move(then), accepts), {}, until_ns);
  };
  const auto answer = [](ScriptedMemory& memory, tlm_generic_payload& payload,
                         tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE) {
    payload.set_response_status(status);
    memory.back(payload, tlm::BEGIN_RESP);
  };
  const auto nothing = [](ScriptedMemory&, tlm_generic_payload&) {};

  phases("NeverAnswers", "answer of memory 'dram' to write of 64 B at 0x0", nothing, true, 11'000);
  phases("NeverAccepts", "END_REQ of memory 'dram' to write of 64 B at 0x0", nothing, false, 11'000);
  const std::vector<std::pair<tlm::tlm_response_status, std::string>> errors = {
      {tlm::TLM_GENERIC_ERROR_RESPONSE, "Generic"},
      {tlm::TLM_ADDRESS_ERROR_RESPONSE, "Address"},
      {tlm::TLM_COMMAND_ERROR_RESPONSE, "Command"},
      {tlm::TLM_BURST_ERROR_RESPONSE, "Burst"},
      {tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, "ByteEnable"}};
  for (const auto& error : errors) {
    const tlm::tlm_response_status status = error.first;
    tlm_generic_payload text;
    text.set_response_status(status);
    const std::string says = "write of 64 B at 0x0 with " + text.get_response_string();
    add(error.second + "Error", says,
        by_phases([=](ScriptedMemory& memory, tlm_generic_payload& payload) { answer(memory, payload, status); }), {});
    add(error.second + "ErrorOfACall", says, {}, with_status(status));
  }
  phases("NoStatus", "the response has the status TLM_INCOMPLETE_RESPONSE",
         [](ScriptedMemory& memory, tlm_generic_payload& payload) { memory.back(payload, tlm::BEGIN_RESP); });
  add("NoStatusOfACall", "the response has the status TLM_INCOMPLETE_RESPONSE", {}, [](tlm_generic_payload&) {});
  phases("SecondAnswer", "a second BEGIN_RESP", [=](ScriptedMemory& memory, tlm_generic_payload& payload) {
    answer(memory, payload);
    answer(memory, payload);
  });
  phases("SecondEndReq", "a second END_REQ",
         [](ScriptedMemory& memory, tlm_generic_payload& payload) { memory.back(payload, tlm::END_REQ); });
  phases("EndRespBackward", "END_RESP came on the backward path",
         [](ScriptedMemory& memory, tlm_generic_payload& payload) { memory.back(payload, tlm::END_RESP); });
  phases("BeginReqBackward", "BEGIN_REQ came on the backward path",
         [](ScriptedMemory& memory, tlm_generic_payload& payload) { memory.back(payload, tlm::BEGIN_REQ); });
  phases("AnswersSomethingElse", "BEGIN_RESP for a transaction that has not begun or has ended",
         [=](ScriptedMemory& memory, tlm_generic_payload&) {
           static tlm_generic_payload other;
           answer(memory, other);
         });
  phases("ChangesTheRequest", "an attribute of the payload has changed since BEGIN_REQ",
         [=](ScriptedMemory& memory, tlm_generic_payload& payload) {
           payload.set_data_length(32);
           answer(memory, payload);
         });
  phases("Throws", "memory 'dram' threw an exception: row 70000 of 65536",
         [](ScriptedMemory&, tlm_generic_payload&) {});
  all.back().prepare = [](Scene& scene) {
    scene.make_memory();
    scene.memory_by_phases = [](ScriptedMemory&, tlm_generic_payload&, tlm_phase&,
                                sc_core::sc_time&) -> tlm::tlm_sync_enum {
      throw std::out_of_range("row 70000 of 65536");
    };
  };
  add("ThrowsInACall", "memory 'dram' threw an exception: row 70000 of 65536", {},
      [](tlm_generic_payload&) { throw std::out_of_range("row 70000 of 65536"); });
  add("ThrowsWhatIsNoException", "memory 'dram' threw", {}, [](tlm_generic_payload&) { throw 7; });
  add("ReportsAnError", "ForeignDram: row out of range", {},
      [](tlm_generic_payload&) { SC_REPORT_ERROR("ForeignDram", "row out of range"); });
  add(
      "NeverReturns", "answer of memory 'dram' to write of 64 B at 0x0", {},
      [](tlm_generic_payload&) { sc_core::wait(ns(1e9)); }, 11'000);
  return all;
}

}  // namespace kb::test

#include <stdexcept>

#include "tests/machine/device/misuses/misuse.h"

namespace kb::test {

std::vector<Misuse> misuses_of_initiators() {
  using Answer = decltype(Scene::answer);
  std::vector<Misuse> all;
  const auto add = [&](const char* name, const char* says, std::function<void(Player&)> script, Answer answer = {},
                       double until_ns = 1000) {
    all.push_back({name, Misuse::Ends::simulation, says,
                   [script = std::move(script), answer = std::move(answer)](Scene& scene) {
                     scene.config.no_progress_ns = 10'000;
                     scene.config.targets[0].accept_ns = 40;
                     scene.initiator = script;
                     scene.answer = answer;
                   },
                   until_ns});
  };
  const auto request = [](Player& self) -> tlm::tlm_generic_payload& {
    tlm::tlm_generic_payload& payload = self.payload(false, hbm(0), 8);
    self.send(payload, tlm::BEGIN_REQ);
    return payload;
  };
  const Answer accepts = [](tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) {
    return tlm::TLM_ACCEPTED;
  };
  add("SecondRequest", "socket device.cpu0.socket: a second BEGIN_REQ before END_REQ of the first one",
      [=](Player& self) { request(self), request(self); });
  add("RequestOfAnOpenPayload", "BEGIN_REQ with a payload whose transaction has not ended", [=](Player& self) {
    tlm::tlm_generic_payload& payload = request(self);
    sc_core::wait(ns(45));
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    self.send(payload, tlm::BEGIN_REQ);
  });
  add("NoMemoryManager", "BEGIN_REQ with a payload that has no memory manager", [](Player& self) {
    tlm::tlm_generic_payload payload;
    self.fill(payload, false, hbm(0), 8);
    self.send(payload, tlm::BEGIN_REQ);
    sc_core::wait(ns(1e6));
  });
  add("UsedPayload", "the response status is TLM_OK_RESPONSE and not TLM_INCOMPLETE_RESPONSE when the request begins",
      [](Player& self) {
        tlm::tlm_generic_payload& payload = self.payload(false, hbm(0), 8);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        self.send(payload, tlm::BEGIN_REQ);
      });
  add("UsedPayloadOfACall", "not TLM_INCOMPLETE_RESPONSE when b_transport is called", [](Player& self) {
    tlm::tlm_generic_payload payload;
    self.fill(payload, false, hbm(0), 8);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    sc_core::sc_time delay;
    self.socket->b_transport(payload, delay);
  });
  add("EndOfNoResponse", "END_RESP for a transaction that has not begun or has ended",
      [](Player& self) { self.send(self.payload(false, hbm(0), 8), tlm::END_RESP); });
  add("EndBeforeTheResponse", "END_RESP before BEGIN_RESP", [=](Player& self) {
    tlm::tlm_generic_payload& payload = request(self);
    sc_core::wait(ns(45));
    self.send(payload, tlm::END_RESP);
  });
  add(
      "SecondEnd", "END_RESP for a transaction that has not begun or has ended",
      [=](Player& self) {
        tlm::tlm_generic_payload& payload = request(self);
        while (self.heard.size() < 2) sc_core::wait(ns(10));
        for (int i = 0; i < 2; ++i) self.send(payload, tlm::END_RESP);
      },
      accepts);
  add("EndReqForward", "END_REQ came on the forward path",
      [=](Player& self) { self.send(request(self), tlm::END_REQ); });
  add("BeginRespForward", "BEGIN_RESP came on the forward path",
      [=](Player& self) { self.send(request(self), tlm::BEGIN_RESP); });
  add(
      "CompletesTheRequest", "the initiator completes a transaction that has no response yet",
      [=](Player& self) { request(self); },
      [](tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) { return tlm::TLM_COMPLETED; });
  add("ChangesTheRequest", "an attribute of the payload has changed since BEGIN_REQ", [=](Player& self) {
    tlm::tlm_generic_payload& payload = request(self);
    sc_core::wait(ns(45));
    payload.set_streaming_width(4);
  });
  add(
      "NeverEndsTheResponse", "END_RESP of read of 8 B at 0x", [=](Player& self) { request(self); }, accepts, 11'000);
  add(
      "Throws", "the initiator at socket device.cpu0.socket threw an exception: no such transaction",
      [=](Player& self) { request(self); },
      [](tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) -> tlm::tlm_sync_enum {
        throw std::runtime_error("no such transaction");
      });
  add(
      "ThrowsWhatIsNoException", "the initiator at socket device.cpu0.socket threw",
      [=](Player& self) { request(self); },
      [](tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) -> tlm::tlm_sync_enum { throw 7; });
  return all;
}

}  // namespace kb::test

// A substitute for a PE block that sends commands to others: PE_CPU, PE_SCHEDULER or PE_FETCH_STORE.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "modules/pe/pe_links.h"
#include "modules/pe/pe_tcm.h"
#include "platform/contract/command.h"
#include "platform/elab/registry.h"

namespace kb::test {

// A command that a scripted requester sends.
struct Request {
  TimeFs at = 0_fs;
  topology::NodeKind to{};
  contract::Command command;
  std::optional<plan::StageType> stage;                                // no value: the stage that executes the command
  std::optional<std::pair<modules::TcmDirection, std::uint64_t>> tcm;  // direction and bytes of a request to PE_TCM
};
struct Outcome {
  TimeFs answered = -1_fs;  // -1: not answered
  TimeFs start = 0_fs;      // start of the engine's service
  TimeFs end = 0_fs;
  payload::Status status;
  modules::CommandState state{};
  friend bool operator==(const Outcome& a, const Outcome& b) { return a.answered == b.answered && a.start == b.start; }
};

class IScriptedRequester {
 public:
  virtual void plan(const std::vector<Request>& requests) = 0;
  std::vector<Outcome> outcomes;  // in the order of the requests

 protected:
  ~IScriptedRequester() = default;
};

// `Base` is PeBlock, or PeFabricBlock when the replaced block is on the fabric.
template <typename Base>
class ScriptedRequester final : public Base, public IScriptedRequester {
 public:
  template <typename... Args>
  explicit ScriptedRequester(Args&&... args) : Base(std::forward<Args>(args)...), timer_(*this) {}

  void plan(const std::vector<Request>& requests) override {
    requests_ = requests;
    outcomes.resize(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) this->scheduler().schedule(requests[i].at, timer_, i);
  }

 private:
  struct Timer final : elab::EventHandler {
    explicit Timer(ScriptedRequester& r) : requester(r) {}
    void on_event(TimeFs, std::uint64_t index) override { requester.submit(index); }
    ScriptedRequester& requester;
  };

  void submit(std::uint64_t index) {
    const Request& request = requests_[index];
    modules::CommandTask& task = pool_.acquire(request.command);
    index_of_[task.id] = index;
    if (request.stage) task.begin(request.command, *request.stage, *request.stage);
    task.submitted = this->now();
    if (request.tcm) {
      modules::TcmRequest::of(task).direction = request.tcm->first;
      modules::TcmRequest::of(task).nbytes = request.tcm->second;
    }
    this->send(request.to, task);
  }
  void on_answer(modules::CommandTask& task) override {
    outcomes[index_of_.at(task.id)] = {this->now(), task.start, task.end, task.status, task.state};
    pool_.release(task);
  }

  Timer timer_;
  std::vector<Request> requests_;
  std::map<std::uint64_t, std::size_t> index_of_;
  modules::CommandPool pool_;
};

// A factory of such blocks; each block is added to `made`, which must outlive the platform.
template <typename Base>
elab::BlockFactory scripted_requester(std::vector<IScriptedRequester*>& made) {
  return [&made](const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context) {
    modules::PeContext& pe = modules::PeContext::of(node, context);
    std::unique_ptr<ScriptedRequester<Base>> block;
    if constexpr (std::is_base_of_v<modules::FabricEndpoint, Base>) {
      block = std::make_unique<ScriptedRequester<Base>>(name, node, context.graph.node(node).overhead, pe, context);
    } else {
      block = std::make_unique<ScriptedRequester<Base>>(name, node, pe, context);
    }
    made.push_back(block.get());
    return block;
  };
}

}  // namespace kb::test

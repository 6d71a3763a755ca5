#include "modules/io/pcie_ep.h"

#include "platform/base/error.h"

namespace kb::modules {

void PcieEp::submit(payload::Transaction& transaction) {
  if (host_ == nullptr) throw Error::model(node_id() + ": a request was submitted before a host was attached");
  ++submitted_;
  issue(transaction, now() + overhead());
}

void PcieEp::on_response(payload::Transaction& transaction) {
  ++completed_;
  host_->on_completed(transaction);
}

void PcieEp::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  FabricEndpoint::collect_statistics(statistics);
  if (submitted_ == 0) return;
  statistics.push_back({"host_requests", submitted_, "1"});
  statistics.push_back({"host_responses", completed_, "1"});
}

}  // namespace kb::modules

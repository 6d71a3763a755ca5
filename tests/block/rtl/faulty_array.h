// The MAC array with an injected fault.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "modules/rtl/mac_array.h"

namespace kb::test {

// Changes the outputs of the array; the second argument is the initial contents of its registers.
using Mistake = std::function<void(modules::IMacArray::Outputs&, modules::RtlFill)>;

class FaultyArray final : public modules::IMacArray {
 public:
  FaultyArray(Mistake mistake, modules::RtlFill fill)
      : mistake_(std::move(mistake)), fill_(fill), array_(modules::mac_array_model()(fill)) {}

  static modules::RtlMaker<modules::IMacArray> maker(Mistake mistake) {
    return [mistake](modules::RtlFill fill) { return std::make_unique<FaultyArray>(mistake, fill); };
  }

  Outputs clock(const Inputs& inputs) override {
    Outputs out = array_->clock(inputs);
    mistake_(out, fill_);
    return out;
  }

 private:
  Mistake mistake_;
  modules::RtlFill fill_;
  std::unique_ptr<modules::IMacArray> array_;
};

}  // namespace kb::test

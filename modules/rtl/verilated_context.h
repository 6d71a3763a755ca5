// The simulation context of one compiled model. No SystemC header may stand before: Verilator would take its time from
// the kernel.
#pragma once

#include <verilated.h>

#include <memory>

namespace kb::modules {

// While it lives, Verilator's runtime is in the context of our model; after that in that of before, which belongs to
// the models of the program around us.
class InContext {
 public:
  InContext() : before_(Verilated::threadContextp()) {}
  explicit InContext(VerilatedContext& own) : InContext() { Verilated::threadContextp(&own); }
  ~InContext() { Verilated::threadContextp(before_); }
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;

 private:
  VerilatedContext* before_;
};

// A model with a context of its own, which nobody else is put into.
template <typename Model>
class ModelInContext {
 public:
  // `fill`: what registers hold at first (VerilatedContext::randReset).
  ModelInContext(int fill, const char* name) {
    const InContext keeps;  // the constructor of a context makes it the current one
    context_ = std::make_unique<VerilatedContext>();
    context_->randReset(fill);
    model_ = std::make_unique<Model>(context_.get(), name);
  }
  ~ModelInContext() {
    const InContext here(*context_);
    model_->final();
    model_.reset();
  }
  ModelInContext(const ModelInContext&) = delete;
  ModelInContext& operator=(const ModelInContext&) = delete;

  Model& operator*() { return *model_; }
  Model* operator->() { return model_.get(); }
  VerilatedContext& context() { return *context_; }

 private:
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Model> model_;
};

}  // namespace kb::modules

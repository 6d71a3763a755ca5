// The simulation context of one Verilator model. No SystemC header may be included before it: Verilator would take its
// time from the SystemC kernel.
#pragma once

#include <verilated.h>

#include <memory>

namespace kb::modules {

// During its lifetime, Verilator's current context is that of our model; the destructor restores the previous one,
// which belongs to other models of the program.
class ScopedContext {
 public:
  ScopedContext() : before_(Verilated::threadContextp()) {}
  explicit ScopedContext(VerilatedContext& own) : ScopedContext() { Verilated::threadContextp(&own); }
  ~ScopedContext() { Verilated::threadContextp(before_); }
  ScopedContext(const ScopedContext&) = delete;
  ScopedContext& operator=(const ScopedContext&) = delete;

 private:
  VerilatedContext* before_;
};

// A model with a private context.
template <typename Model>
class ModelInContext {
 public:
  // `fill`: initial contents of registers (VerilatedContext::randReset).
  ModelInContext(int fill, const char* name) {
    const ScopedContext keeps;  // the constructor of VerilatedContext makes it the current one
    context_ = std::make_unique<VerilatedContext>();
    context_->randReset(fill);
    model_ = std::make_unique<Model>(context_.get(), name);
  }
  ~ModelInContext() {
    const ScopedContext here(*context_);
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

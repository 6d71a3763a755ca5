#pragma once

#include "modules/fabric/sliding_deque.h"
#include "modules/pe/command_task.h"

namespace kb::modules {

// The compute slot of a PE, capacity 1, shared by PE_GEMM and PE_MATH (P-39). Grants in request order. PE_SCHEDULER
// owns it and hands it to the engines when it is bound to them.
class AccelSlot {
 public:
  class IUser {
   public:
    virtual void use_slot(AccelSlot& slot) = 0;
    // The slot is this user's until it calls release().
    virtual void on_grant(CommandTask& task) = 0;

   protected:
    ~IUser() = default;
  };

  AccelSlot() = default;
  AccelSlot(const AccelSlot&) = delete;
  AccelSlot& operator=(const AccelSlot&) = delete;

  // Calls user.on_grant(task) at once when the slot is free, else when its turn comes.
  void request(IUser& user, CommandTask& task) {
    if (taken_) {
      waiting_.push_back({&user, &task});
      return;
    }
    taken_ = true;
    user.on_grant(task);
  }

  // Grants the slot to the next in the queue.
  void release() {
    if (waiting_.empty()) {
      taken_ = false;
      return;
    }
    const Request next = waiting_.front();
    waiting_.pop_front();
    next.user->on_grant(*next.task);
  }

  bool taken() const { return taken_; }

 private:
  struct Request {
    IUser* user = nullptr;
    CommandTask* task = nullptr;
  };
  bool taken_ = false;
  SlidingDeque<Request> waiting_;
};

}  // namespace kb::modules

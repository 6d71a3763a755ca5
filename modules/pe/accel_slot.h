#pragma once

#include "modules/fabric/sliding_deque.h"
#include "modules/pe/command_task.h"

namespace kb::modules {

// The compute slot of a PE, with capacity 1, shared by its engines (P-39). It is granted in request order; users that
// are not ready are skipped.
class AccelSlot {
 public:
  class IUser {
   public:
    // Grants the slot to this user until it calls release().
    virtual void on_grant(CommandTask& task) = 0;
    // False while finished work of the user is stalled. The user gets no grant then, and calls offer() when it is ready
    // again.
    virtual bool ready() const = 0;

   protected:
    ~IUser() = default;
  };

  AccelSlot() = default;
  AccelSlot(const AccelSlot&) = delete;
  AccelSlot& operator=(const AccelSlot&) = delete;

  // Calls user.on_grant(task): immediately when the slot is free, otherwise when the request's turn comes.
  void request(IUser& user, CommandTask& task) {
    if (taken_ || !user.ready()) {
      waiting_.push_back({&user, &task});
      return;
    }
    taken_ = true;
    user.on_grant(task);
  }

  void release() {
    taken_ = false;
    offer();
  }

  // Grants the slot, if it is free, to the first request whose user is ready.
  void offer() {
    for (std::size_t i = 0; !taken_ && i < waiting_.size(); ++i) {
      if (!waiting_[i].user->ready()) continue;
      const Request next = waiting_[i];
      waiting_.erase(i);
      taken_ = true;
      next.user->on_grant(*next.task);
    }
  }

 private:
  struct Request {
    IUser* user = nullptr;
    CommandTask* task = nullptr;
  };
  bool taken_ = false;
  SlidingDeque<Request> waiting_;
};

}  // namespace kb::modules

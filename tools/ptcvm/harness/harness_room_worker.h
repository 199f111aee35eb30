// Plans and sends for one room, on the threads of workers. Every function runs on one thread at a time; a strand of the
// room sees to that.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "agents/harness/pass/harness.h"
#include "agents/harness/sending/outbox.h"
#include "tools/ptcvm/harness/harness_room_setup.h"

namespace ptcvm::cli {

// What carries the messages of a conversation. nullptr, with the reason: there is no such conversation or server.
using MakeTransport =
    std::function<std::unique_ptr<harness::Transport>(harness::Conversation& conversation, std::string& message)>;

// See the top of this file.
class RoomWorker {
 public:
  using OnHud = std::function<void(const std::optional<harness::Hud>&)>;
  // Everything given must outlive the worker. `on_hud` is called on the thread that plans.
  RoomWorker(Store store, std::string id, PlannerParts usual, MakeTransport make_transport, OnHud on_hud);

  // Plans until the planner waits for somebody, or somebody asks to stop: then the pass that was begun is the last one.
  // Errors: busy when another process plans; invalid_value when the planner cannot be made, because a model is missing,
  // say; the errors of the store.
  Result<void> plan(const PlannerChoice& choice, const std::stop_token& stop);
  // Sends a draft.
  Result<void> approve(const PlannerChoice& choice, const std::string& draft, const std::optional<std::string>& next,
                       const std::string& by);
  // Takes in what the other side said, and sends again what was in flight when a process died.
  Result<void> tick(const PlannerChoice& choice);

 private:
  Result<void> open();
  Result<void> take(const PlannerChoice& choice);
  Result<void> make(const PlannerChoice& choice);   // the planner of the choice, unless it is there
  harness::Author author(std::string by = {}) const;

  Store store_;
  std::string id_;
  PlannerParts usual_;                 // the models of the command line
  MakeTransport make_transport_;
  OnHud on_hud_;
  std::optional<harness::Conversation> conversation_;
  std::unique_ptr<harness::Transport> transport_;
  std::unique_ptr<harness::Outbox> outbox_;
  std::unique_ptr<harness::Harness> harness_;
  std::unique_ptr<harness::Planner> planner_;
  std::uint64_t revision_ = 0;         // names the choice that was taken
};

}  // namespace ptcvm::cli

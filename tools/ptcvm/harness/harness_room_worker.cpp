#include "tools/ptcvm/harness/harness_room_worker.h"

#include <chrono>
#include <thread>

#include "agents/harness/conversation/settled_doubts.h"
#include "drivers/http/web_guard.h"
#include "tools/ptcvm/harness/harness_pass.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {

RoomWorker::RoomWorker(Store store, std::string id, PlannerParts usual, MakeTransport make_transport, OnHud on_hud)
    : store_(std::move(store)),
      id_(std::move(id)),
      usual_(std::move(usual)),
      make_transport_(std::move(make_transport)),
      on_hud_(std::move(on_hud)) {}

harness::Author RoomWorker::author(std::string by) const { return {now_millis(), std::move(by)}; }

Result<void> RoomWorker::open() {
  if (conversation_) return {};
  auto opened = harness::Conversation::open(HostLog::of(store_, id_));
  if (!opened) return opened.error();
  conversation_ = *std::move(opened);
  std::string message;
  transport_ = make_transport_(*conversation_, message);
  if (transport_ == nullptr) {
    conversation_.reset();
    return Error{Errc::not_available, message, std::nullopt, {}};
  }
  const auto pause = [](std::int64_t ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
  outbox_ = std::make_unique<harness::Outbox>(*conversation_, transport_.get(), pause, drivers::random_secret,
                                              now_millis);
  harness::HarnessOptions options;
  options.on_hud = on_hud_;
  harness_ = std::make_unique<harness::Harness>(*conversation_, std::move(options));
  return outbox_->recover(author());
}

Result<void> RoomWorker::take(const PlannerChoice& choice) {
  if (const auto opened = open(); !opened) return opened;
  if (revision_ == choice.revision) return {};
  planner_.reset();
  outbox_->trace().planner_type = choice.planner;
  outbox_->trace().planner_seed = choice.seed;
  revision_ = choice.revision;
  return outbox_->set_mode(choice.mode, author());
}

Result<void> RoomWorker::make(const PlannerChoice& choice) {
  if (planner_ != nullptr) return {};
  std::string message;
  PlannerParts parts = usual_;
  parts.planner = choice.planner;
  parts.config = choice.config;
  planner_ = make_planner(parts, store_, *conversation_, message);
  if (planner_ == nullptr) return Error{Errc::invalid_value, message, std::nullopt, {}};
  return {};
}

Result<void> RoomWorker::plan(const PlannerChoice& choice, const std::stop_token& stop) {
  if (const auto taken = take(choice); !taken) return taken;
  if (!choice.is_ready || conversation_->view().is_job()) return {};   // workers plan for a job
  if (const auto made = make(choice); !made) return made;
  if (const auto told = harness::tell_settled_doubts(*conversation_, store_, author()); !told) return told;
  const PassParts parts{*conversation_, *outbox_, *harness_, *planner_};
  for (int pass = 0; pass < kMostPasses && !stop.stop_requested(); ++pass) {
    const auto more = plan_once(parts, author());
    if (!more) return more.error();
    if (!*more) break;
  }
  return {};
}

Result<void> RoomWorker::approve(const PlannerChoice& choice, const std::string& draft,
                                 const std::optional<std::string>& next, const std::string& by) {
  if (const auto taken = take(choice); !taken) return taken;
  if (const auto read = conversation_->refresh(); !read) return read.error();
  const std::string named = draft.empty() ? std::string(conversation_->view().unsent_draft()) : draft;
  return outbox_->send(named, next, author(by));
}

Result<void> RoomWorker::tick(const PlannerChoice& choice) {
  if (const auto taken = take(choice); !taken) return taken;
  if (const auto read = conversation_->refresh(); !read) return read.error();
  if (conversation_->view().in_flight() != 0) {
    if (const auto recovered = outbox_->recover(author()); !recovered) return recovered;
  }
  return outbox_->tick(author());
}

}  // namespace ptcvm::cli

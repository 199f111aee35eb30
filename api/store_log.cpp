// What hosts ask of the logs of a store, and what they do to a log as a whole.
#include "api/errors.h"
#include "api/store_access.h"
#include "ptcvm/store.hpp"
#include "runtime/durable/answers.h"
#include "runtime/durable/renamed_fact.h"
#include "runtime/engine/clock.h"
#include "runtime/log/fact_json.h"
#include "runtime/log/log_import.h"
#include "runtime/log/log_writer.h"
#include "runtime/log/process_owner.h"
#include "runtime/log/store_rules.h"

namespace ptcvm {
namespace {

// The word before the first "/" of a key says what kind of fact a parked run waits for.
constexpr std::string_view kDoubtWord = "doubt", kExternalWord = "external";

StoredState state_of(ptc::LogState state) {
  static_assert(static_cast<int>(ptc::LogState::Moved) == static_cast<int>(StoredState::Moved));
  return static_cast<StoredState>(state);
}

StoredRunInfo run_info(const ptc::RunInfo& info) {
  StoredRunInfo out;
  out.id = info.log;
  out.state = state_of(info.state);
  out.is_woken = info.woken;
  out.deadline_ms = info.deadline_ms;
  out.started_ms = info.started_ms;
  out.changed_ms = info.changed_ms;
  out.facts = info.head;
  out.owner = info.owner;
  out.is_interrupted =
      out.state == StoredState::Running && (info.owner.empty() || ptc::owner_is_gone(info.owner));
  return out;
}

Result<std::optional<ptc::Fact>> fact_at(ptc::FactStore& store, std::string_view run, std::uint64_t seq) {
  auto last = store.read(run, seq - 1, 1);
  if (const auto* error = std::get_if<ptc::StoreError>(&last)) return store_error(*error);
  auto& facts = std::get<std::vector<ptc::Fact>>(last);
  return facts.empty() ? std::nullopt : std::optional(std::move(facts.front()));
}

// Returns how the last turn ended, or "" when it goes on or waits. Few facts come behind an end: where the log was,
// and what somebody said too late.
Result<std::string> end_status(ptc::FactStore& store, const ptc::RunInfo& info) {
  constexpr std::uint64_t kMostLooks = 64;
  for (std::uint64_t seq = info.head; seq != 0 && info.head - seq < kMostLooks; --seq) {
    const auto last = fact_at(store, info.log, seq);
    if (!last) return last.error();
    if (*last && (*last)->kind == ptc::FactKind::TurnEnded) return (*last)->status;
    const auto kind = *last ? (*last)->kind : ptc::FactKind::RunStarted;
    if (kind == ptc::FactKind::RunStarted || kind == ptc::FactKind::RunSuspended) break;
  }
  return std::string();
}

// Adds how the last turn ended. A turn that was cancelled inside of a call ends with an error, and what became of the
// call is not known all the same.
std::optional<Error> add_end(ptc::FactStore& store, const ptc::RunInfo& info, StoredDetail& out) {
  auto status = end_status(store, info);
  if (!status) return std::move(status).error();
  out.end_status = std::move(*status);
  if (out.end_status != "error") return std::nullopt;
  const auto open = ptc::open_doubts(store, info.log);
  if (const auto* error = std::get_if<ptc::StoreError>(&open)) return store_error(*error);
  for (const ptc::LoggedEffect& doubt : std::get<std::vector<ptc::LoggedEffect>>(open)) {
    out.is_in_doubt = true;
    out.waits_for.push_back(doubt.key + '#' + std::to_string(doubt.attempt));
  }
  return std::nullopt;
}

// Returns whether the last fact says that the log is a copy for reading: nobody writes behind it.
Result<bool> is_copy(ptc::FactStore& store, const ptc::RunInfo& info) {
  if (info.head == 0) return false;
  auto last = store.read_notable(info.log, info.head - 1, 1);
  if (const auto* error = std::get_if<ptc::StoreError>(&last)) return store_error(*error);
  const auto& facts = std::get<std::vector<ptc::Fact>>(last);
  return !facts.empty() && facts.front().kind == ptc::FactKind::RunCopied;
}

}  // namespace

Result<std::vector<StoredRunInfo>> Store::runs(std::string_view after, std::size_t most) const {
  auto known = StoreAccess::store(*this).runs(after, most);
  if (const auto* error = std::get_if<ptc::StoreError>(&known)) return store_error(*error);
  std::vector<StoredRunInfo> out;
  for (const ptc::RunInfo& info : std::get<std::vector<ptc::RunInfo>>(known)) out.push_back(run_info(info));
  return out;
}

Result<std::optional<StoredRunInfo>> Store::find(std::string_view run) const {
  auto known = StoreAccess::store(*this).info(run);
  if (const auto* error = std::get_if<ptc::StoreError>(&known)) return store_error(*error);
  const auto& info = std::get<std::optional<ptc::RunInfo>>(known);
  return info ? std::optional(run_info(*info)) : std::nullopt;
}

Result<StoredDetail> Store::detail(std::string_view run) const {
  ptc::FactStore& store = StoreAccess::store(*this);
  StoredDetail out;
  auto known = store.info(run);
  if (const auto* error = std::get_if<ptc::StoreError>(&known)) return store_error(*error);
  const auto& info = std::get<std::optional<ptc::RunInfo>>(known);
  if (!info) return out;
  if (!ptc::has_left(info->state)) {
    const auto copied = is_copy(store, *info);
    if (!copied) return copied.error();
    out.is_copy = *copied;
  }
  if (info->state == ptc::LogState::Running) return out;
  if (info->state == ptc::LogState::Ended) {
    if (auto error = add_end(store, *info, out)) return *std::move(error);
    return out;
  }
  if (ptc::has_left(info->state)) {
    const auto last = fact_at(store, run, info->head);
    if (!last) return last.error();
    if (*last) out.moved_to = (*last)->text;
    return out;
  }
  auto parked = store.parked(run);
  if (const auto* error = std::get_if<ptc::StoreError>(&parked)) return store_error(*error);
  const auto& waiting = std::get<std::optional<ptc::Parked>>(parked);
  if (!waiting) return out;
  for (const std::string& key : waiting->wait_keys) {
    const std::string_view word = std::string_view(key).substr(0, key.find('/'));
    if (word == kDoubtWord) out.is_in_doubt = true;
    if (word != kExternalWord) out.waits_for.push_back(key.substr(word.size() + 1));   // else: the signal beside it
  }
  if (waiting->wait_keys.empty() && !waiting->deadline_ms) {   // a session that is kept between two turns
    if (auto error = add_end(store, *info, out)) return *std::move(error);
  }
  return out;
}

Result<std::vector<std::string>> Store::woken(std::int64_t now_ms, std::size_t most) const {
  auto woken = StoreAccess::store(*this).woken(now_ms, most);
  if (const auto* error = std::get_if<ptc::StoreError>(&woken)) return store_error(*error);
  return std::get<std::vector<std::string>>(std::move(woken));
}

Result<void> Store::visit_log_json(std::string_view run, const std::function<void(std::string_view)>& visit) const {
  const auto error = ptc::visit_facts(StoreAccess::store(*this), run, 0,
                                      [&visit](const ptc::Fact& fact) { visit(ptc::fact_json(fact)); });
  if (error) return store_error(*error);
  return {};
}

Result<std::string> Store::log_json(std::string_view run) const {
  std::string out;
  const auto visited = visit_log_json(run, [&out](std::string_view line) { out.append(line) += '\n'; });
  if (!visited) return visited.error();
  return out;
}

Result<void> Store::import_log(std::string_view run, std::string_view lines) {
  std::string why;
  auto facts = ptc::read_facts(lines, why);
  if (!facts) return host_error(Errc::invalid_value, std::move(why));
  if (const auto named = ptc::run_named_by(*facts); named && *named != run) {
    for (ptc::Fact& fact : *facts) fact = ptc::renamed_fact(std::move(fact), *named, run);
  }
  auto end = ptc::import_log(StoreAccess::store(*this), run, *facts, ptc::system_millis());
  if (const auto* error = std::get_if<ptc::StoreError>(&end)) return store_error(*error);
  switch (std::get<ptc::ImportEnd>(end)) {
    case ptc::ImportEnd::Done: return {};
    case ptc::ImportEnd::Exists: return host_error(Errc::refused, "there is a run " + std::string(run) + " already");
    case ptc::ImportEnd::Busy: break;
  }
  return host_error(Errc::busy, "another process has begun a run " + std::string(run));
}

Result<void> Store::reset_task(std::string_view run, std::string_view task, std::string reason, std::string by) {
  auto end = ptc::reset_task(StoreAccess::store(*this), run, task, std::move(reason),
                             {std::move(by), ptc::system_millis()});
  if (const auto* error = std::get_if<ptc::StoreError>(&end)) return store_error(*error);
  const std::string about = "task " + std::string(task);
  switch (std::get<ptc::TaskResetEnd>(end)) {
    case ptc::TaskResetEnd::Done: return {};
    case ptc::TaskResetEnd::NoTask:
      return Error{Errc::refused, "there is no " + about + " in " + std::string(run), std::nullopt, "no_task"};
    case ptc::TaskResetEnd::NeedsReason:
      return Error{Errc::refused, "the calls of " + about + " had effects, which stay: give a reason", std::nullopt,
                   "needs_reason"};
    case ptc::TaskResetEnd::Busy: break;
  }
  return host_error(Errc::busy, "another process executes the run " + std::string(run));
}

}  // namespace ptcvm

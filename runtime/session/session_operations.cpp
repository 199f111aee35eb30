// Asynchronous operations of a session: what hosts resolve, and what an outcome says about those that wait.
#include <map>

#include "runtime/session/record_texts.h"
#include "runtime/session/session.h"
#include "runtime/signature/coercion.h"
#include "vm/value/order.h"
#include "vm/value/print.h"
#include "vm/value/utf8.h"

namespace ptc {
namespace {

using Settled = Settlement::Kind;

bool has_value(const Settlement& settlement) {
  return settlement.kind == Settled::Ok || settlement.kind == Settled::Progress;
}

bool same(const Settlement& a, const Settlement& b) {
  if (a.kind != b.kind) return false;
  return has_value(a) ? canonical_order(a.value, b.value) == 0 : a.reason == b.reason;
}

}  // namespace

std::optional<ResolveRefusal> Session::refuse(std::span<const Resolution> resolutions) {
  std::map<std::string_view, const Settlement*> settled;      // by an earlier one of these
  for (const Resolution& resolution : resolutions) {
    const Settlement& settlement = resolution.settlement;
    const std::string name = "operation \"" + resolution.operation + '"';
    if (has_value(settlement)) {
      if (const auto complaint = plain_data_complaint(heap(), settlement.value)) {
        return ResolveRefusal{FaultKind::InvalidTool, name + ": " + *complaint};
      }
      std::string text;
      bool truncated = false;
      append_edn(text, settlement.value, heap(), {options_.limits.result_bytes, &truncated});
      if (truncated) {
        return ResolveRefusal{FaultKind::ResultTooLarge, name + ": its result is larger than " +
                                                             std::to_string(options_.limits.result_bytes) + " bytes"};
      }
    }
    ResolveStatus status = run_.can_resolve(resolution.operation, settlement);
    const auto earlier = settled.find(resolution.operation);
    if (status == ResolveStatus::Done && earlier != settled.end() && !same(*earlier->second, settlement)) {
      status = ResolveStatus::AlreadyResolved;
    }
    if (status == ResolveStatus::Unknown) {
      return ResolveRefusal{FaultKind::UnknownOperation,
                            name + " is unknown. Known: " + operations().known_text()};
    }
    if (status == ResolveStatus::AlreadyResolved) {
      return ResolveRefusal{FaultKind::AlreadyResolved, name + " was resolved before, with something else"};
    }
    if (settlement.kind != Settled::Progress) settled.emplace(resolution.operation, &settlement);
  }
  return std::nullopt;
}

// Results are held against the signatures of their tools, as answers that come at once are.
std::optional<ResolveRefusal> Session::fit(std::span<Resolution> resolutions) {
  for (Resolution& resolution : resolutions) {
    const Operation* const operation = operations().find(resolution.operation);
    if (resolution.settlement.kind != Settled::Ok || operation == nullptr) continue;
    if (operation->kind != Operation::Kind::Tool) continue;
    const Tool* const tool = calls_.registry().find(operation->tool);
    if (tool == nullptr || tool->definition.contract == nullptr) continue;
    CoercionResult fitted =
        coerce_type(heap(), tool->definition.contract->result, resolution.settlement.value, "answer");
    resolution.settlement.value = fitted.value;
    if (fitted.ok()) continue;
    return ResolveRefusal{FaultKind::InvalidTool, "operation \"" + resolution.operation +
                                                      "\": its result does not fit the signature of " +
                                                      operation->tool + ": " + mismatch_text(fitted.mismatches)};
  }
  return std::nullopt;
}

std::optional<ResolveRefusal> Session::resolve(std::vector<Resolution> taken) {
  for (Resolution& resolution : taken) {
    std::string& reason = resolution.settlement.reason;
    if (!utf8_is_valid(reason)) reason = utf8_repaired(reason);
  }
  auto refusal = fit(taken);
  if (!refusal) refusal = refuse(taken);
  if (refusal) {
    for (const Resolution& resolution : taken) heap().release(resolution.settlement.value);
    return refusal;
  }
  for (Resolution& resolution : taken) {
    const ResolveStatus status = run_.resolve(resolution.operation, std::move(resolution.settlement));
    if (status == ResolveStatus::Done) outbox_.resolved(*operations().find(resolution.operation), heap());
  }
  return std::nullopt;
}

void Session::set_operation_age(std::string_view operation, std::int64_t created_ms) {
  run_.operations().set_created(operation, created_ms);
}

void Session::collect_pending(Outcome& outcome) {
  outcome.cancelled = run_.take_cancel_requests();
  if (operations().waiting_count() == 0) return;
  std::map<std::string_view, std::int64_t> awaited;
  for (const AwaitedOperation& operation : run_.awaited()) awaited.emplace(operation.id, operation.deadline_ms);
  RecordTexts texts(heap());
  for (const Operation& operation : operations().all()) {
    if (operation.status != Operation::Status::Waiting) continue;
    PendingOutcome& out = outcome.pending.emplace_back();
    out.operation = operation.id;
    out.tool = operation.tool;
    out.args_edn = texts.edn(operation.args);
    out.args_json = texts.json(operation.args);
    out.immediate_edn = texts.edn(operation.immediate);
    out.since_ms = operation.created_ms;
    const auto at = awaited.find(operation.id);
    out.awaited = at != awaited.end();
    if (out.awaited) out.deadline_ms = at->second;
    if (operation.kind == Operation::Kind::Sleep) out.deadline_ms = operation.due_ms;
  }
}

}  // namespace ptc

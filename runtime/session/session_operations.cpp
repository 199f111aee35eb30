#include "runtime/session/session_operations.h"

#include <map>

#include "runtime/session/operations_json.h"
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

std::string operation_name(const Resolution& resolution) { return "operation \"" + resolution.operation + '"'; }

}  // namespace

std::optional<ResolveRefusal> SessionOperations::refuse_value(const Resolution& resolution) const {
  const Settlement& settlement = resolution.settlement;
  if (!has_value(settlement)) return std::nullopt;
  const std::string name = operation_name(resolution);
  if (const auto complaint = plain_data_complaint(run_.heap(), settlement.value)) {
    return ResolveRefusal{FaultKind::InvalidTool, name + ": " + *complaint};
  }
  std::string text;
  bool truncated = false;
  append_edn(text, settlement.value, run_.heap(), {options_.limits.result_bytes, &truncated});
  if (!truncated) return std::nullopt;
  return ResolveRefusal{FaultKind::ResultTooLarge, name + ": its result is larger than " +
                                                       std::to_string(options_.limits.result_bytes) + " bytes"};
}

std::optional<ResolveRefusal> SessionOperations::refuse(std::span<const Resolution> resolutions) const {
  std::map<std::string_view, const Settlement*> settled;      // by an earlier one of these
  for (const Resolution& resolution : resolutions) {
    const Settlement& settlement = resolution.settlement;
    if (auto refusal = refuse_value(resolution)) return refusal;
    ResolveStatus status = run_.can_resolve(resolution.operation, settlement);
    const auto earlier = settled.find(resolution.operation);
    if (status == ResolveStatus::Done && earlier != settled.end() && !same(*earlier->second, settlement)) {
      status = ResolveStatus::AlreadyResolved;
    }
    if (status == ResolveStatus::Unknown) {
      return ResolveRefusal{FaultKind::UnknownOperation,
                            operation_name(resolution) + " is unknown. Known: " + run_.operations().known_text()};
    }
    if (status == ResolveStatus::AlreadyResolved) {
      return ResolveRefusal{FaultKind::AlreadyResolved,
                            operation_name(resolution) + " was resolved before, with something else"};
    }
    if (settlement.kind != Settled::Progress) settled.emplace(resolution.operation, &settlement);
  }
  return std::nullopt;
}

// Checks results against the signatures of their tools, as answers that come at once are checked.
std::optional<ResolveRefusal> SessionOperations::fit(std::span<Resolution> resolutions) {
  for (Resolution& resolution : resolutions) {
    const Operation* const operation = run_.operations().find(resolution.operation);
    if (resolution.settlement.kind != Settled::Ok || operation == nullptr) continue;
    if (operation->kind != Operation::Kind::Tool) continue;
    const Tool* const tool = calls_.registry().find(operation->tool);
    if (tool == nullptr || tool->definition.contract == nullptr) continue;
    CoercionResult fitted =
        coerce_type(run_.heap(), tool->definition.contract->result, resolution.settlement.value, "answer");
    resolution.settlement.value = fitted.value;
    if (fitted.ok()) continue;
    return ResolveRefusal{FaultKind::InvalidTool, operation_name(resolution) +
                                                      ": its result does not fit the signature of " +
                                                      operation->tool + ": " + mismatch_text(fitted.mismatches)};
  }
  return std::nullopt;
}

std::optional<ResolveRefusal> SessionOperations::resolve(std::vector<Resolution> taken) {
  for (Resolution& resolution : taken) {
    std::string& reason = resolution.settlement.reason;
    if (!utf8_is_valid(reason)) reason = utf8_repaired(reason);
  }
  auto refusal = fit(taken);
  if (!refusal) refusal = refuse(taken);
  if (refusal) {
    for (const Resolution& resolution : taken) run_.heap().release(resolution.settlement.value);
    return refusal;
  }
  for (Resolution& resolution : taken) {
    const ResolveStatus status = run_.resolve(resolution.operation, std::move(resolution.settlement));
    if (status == ResolveStatus::Done) outbox_.resolved(*run_.operations().find(resolution.operation), run_.heap());
  }
  return std::nullopt;
}

void SessionOperations::set_age(std::string_view operation, std::int64_t created_ms) {
  run_.operations().set_created(operation, created_ms);
}

std::string SessionOperations::json_of(const Operation& operation) const {
  std::string text;
  append_operation_json(text, operation, run_.heap());
  return text;
}

std::string SessionOperations::json() const {
  std::string out = "[";
  for (const Operation& operation : run_.operations().all()) {
    if (out.size() > 1) out += ',';
    append_operation_json(out, operation, run_.heap());
  }
  return out + ']';
}

std::optional<std::string> SessionOperations::load(std::string_view json) {
  return read_operations_json(json, run_.operations(), run_.heap());
}

}  // namespace ptc

#include "ptcvm/store.hpp"

#include "api/errors.h"
#include "api/store_access.h"
#include "api/value_access.h"
#include "runtime/engine/clock.h"
#include "runtime/durable/answers.h"
#include "runtime/log/memory_store.h"
#include "runtime/calls/tools.h"

namespace ptcvm {
namespace {

ptc::Said said(std::string by) { return {std::move(by), ptc::system_millis()}; }

Result<std::string> written(ValueView value) {
  if (value.is_nil()) return std::string("nil");
  if (const auto complaint = ptc::plain_data_complaint(*ValueAccess::heap(value), ValueAccess::word(value))) {
    return host_error(Errc::invalid_value, *complaint);
  }
  return value.to_edn();
}

// What was said first, for those who say something else now.
Error answered_before(const std::string& what, const std::string& by, std::string_view status,
                      const std::string& said) {
  return host_error(Errc::already_resolved, what + " was answered before" + (by.empty() ? "" : " by " + by) + ": " +
                                                std::string(status) + ' ' + said);
}

Result<void> resolved(Store& store, std::string_view run, std::string_view operation, std::string_view status,
                      std::string value, std::string text, std::string by) {
  auto put = ptc::answer_operation(StoreAccess::store(store), run, operation, status, value, text, said(std::move(by)));
  if (const auto* error = std::get_if<ptc::StoreError>(&put)) {
    if (error->kind == ptc::StoreError::Kind::Missing) return host_error(Errc::unknown_operation, error->message);
    return store_error(*error);
  }
  const ptc::Fact& held = std::get<ptc::Put>(put).fact;
  if (held.status == status && held.value == value && held.text == text) return {};
  return answered_before("operation " + std::string(operation), held.source, held.status,
                         held.status == "ok" ? held.value : held.text);
}

}  // namespace

Store Store::in_memory() { return StoreAccess::made(std::make_unique<ptc::MemoryStore>()); }

Result<void> Store::resolve(std::string_view run, std::string_view operation, ValueView value, std::string by) {
  auto text = written(value);
  if (!text) return std::move(text).error();
  return resolved(*this, run, operation, "ok", std::move(*text), {}, std::move(by));
}
Result<void> Store::resolve_error(std::string_view run, std::string_view operation, std::string reason,
                                  std::string by) {
  return resolved(*this, run, operation, "error", {}, std::move(reason), std::move(by));
}
Result<void> Store::resolve_cancelled(std::string_view run, std::string_view operation, std::string reason,
                                      std::string by) {
  return resolved(*this, run, operation, "cancelled", {}, std::move(reason), std::move(by));
}

Result<void> Store::progress(std::string_view run, std::string_view operation, ValueView value, std::string by) {
  auto text = written(value);
  if (!text) return std::move(text).error();
  auto put = ptc::progress_operation(StoreAccess::store(*this), run, operation, std::move(*text), said(std::move(by)));
  if (const auto* error = std::get_if<ptc::StoreError>(&put)) return store_error(*error);
  return {};
}

Result<void> Store::put(std::string_view run, std::string_view id, ValueView value, std::string by,
                        const std::optional<std::string>& instead_of_edn) {
  auto text = written(value);
  if (!text) return std::move(text).error();
  auto put = ptc::put_external(StoreAccess::store(*this), run, id, *text, instead_of_edn, said(std::move(by)));
  if (const auto* error = std::get_if<ptc::StoreError>(&put)) return store_error(*error);
  const ptc::ExternalPut& done = std::get<ptc::ExternalPut>(put);
  if (done.is_written || (done.held && done.held->value_edn == *text)) return {};
  const std::string what(id);
  if (const auto& first = done.answered) {
    if (first->status == "ok" && first->value == *text) return {};
    return answered_before(what, first->source, first->status, first->status == "ok" ? first->value : first->text);
  }
  if (!done.held) return host_error(Errc::already_resolved, what + " has no value that could be replaced");
  return host_error(Errc::already_resolved,
                    what + " is " + done.held->value_edn + " already, " +
                        (done.held->source.empty() ? "recorded by the program" : "said by " + done.held->source));
}

Result<void> Store::decide(std::string_view run, std::string_view key, bool allowed, std::string reason, std::string by,
                           const std::optional<std::string>& args_edn) {
  auto decided = ptc::decide_call(StoreAccess::store(*this), run, key, allowed, std::move(reason), args_edn,
                                  said(std::move(by)));
  if (const auto* error = std::get_if<ptc::StoreError>(&decided)) return store_error(*error);
  const std::string about = "the call " + std::string(key);
  switch (std::get<ptc::DecideEnd>(decided)) {
    case ptc::DecideEnd::Done: return {};
    case ptc::DecideEnd::NotAsked: return host_error(Errc::refused, "nobody asked about " + about);
    case ptc::DecideEnd::OtherArguments:
      return host_error(Errc::refused, about + " was asked about with other arguments");
    case ptc::DecideEnd::DecidedOtherwise: break;
  }
  return host_error(Errc::refused, about + " was decided otherwise before");
}

Result<void> Store::settle(std::string_view run, std::string_view key, DoubtAnswer answer, ValueView result,
                           std::string by) {
  auto text = written(result);
  if (!text) return std::move(text).error();
  const bool happened = answer == DoubtAnswer::Happened;
  const ptc::DoubtAnswer meant = happened                         ? ptc::DoubtAnswer::Happened
                                 : answer == DoubtAnswer::DidNot ? ptc::DoubtAnswer::DidNot
                                                                 : ptc::DoubtAnswer::GiveUp;
  auto settled = ptc::settle_doubt(StoreAccess::store(*this), run, key, meant, happened ? std::move(*text) : "",
                                   said(std::move(by)));
  if (const auto* error = std::get_if<ptc::StoreError>(&settled)) return store_error(*error);
  if (std::get<bool>(settled)) return {};
  return host_error(Errc::refused, "nobody doubts the call " + std::string(key));
}

}  // namespace ptcvm

#include "api/errors.h"

#include <array>

#include "runtime/engine/diagnostic_text.h"
#include "runtime/text/text_place.h"
#include "schema/fault_kind.h"

namespace ptcvm {

const char* errc_name(Errc code) {
  static constexpr std::array<const char*, 14> kNames = {
      "invalid_program",   "invalid_value",    "invalid_signature", "invalid_snapshot", "refused",
      "unknown_operation", "already_resolved", "too_large",         "wrong_state",      "busy",
      "store_failed",      "not_available",    "invalid_key_ring",  "seal_refused"};
  return kNames[static_cast<std::size_t>(code)];
}

void throw_exception_from_error(const Error& error, const boost::source_location&) { throw BadResult(error); }

Diagnostic diagnostic_of(const ptc::OutcomeFault& fault) {
  Diagnostic out;
  out.kind = ptc::fault_name(fault.kind);
  out.message = fault.message;
  out.hint = fault.hint;
  out.found = fault.found;
  out.source_name = fault.source_name;
  out.line = fault.span.line;
  out.column = fault.span.column;
  out.begin = fault.span.begin;
  out.end = fault.span.end;
  out.is_limit = ptc::fault_info(fault.kind).phase == ptc::FaultPhase::Limit;
  out.is_incomplete = fault.incomplete;
  out.excerpt = ptc::source_excerpt(fault.source, fault.span);
  for (const ptc::CallFrame& frame : fault.stack) {
    out.stack.push_back({std::string(frame.kind), frame.name, frame.source_name, frame.line, frame.column});
  }
  out.text = diagnostic_text(out);
  return out;
}

Error program_error(const ptc::OutcomeFault& fault) {
  return {Errc::invalid_program, fault.message, diagnostic_of(fault)};
}

Error restore_error(const ptc::RestoreError& error) {
  using Kind = ptc::SnapshotError;
  const Errc code = error.kind == Kind::Refused    ? Errc::refused
                    : error.kind == Kind::TooLarge ? Errc::too_large
                                                   : Errc::invalid_snapshot;
  return {code, error.message, std::nullopt, ptc::snapshot_error_name(error.kind)};
}

Error store_error(const ptc::StoreError& error) {
  if (error.kind == ptc::StoreError::Kind::Seal) {
    return {Errc::seal_refused, std::string(error.seal) + ": " + error.message, std::nullopt, error.seal};
  }
  const std::string_view name = ptc::store_error_name(error.kind);
  using Kind = ptc::StoreError::Kind;
  const bool is_refused =
      error.kind == Kind::RunMoved || error.kind == Kind::RunOrdered || error.kind == Kind::RunIsCopy;
  const Errc code = is_refused                          ? Errc::refused
                    : error.kind == Kind::ResultTooLarge ? Errc::too_large
                                                         : Errc::store_failed;
  return {code, std::string(name) + ": " + error.message, std::nullopt, name};
}

Error text_error(std::string_view what, std::string_view text, const ptc::TextError& error) {
  Error out = host_error(Errc::invalid_value, std::string(what) + ": " + error.message + " at byte " +
                                                  std::to_string(error.offset + 1));
  out.diagnostic.emplace();
  out.diagnostic->kind = errc_name(out.code);
  out.diagnostic->message = error.message;
  out.diagnostic->begin = out.diagnostic->end = static_cast<std::uint32_t>(error.offset);
  const ptc::TextPlace place = ptc::text_place(text, error.offset);
  out.diagnostic->line = place.line;
  out.diagnostic->column = place.column;
  out.diagnostic->text = out.message;
  return out;
}

}  // namespace ptcvm

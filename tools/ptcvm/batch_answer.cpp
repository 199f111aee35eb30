#include "tools/ptcvm/batch_answer.h"

#include "runtime/text/json_text.h"
#include "tools/ptcvm/suspension.h"
#include "vm/value/print.h"

namespace ptcvm::cli {
namespace {

void append_key(std::string& out, std::string_view name) {
  out += ",\"";
  out += name;
  out += "\":";
}

void append_text(std::string& out, std::string_view name, std::string_view text) {
  append_key(out, name);
  ptc::append_json_string(out, text);
}

void append_null(std::string& out, std::string_view name) {
  append_key(out, name);
  out += "null";
}

void append_text_or_null(std::string& out, std::string_view name, std::string_view text, bool present) {
  if (present) {
    append_text(out, name, text);
  } else {
    append_null(out, name);
  }
}

void append_number_or_null(std::string& out, std::string_view name, std::uint32_t number) {
  append_key(out, name);
  out += number == 0 ? "null" : std::to_string(number);
}

void append_texts(std::string& out, std::string_view name, const std::vector<std::string>& texts) {
  append_key(out, name);
  out += '[';
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) out += ',';
    ptc::append_json_string(out, texts[i]);
  }
  out += ']';
}

std::string summaries_edn(const ptc::Outcome& outcome) {
  std::string edn = "{";
  for (const auto& [id, text] : outcome.summaries) {
    if (edn.size() > 1) edn += ' ';
    ptc::append_quoted(edn, id);
    edn += ' ';
    ptc::append_quoted(edn, text);
  }
  return edn + '}';
}

void append_tool_calls(std::string& out, const ptc::Outcome& outcome) {
  append_key(out, "tool_calls");
  out += '[';
  for (std::size_t i = 0; i < outcome.tool_calls.size(); ++i) {
    const ptc::ToolOutcome& call = outcome.tool_calls[i];
    out += i > 0 ? ",{\"name\":" : "{\"name\":";
    ptc::append_json_string(out, call.name);
    append_text(out, "args_edn", call.args_edn);
    append_text(out, call.failed ? "error" : "result_edn", call.failed ? call.error : call.result_edn);
    out += call.cached ? ",\"cached\":true}" : ",\"cached\":false}";
  }
  out += ']';
}

// What a suspended program waits for, with times; of one that is over the ids of what still waits.
void append_waiting(std::string& out, const ptc::Outcome& outcome) {
  if (outcome.status == ptc::OutcomeStatus::Suspended) {
    append_key(out, "pending");
    std::vector<WaitingOperation> operations;
    for (const ptc::PendingOutcome& p : outcome.pending) {
      operations.push_back({p.operation, p.tool, p.args_json, p.since_ms, p.deadline_ms});
    }
    append_pending(out, operations);
  } else if (!outcome.pending.empty()) {
    std::vector<std::string> operations;
    for (const ptc::PendingOutcome& operation : outcome.pending) operations.push_back(operation.operation);
    append_texts(out, "outstanding", operations);
  }
}

}  // namespace

std::string write_answer(const BatchAnswer& answer) {
  const ptc::Outcome& outcome = answer.outcome;
  const bool failed = outcome.status == ptc::OutcomeStatus::Error;
  const bool suspended = outcome.status == ptc::OutcomeStatus::Suspended;
  std::string out = "{\"id\":" + answer.id_json;
  append_text(out, "status", ptc::outcome_status_name(outcome.status));
  append_text_or_null(out, "value_edn", outcome.value_edn, !failed && !suspended);
  append_text_or_null(out, "error_kind", failed ? ptc::fault_name(outcome.fault.kind) : std::string_view(), failed);
  append_text_or_null(out, "message", outcome.fault.message, failed);
  append_number_or_null(out, "line", outcome.fault.span.line);
  append_number_or_null(out, "column", outcome.fault.span.column);
  append_text_or_null(out, "hint", outcome.fault.hint, !outcome.fault.hint.empty());
  append_texts(out, "prints", outcome.prints);
  append_text(out, "memory_edn", answer.memory_edn);
  append_text_or_null(out, "journal_edn", answer.journal_edn.value_or(""), answer.journal_edn.has_value());
  append_text(out, "summaries", summaries_edn(outcome));
  append_tool_calls(out, outcome);
  append_texts(out, "warnings", outcome.warnings);
  append_key(out, "fuel");
  out += std::to_string(outcome.fuel);
  if (answer.figures) {
    append_key(out, "suspensions");
    out += std::to_string(answer.figures->suspensions);
    append_key(out, "max_snapshot_bytes");
    out += std::to_string(answer.figures->max_snapshot_bytes);
  }
  append_waiting(out, outcome);
  out += '}';
  return out;
}

std::string bad_request(std::string_view id_json, std::string_view message) {
  BatchAnswer answer;
  answer.id_json = id_json;
  answer.outcome.fault.kind = ptc::FaultKind::BadRequest;
  answer.outcome.fault.message = message;
  answer.memory_edn = "{}";
  return write_answer(answer);
}

}  // namespace ptcvm::cli

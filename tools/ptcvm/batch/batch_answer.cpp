#include "tools/ptcvm/batch/batch_answer.h"

#include "runtime/text/json_text.h"
#include "tools/ptcvm/program/suspension.h"

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

// The texts of EDN strings.
std::string summaries_edn(const BatchAnswer& answer) {
  std::string edn = "{";
  for (const auto& [id, text] : answer.summaries) {
    if (edn.size() > 1) edn += ' ';
    edn += Value::of(id).to_edn() + ' ' + Value::of(text).to_edn();
  }
  return edn + '}';
}

// Appends a value under `name` as JSON, or under `name`_edn as a text.
void append_value(std::string& out, std::string_view name, std::string_view edn, bool as_json) {
  if (!as_json) return append_text(out, std::string(name) + "_edn", edn);
  append_key(out, name);
  out += json_of_edn(edn);
}

void append_value_or_null(std::string& out, std::string_view name, std::string_view edn, bool as_json, bool present) {
  if (present) return append_value(out, name, edn, as_json);
  append_null(out, as_json ? std::string(name) : std::string(name) + "_edn");
}

// Definitions that hold functions have no JSON that could be given back as memory: they stay EDN.
void append_memory(std::string& out, std::string_view edn, bool as_json) {
  const std::string json = as_json ? json_of_edn(edn) : std::string();
  if (!json.starts_with('{')) return append_text(out, "memory_edn", edn);
  append_key(out, "memory");
  out += json;
}

// The EDN text has kept the plain name that it had before there was JSON.
void append_summaries(std::string& out, const BatchAnswer& answer, bool as_json) {
  if (!as_json) return append_text(out, "summaries", summaries_edn(answer));
  append_key(out, "summaries");
  out += json_of_edn(summaries_edn(answer));
}

std::string rendered(const Diagnostic& fault) { return fault.text.empty() ? diagnostic_text(fault) : fault.text; }

void append_tool_calls(std::string& out, const std::vector<CallRecord>& calls, bool as_json) {
  append_key(out, "tool_calls");
  out += '[';
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const CallRecord& call = calls[i];
    out += i > 0 ? ",{\"name\":" : "{\"name\":";
    ptc::append_json_string(out, call.tool);
    append_value(out, "args", call.args_edn, as_json);
    if (call.failed) {
      append_text(out, "error", call.error);
    } else {
      append_value(out, "result", call.result_edn, as_json);
    }
    out += call.cached ? ",\"cached\":true}" : ",\"cached\":false}";
  }
  out += ']';
}

// Writes what a suspended program waits for, with times; and the ids of what still waits for a program that is over.
void append_waiting(std::string& out, const BatchAnswer& answer) {
  if (answer.state == RunState::Suspended) {
    append_key(out, "pending");
    std::vector<WaitingOperation> operations;
    for (const PendingRecord& p : answer.pending) {
      operations.push_back({p.id, p.tool, p.args_json, p.since_ms, p.deadline_ms});
    }
    append_pending(out, operations);
  } else if (!answer.pending.empty()) {
    std::vector<std::string> operations;
    for (const PendingRecord& operation : answer.pending) operations.push_back(operation.id);
    append_texts(out, "outstanding", operations);
  }
}

std::string_view status_of(const BatchAnswer& answer) {
  if (answer.fault) return "error";
  switch (answer.state) {
    case RunState::Completed: return "ok";
    case RunState::Returned: return "return";
    case RunState::Suspended: return "suspended";
    default: return "fail";
  }
}

}  // namespace

Diagnostic plain_fault(std::string_view kind, std::string_view message) {
  Diagnostic fault;
  fault.kind = kind;
  fault.message = message;
  return fault;
}

// A fault at the top level has no more to say than its place.
void append_stack(std::string& out, const std::vector<CallFrame>& stack) {
  if (stack.size() < 2) return;
  append_key(out, "stack");
  for (std::size_t k = 0; k < stack.size(); ++k) {
    out += k == 0 ? "[{\"kind\":" : ",{\"kind\":";
    ptc::append_json_string(out, stack[k].kind);
    append_text(out, "name", stack[k].name);
    if (!stack[k].source_name.empty()) append_text(out, "source_name", stack[k].source_name);
    append_number_or_null(out, "line", stack[k].line);
    append_number_or_null(out, "column", stack[k].column);
    out += '}';
  }
  out += ']';
}

std::string write_answer(const BatchAnswer& answer, AnswerStyle style) {
  const bool failed = answer.fault.has_value();
  const Diagnostic fault = answer.fault.value_or(Diagnostic());
  std::string out = "{\"id\":" + answer.id_json;
  append_text(out, "status", status_of(answer));
  append_value_or_null(out, "value", answer.value_edn, style.json, !failed && answer.state != RunState::Suspended);
  append_text_or_null(out, "error_kind", fault.kind, failed);
  append_text_or_null(out, "message", fault.message, failed);
  append_number_or_null(out, "line", fault.line);
  append_number_or_null(out, "column", fault.column);
  append_text_or_null(out, "hint", fault.hint, !fault.hint.empty());
  if (!fault.found.empty()) append_text(out, "found", fault.found);
  append_stack(out, fault.stack);
  if (style.rendered) append_text_or_null(out, "rendered", rendered(fault), failed);
  append_texts(out, "prints", answer.prints);
  append_memory(out, answer.memory_edn, style.json);
  append_value_or_null(out, "journal", answer.journal_edn.value_or(""), style.json, answer.journal_edn.has_value());
  append_summaries(out, answer, style.json);
  append_tool_calls(out, answer.calls, style.json);
  append_texts(out, "warnings", answer.warnings);
  append_key(out, "fuel");
  out += std::to_string(answer.fuel);
  if (answer.figures) {
    append_key(out, "suspensions");
    out += std::to_string(answer.figures->suspensions);
    append_key(out, "max_snapshot_bytes");
    out += std::to_string(answer.figures->max_snapshot_bytes);
  }
  append_waiting(out, answer);
  out += '}';
  return out;
}

std::string bad_request(std::string_view id_json, std::string_view message) {
  BatchAnswer answer;
  answer.id_json = id_json;
  answer.fault = plain_fault("bad_request", message);
  return write_answer(answer);
}

}  // namespace ptcvm::cli

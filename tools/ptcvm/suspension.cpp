#include "tools/ptcvm/suspension.h"

#include "runtime/text/json_text.h"

namespace ptcvm::cli {
namespace {

void append_time(std::string& out, std::string_view name, std::int64_t millis) {
  out += ",\"";
  out += name;
  out += "\":" + (millis == 0 ? "null" : std::to_string(millis));
}

}  // namespace

void append_pending(std::string& out, const std::vector<ptc::PendingOutcome>& pending) {
  out += '[';
  for (std::size_t i = 0; i < pending.size(); ++i) {
    out += i > 0 ? ",{\"op\":" : "{\"op\":";
    ptc::append_json_string(out, pending[i].operation);
    out += ",\"tool\":";
    ptc::append_json_string(out, pending[i].tool);
    out += ",\"args\":" + pending[i].args_json;
    append_time(out, "since", pending[i].since_ms);
    append_time(out, "deadline", pending[i].deadline_ms);
    out += '}';
  }
  out += ']';
}

std::string suspended_line(const ptc::Outcome& outcome) {
  std::string out = "{\"status\":\"suspended\",\"pending\":";
  append_pending(out, outcome.pending);
  return out + '}';
}

std::string waiting_text(const ptc::Outcome& outcome) {
  std::string text = "waiting for ";
  bool first = true;
  for (const ptc::PendingOutcome& operation : outcome.pending) {
    if (!operation.awaited) continue;
    text += (first ? "" : ", ") + operation.operation + " (" + operation.tool + ')';
    first = false;
  }
  return text;
}

}  // namespace ptcvm::cli

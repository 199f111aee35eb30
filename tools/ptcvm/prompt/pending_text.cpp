#include "tools/ptcvm/prompt/pending_text.h"

#include "ptcvm/value.hpp"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {

std::string pending_text(const std::vector<WaitingOperation>& waiting, const std::string& doubts, std::int64_t now_ms) {
  std::string out = doubts;
  if (!doubts.empty()) {
    out.insert(0, "nobody knows whether this call happened. Say so in another terminal, then press Enter here:\n");
  }
  if (waiting.empty() && doubts.empty()) return "the program waits for nothing\n";
  for (const WaitingOperation& one : waiting) {
    out.append(one.id).append("  ").append(one.tool).append(one.tool.empty() ? "" : " ").append(one.args_json);
    if (one.deadline_ms != 0) out.append("  until ").append(moment_text(one.deadline_ms, now_ms));
    out += '\n';
  }
  return out;
}

bool is_named(const WaitingOperation& operation, std::string_view name) {
  if (operation.id == name) return true;
  if (!operation.tool.empty() && operation.tool != "await-signal") return false;
  const auto args = Value::from_json(operation.args_json);
  return args && args->view()["name"].as_string() == name;
}

}   // namespace ptcvm::cli

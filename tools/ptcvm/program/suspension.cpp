#include "tools/ptcvm/program/suspension.h"

#include <utility>

#include "runtime/text/json_text.h"

namespace ptcvm::cli {
namespace {

void append_time(std::string& out, std::string_view name, std::int64_t millis) {
  out += ",\"";
  out += name;
  out += "\":" + (millis == 0 ? "null" : std::to_string(millis));
}

// Shows arguments until they are a megabyte together: a hundred operations can share one long text, and the snapshot
// has it once.
class ShownArguments {
 public:
  std::string json(const auto& write) {
    constexpr std::size_t kMostBytes = std::size_t{1} << 20;
    if (bytes_ > kMostBytes) return "null";
    std::string text = write();
    bytes_ += text.size();
    return text;
  }

 private:
  std::size_t bytes_ = 0;
};

}  // namespace

std::vector<WaitingOperation> operations_of(const std::vector<PendingOperation>& pending) {
  std::vector<WaitingOperation> out;
  ShownArguments shown;
  for (const PendingOperation& operation : pending) {
    std::string args = shown.json([&] { return operation.args.to_json(); });
    out.push_back({operation.id, operation.tool, std::move(args), operation.since_ms, operation.deadline_ms});
  }
  return out;
}

std::vector<WaitingOperation> operations_of(const std::vector<StoredWait>& pending) {
  std::vector<WaitingOperation> out;
  ShownArguments shown;
  for (const StoredWait& operation : pending) {
    std::string args = shown.json([&] { return json_of_edn(operation.args_edn); });
    out.push_back({operation.key, operation.tool, std::move(args), operation.since_ms, operation.deadline_ms});
  }
  return out;
}

void append_pending(std::string& out, const std::vector<WaitingOperation>& pending) {
  out += '[';
  for (std::size_t i = 0; i < pending.size(); ++i) {
    out += i > 0 ? ",{\"op\":" : "{\"op\":";
    ptc::append_json_string(out, pending[i].id);
    out += ",\"tool\":";
    ptc::append_json_string(out, pending[i].tool);
    out += ",\"args\":" + pending[i].args_json;
    append_time(out, "since", pending[i].since_ms);
    append_time(out, "deadline", pending[i].deadline_ms);
    out += '}';
  }
  out += ']';
}

std::string suspended_line(const std::vector<WaitingOperation>& pending) {
  std::string out = "{\"status\":\"suspended\",\"pending\":";
  append_pending(out, pending);
  return out + '}';
}

std::string waiting_ids(const std::vector<WaitingOperation>& pending) {
  std::string text;
  for (const WaitingOperation& operation : pending) text += (text.empty() ? "" : " ") + operation.id;
  return text;
}

std::string waiting_text(const std::vector<WaitingOperation>& pending) {
  std::string text;
  for (const WaitingOperation& operation : pending) {
    text += (text.empty() ? "waiting for " : ", ") + operation.id;
    if (!operation.tool.empty()) text += " (" + operation.tool + ')';
  }
  return text;
}

}  // namespace ptcvm::cli

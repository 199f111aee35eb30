#include "tools/ptcvm/program/recorded_tools.h"

namespace ptcvm::cli {
namespace {

RecordedAnswer failure(std::string message) { return {{}, std::move(message)}; }

// Tools answer with plain data only.
std::optional<std::string> complaint_about(ValueView answer) {
  const auto other = answer.part_not_plain();
  if (!other) return std::nullopt;
  const std::string kind = other->kind() == ValueKind::Instant ? "instant" : value_kind_name(other->kind());
  return "its answer holds a " + kind + ", which is not plain data";
}

RecordedAnswer recorded_value(const std::string& edn) {
  auto read = Value::from_edn(edn);
  if (!read) return failure("its recorded answer cannot be read: " + read.error().diagnostic->message);
  if (auto complaint = complaint_about(*read)) return failure(std::move(*complaint));
  return {std::move(*read), std::nullopt};
}

RecordedAnswer recorded_error(const std::string& edn) {
  const auto read = Value::from_edn(edn);
  const auto text = read ? read->view().as_string() : std::nullopt;
  return failure(text ? std::string(*text) : edn);
}

}  // namespace

std::optional<std::string> RecordedTools::add(RecordedCall call) {
  auto args = Value::from_edn(call.args_edn);
  if (!args) return args.error().diagnostic->message;
  if (args->view().kind() != ValueKind::Map) return "they must be a map, and are " + args->view().to_edn();
  entries_.push_back({std::move(call), std::move(*args), false});
  return std::nullopt;
}

RecordedTools::Entry* RecordedTools::find(std::string_view tool, ValueView args) {
  const auto pick = [&](const auto& matches) {
    Entry* last = nullptr;
    for (Entry& entry : entries_) {
      if (entry.call.tool != tool || !matches(entry)) continue;
      if (!entry.used) return &entry;
      last = &entry;
    }
    return last;
  };
  // Arguments that have no text that can be read, such as functions, are equal to no record.
  if (const auto own = Value::from_edn(args.to_edn())) {
    if (Entry* exact = pick([&own](const Entry& entry) { return entry.args.view() == own->view(); })) return exact;
  }
  // What is left of arguments when they cross to a tool as JSON: keywords are strings, dates ISO text.
  std::optional<std::string> text;
  return pick([&text, args](const Entry& entry) {
    if (!text) text = args.to_json();
    return entry.args.to_json() == *text;
  });
}

RecordedAnswer RecordedTools::answer(std::string_view tool, ValueView args) {
  Entry* const entry = find(tool, args);
  if (entry == nullptr) return failure("no recorded answer for these arguments");
  entry->used = true;
  return entry->call.error_edn ? recorded_error(*entry->call.error_edn)
                               : recorded_value(entry->call.result_edn.value_or("nil"));
}

ToolReply RecordedTools::reply_to(ToolCall& call) {
  RecordedAnswer found = answer(call.name(), call.args());
  return found.error ? call.error(std::move(*found.error)) : call.value(std::move(found.value));
}

std::string RecordedTools::state() const {
  std::string state;
  for (const Entry& entry : entries_) state += entry.used ? '1' : '0';
  return state;
}

void RecordedTools::set_state(std::string_view state) {
  for (std::size_t k = 0; k < entries_.size() && k < state.size(); ++k) entries_[k].used = state[k] == '1';
}

Result<std::size_t> tell_recorded(Run& run, const Tools& tools, RecordedTools& recorded, ResolveOrder& order) {
  std::vector<RecordedAnswer> answers;
  std::vector<Resolution> told;
  const std::vector<PendingOperation> pending = run.pending();
  answers.reserve(pending.size());                       // the resolutions look at the values
  for (const PendingOperation& operation : pending) {
    if (operation.is_sleep || operation.is_signal) continue;
    const std::optional<ToolInfo> tool = tools.find(operation.tool);
    const RecordedAnswer& found =
        answers.emplace_back(recorded.answer(tool ? tool->name : operation.tool, operation.args));
    Resolution& resolution = told.emplace_back();
    resolution.operation = operation.id;
    resolution.kind = found.error ? Resolution::Kind::Error : Resolution::Kind::Ok;
    resolution.value = found.value;
    resolution.reason = found.error.value_or("");
  }
  order.arrange(told);
  if (const auto done = run.resolve_all(told); !done) return done.error();
  return told.size();
}

}  // namespace ptcvm::cli

#include "tools/ptcvm/journal_show.h"

#include <vector>

#include "runtime/text/json_text.h"
#include "tools/ptcvm/moments.h"
#include "tools/ptcvm/store_options.h"
#include "tools/ptcvm/text_table.h"
#include "vm/value/print.h"

namespace ptcvm::cli {
namespace {

std::string answer_text(const std::string& value, const std::string& text) {
  return cut_text(value.empty() ? text : value);
}

void append_raw(std::string& out, std::string_view name, const std::string& json) {
  ptc::append_json_name(out, name);
  out += json;
}

template <class Items, class Write>
std::string json_list(const Items& items, Write write) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ',';
    out += '{';
    write(out, item);
    out += '}';
  }
  return out + ']';
}

std::string status_of(const ptc::LoggedOperation& operation) {
  return operation.status.empty() ? "waiting" : operation.status;
}

}  // namespace

std::string show_journal(const ptc::RunLog& log, std::int64_t now_ms) {
  std::vector<std::vector<std::string>> rows = {{"TASK", "VALUE", "FROM"}};
  for (const ptc::LoggedTask& task : log.tasks()) {
    rows.push_back({task.id, cut_text(task.value_edn), task.source.empty() ? "program" : task.source});
  }
  std::string out = rows.size() > 1 ? text_table(rows) : "no tasks\n";
  rows = {{"CALL", "STATE", "KEY", "ANSWER"}};
  for (const ptc::LoggedEffect& effect : log.effects()) {
    rows.push_back({cut_text(effect.tool + ' ' + effect.args), std::string(ptc::effect_state_name(effect.state)),
                    effect.key, answer_text(effect.value, effect.text)});
  }
  if (rows.size() > 1) out += '\n' + text_table(rows);
  rows = {{"OPERATION", "TOOL", "STATE", "SINCE", "ANSWER", "FROM"}};
  for (const ptc::LoggedOperation& operation : log.operations()) {
    rows.push_back({operation.id, cut_text(operation.tool + ' ' + operation.args), status_of(operation),
                    operation.is_opened ? distance_text(operation.opened_ms, now_ms) : "not yet",
                    answer_text(operation.value, operation.text), operation.source});
  }
  if (rows.size() > 1) out += '\n' + text_table(rows);
  return out;
}

std::string journal_json(const std::string& run, const ptc::RunLog& log) {
  std::string out = "{";
  ptc::append_json_member(out, "run", run);
  append_raw(out, "turn", std::to_string(log.turn()));
  append_raw(out, "over", log.is_over() ? "true" : "false");
  append_raw(out, "tasks", json_list(log.tasks(), [](std::string& text, const ptc::LoggedTask& task) {
               ptc::append_json_member(text, "id", task.id);
               append_raw(text, "value", json_of_edn(task.value_edn));
               ptc::append_json_member(text, "edn", task.value_edn);
               ptc::append_json_member(text, "from", task.source.empty() ? "program" : task.source);
             }));
  append_raw(out, "effects", json_list(log.effects(), [](std::string& text, const ptc::LoggedEffect& effect) {
               ptc::append_json_member(text, "key", effect.key);
               ptc::append_json_member(text, "tool", effect.tool);
               append_raw(text, "args", json_of_edn(effect.args));
               ptc::append_json_member(text, "effect", ptc::effect_class_name(effect.effect_class));
               ptc::append_json_member(text, "state", ptc::effect_state_name(effect.state));
               append_raw(text, "attempt", std::to_string(effect.attempt));
               if (!effect.task.empty()) ptc::append_json_member(text, "task", effect.task);
               if (!effect.value.empty()) append_raw(text, "value", json_of_edn(effect.value));
               if (!effect.text.empty()) ptc::append_json_member(text, "text", effect.text);
             }));
  append_raw(out, "operations", json_list(log.operations(), [](std::string& text, const ptc::LoggedOperation& one) {
               ptc::append_json_member(text, "op", one.id);
               ptc::append_json_member(text, "tool", one.tool);
               append_raw(text, "args", json_of_edn(one.args));
               ptc::append_json_member(text, "status", status_of(one));
               if (!one.value.empty()) append_raw(text, "value", json_of_edn(one.value));
               if (!one.text.empty()) ptc::append_json_member(text, "text", one.text);
             }));
  return out + '}';
}

std::string journal_edn(const ptc::RunLog& log) {
  std::string out = "{";
  for (const ptc::LoggedTask& task : log.tasks()) {
    if (out.size() > 1) out += ' ';
    ptc::append_quoted(out, task.id);
    out.append(" ").append(task.value_edn);
  }
  return out + '}';
}

}  // namespace ptcvm::cli

// tool/NAME: calls with named arguments, and tools as values.
#include <algorithm>

#include "compiler/analyze/analysis.h"
#include "compiler/analyze/program_notes.h"

namespace ptc {
namespace {

char folded(char c) { return c == '-' ? '_' : c; }

bool same_folded(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return folded(x) == folded(y); });
}

bool is_atomic_literal(const Form& form) {
  switch (form.kind) {
    case FormKind::Nil: case FormKind::True: case FormKind::False: case FormKind::Int: case FormKind::Float:
    case FormKind::String: case FormKind::Keyword: case FormKind::Regex: case FormKind::Date:
    case FormKind::Instant: case FormKind::Duration: return true;
    default: return false;
  }
}

// Returns whether the text of the form is EDN for its value.
bool is_literal(const Form& form) {
  if (form.kind == FormKind::Regex) return false;
  if (is_atomic_literal(form)) return true;
  const bool is_collection =
      form.kind == FormKind::Vector || form.kind == FormKind::Map || form.kind == FormKind::Set;
  return is_collection && std::ranges::all_of(form.items, [](const Form* item) { return is_literal(*item); });
}

}  // namespace

// A map that the program computes says nothing about the arguments.
void Analyzer::note_tool_call(const Form& form, std::string_view name) {
  Items pairs = Items(form.items).subspan(1);
  if (pairs.size() == 1 && pairs[0]->kind != FormKind::Map) return;
  if (pairs.size() == 1) pairs = Items(pairs[0]->items);
  if (pairs.size() % 2 != 0) return;
  ToolUse use{std::string(name), form.span, {}, true};
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    const bool has_name = pairs[i]->kind == FormKind::Keyword || pairs[i]->kind == FormKind::String;
    if (has_name) use.arguments.push_back({pairs[i]->text, pairs[i + 1]->span, is_literal(*pairs[i + 1])});
    use.has_all = use.has_all && has_name;
  }
  options_.notes->tools.push_back(std::move(use));
}

// Without any tool the body of a task is let through: the journal may have its value.
void Analyzer::note_tool(const Form& form, std::string_view name) {
  if (tools_seen_.insert(name).second) ast_.tools_used.emplace_back(name);
  if (!options_.check_tools || (options_.tool_names.empty() && task_depth_ > 0)) return;
  for (const std::string_view tool : options_.tool_names) {
    if (same_folded(tool, name)) return;
  }
  unknown_tools_.emplace_back(name, form.span);
}

bool Analyzer::report_unknown_tools() {
  if (unknown_tools_.empty()) return true;
  std::vector<std::string_view> names = options_.tool_names;
  std::sort(names.begin(), names.end());
  std::string available;
  for (const std::string_view name : names) available += (available.empty() ? "" : ", ") + std::string(name);
  const auto& [name, span] = unknown_tools_.front();
  fail(span, FaultKind::UnknownTool,
       {"Unknown tool: ", name,
        available.empty() ? ". No tools available." : ". Available tools: ", available});
  return false;
}

// Waiting for the call of a tool that gives its answer at once can't work: refused before anything runs.
bool Analyzer::check_awaited(const Node& node) {
  const bool awaits = node.kind == NodeKind::Invoke && node.builtin == BuiltinId::await && !node.kids.empty();
  if (!awaits || node.kids[0]->kind != NodeKind::ToolCall) return true;
  const std::string_view name = node.kids[0]->text;
  const bool is_sync = std::any_of(options_.sync_tool_names.begin(), options_.sync_tool_names.end(),
                                   [name](std::string_view sync) { return same_folded(sync, name); });
  if (!is_sync) return true;
  fail(node.span, FaultKind::InvalidForm, {"await: tool/", name, " is not async; use its result directly"},
       "only tools that are declared async give something to wait for");
  return false;
}

Node* Analyzer::analyze_tool_name(const Form& form, std::string_view name) {
  if (name.empty()) return fail(form, FaultKind::InvalidForm, "tool/ must be followed by the name of a tool");
  note_tool(form, name);
  Node* node = ast_.make(NodeKind::Tool, form.span);
  node->text = name;
  return node;
}

Node* Analyzer::analyze_tool_call(const Form& form, std::string_view name) {
  if (name.empty()) return fail(form, FaultKind::InvalidForm, "tool/ must be followed by the name of a tool");
  note_tool(form, name);
  if (options_.notes != nullptr) note_tool_call(form, name);
  Node* arguments = tool_arguments(form, name);
  if (arguments == nullptr) return nullptr;
  Node* node = ast_.make(NodeKind::ToolCall, form.span);
  node->text = name;
  node->kids.push_back(arguments);
  return node;
}

Node* Analyzer::fail_positional(const Form& form, std::string_view name, const Form& argument) {
  const std::string text(source_text(argument));
  std::string hint = "Got " + text + " — wrap in {:key value}";
  if (argument.kind == FormKind::String) {
    hint = "Got string " + text + " — try (tool/" + std::string(name) + " {:key " + text + "})";
  }
  return fail(
      form.span, FaultKind::InvalidToolArgs,
      {"Tool calls require named arguments. Use (tool/", name, " {:key value}), not positional args."}, hint);
}

Node* Analyzer::tool_arguments(const Form& form, std::string_view name) {
  const Items arguments = Items(form.items).subspan(1);
  if (arguments.empty()) return make_constant(form.span, constants_.collection(Constant::Kind::Map, {}));
  if (arguments.size() == 1) {
    const Form& argument = *arguments[0];
    const bool positional = is_atomic_literal(argument) || argument.kind == FormKind::Vector ||
                            argument.kind == FormKind::Set || argument.kind == FormKind::Lambda;
    if (positional) return fail_positional(form, name, argument);
    Node* map = analyze(argument, false);
    return map == nullptr ? nullptr : make_invoke(form.span, BuiltinId::h_tool_args, {map});
  }
  if (arguments.size() % 2 != 0) return fail_positional(form, name, *arguments[0]);
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const FormKind kind = arguments[i]->kind;
    if (kind == FormKind::Keyword || kind == FormKind::String) continue;
    if (is_atomic_literal(*arguments[i]) || kind == FormKind::Vector || kind == FormKind::Map ||
        kind == FormKind::Set) {
      return fail_positional(form, name, *arguments[i]);
    }
  }
  Node* map = ast_.make(NodeKind::MakeMap, form.span);
  if (!analyze_into(*map, arguments)) return nullptr;
  return make_invoke(form.span, BuiltinId::h_tool_args, {map});
}

}  // namespace ptc

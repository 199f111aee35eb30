#include "tools/ptcvm/run_options.h"

#include <algorithm>
#include <map>

#include "runtime/text/json_value.h"
#include "tools/ptcvm/external_tool.h"
#include "tools/ptcvm/files.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/string.h"

namespace ptcvm::cli {
namespace {

struct DataSource {
  std::string key;      // "": the file is the whole context
  std::string path;
};

DataSource data_source_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

bool is_edn_path(const std::string& path) { return path.ends_with(".edn"); }

std::optional<ptc::Value> read_data(ptc::Session& session, const std::string& path, std::string& message) {
  const auto text = read_file(path, message);
  if (!text) return std::nullopt;
  if (is_edn_path(path)) {
    std::string reason;
    auto value = session.edn().read(*text, {}, reason);
    if (!value) message = path + ": " + reason;
    return value;
  }
  auto parsed = ptc::read_json(session.heap(), *text);
  if (auto* value = std::get_if<ptc::Value>(&parsed)) return *value;
  message = path + ": " + std::get<ptc::JsonError>(parsed).message;
  return std::nullopt;
}

// Adds the entries of `value` to `context`, or the value itself under its key.
bool merge_data(ptc::Heap& heap, ptc::Value& context, const DataSource& source, ptc::Value taken,
                std::string& message) {
  if (!source.key.empty()) {
    context = ptc::map_assoc(heap, context, ptc::string_of(heap, source.key), taken);
    return true;
  }
  if (!taken.is_map()) {
    heap.release(taken);
    message = source.path + ": the context must be a map; to give it a name write --data KEY=" + source.path;
    return false;
  }
  for (ptc::MapCursor entry(heap, taken); entry.next();) {
    context = ptc::map_assoc(heap, context, ptc::retained(entry.key()), ptc::retained(entry.value()));
  }
  heap.release(taken);
  return true;
}

bool load_data(ptc::Session& session, const RunArguments& options, std::string& message) {
  ptc::Heap& heap = session.heap();
  ptc::Value context = ptc::map_empty(heap);
  for (const std::string& text : options.data) {
    const DataSource source = data_source_of(text);
    const auto value = read_data(session, source.path, message);
    if (!value || !merge_data(heap, context, source, *value, message)) {
      heap.release(context);
      return false;
    }
  }
  session.inputs().set_context(context);
  return true;
}

bool load_text(const std::string& path, std::string& message, const auto& load) {
  if (path.empty()) return true;
  const auto text = read_file(path, message);
  if (!text) return false;
  if (const auto problem = load(*text)) {
    message = path + ": " + *problem;
    return false;
  }
  return true;
}

}  // namespace

ptc::SessionOptions session_options(const RunArguments& options, std::string source_name) {
  ptc::SessionOptions out;
  options.limits.apply(out.limits);
  out.float_precision = options.float_precision;
  out.signature = options.signature;
  out.run_id = options.run_id;
  out.strict_task_ids = options.strict_task_ids;
  out.check_tools = options.check_tools;
  out.source_name = std::move(source_name);
  return out;
}

void declare_tool_options(CLI::App& command, RunArguments& options) {
  command.add_option("--trace", options.trace, "Write every event of the run as a line of JSON")->type_name("FILE");
  static const std::map<std::string, OutputForm> forms{
      {"edn", OutputForm::Edn}, {"json", OutputForm::Json}, {"pretty", OutputForm::Pretty}};
  command
      .add_option("--tool", options.tools,
                  "Command behind (tool/NAME …): JSON arguments on its stdin, JSON on its stdout")
      ->type_name("NAME=COMMAND")
      ->allow_extra_args(false);
  command.add_option("--tool-shell", options.shell_tools, "As --tool, but the command is given to sh -c")
      ->type_name("NAME=COMMAND")
      ->allow_extra_args(false);
  command
      .add_option("--async-tool", options.async_tools,
                  "A tool whose answers come later; COMMAND starts it and may give {\"pending\": \"ID\"} or the answer")
      ->type_name("NAME[=COMMAND]")
      ->allow_extra_args(false);
  command.add_option("--cache-tool", options.cached_tools, "Keep the answers of this tool: equal arguments, one call")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      .add_option("--tool-effect", options.effects,
                  "What may be done when nobody knows whether a call happened: pure (it has no effect), idempotent "
                  "(again), keyed (again with its key), reconcilable (ask --tool-reconcile), unsafe (ask a person)")
      ->type_name("NAME=CLASS")
      ->allow_extra_args(false);
  command
      .add_option("--tool-reconcile", options.reconcilers,
                  "Command that says whether a call happened: {\"tool\", \"args\", \"key\"} on its stdin; "
                  "{\"happened\": true, \"value\": …}, {\"happened\": false} or {} on its stdout")
      ->type_name("NAME=COMMAND")
      ->allow_extra_args(false);
  command.add_option("--output", options.output, "How the value is written: edn, json or pretty")
      ->transform(CLI::CheckedTransformer(forms, CLI::ignore_case).description(""))
      ->type_name("FORM");
  command.add_option("--parallel-tools", options.parallel_tools, "Commands of tools that run at once")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000}).description(""))
      ->capture_default_str();
  command.add_flag("--stats", options.stats, "Show fuel, time and memory on standard error");
}

void declare_run_options(CLI::App& command, RunArguments& options) {
  command
      .add_option("--data", options.data,
                  "Context for data/…: a .json or .edn file with a map, or KEY=FILE; repeatable")
      ->type_name("[KEY=]FILE")
      ->allow_extra_args(false);
  command.add_option("--memory", options.memory, "Stored definitions, an EDN map {:name value}")->type_name("FILE");
  command.add_option("--journal", options.journal, "Journal for (task …), an EDN map {\"id\" value}")
      ->type_name("FILE");
  declare_tool_options(command, options);
  command.add_option("--signature", options.signature,
                     "What the result must look like, e.g. '{name :string, age :int?}'");
  command.add_option("--float-precision", options.float_precision, "Round floats of the result to that many decimals")
      ->check(CLI::Range(0, 300).description(""));
  command.add_option("--run-id,--id", options.run_id,
                     "Name of the run: in a store, in the idempotency keys that tools are given, in sealed snapshots")
      ->type_name("ID")
      ->check(CLI::Validator([](const std::string& id) { return id.empty() ? "must not be empty" : ""; }, ""));
  options.limits.declare(command);
  command.add_flag("--strict-task-ids", options.strict_task_ids, "Accept only string literals as ids of (task …)");
}

bool add_async_tools(ptc::ToolRegistry& tools, const std::vector<std::string>& texts, std::string& message) {
  for (const std::string& text : texts) {
    ptc::ToolDefinition definition;
    definition.async = ptc::AsyncMode::Yes;
    definition.name = text.substr(0, text.find('='));
    if (text.find('=') == std::string::npos) {     // nothing to start: the operation waits to be resolved
      tools.add(std::move(definition), [](const ptc::ToolCall&) { return ptc::ToolReply::pending(); });
      continue;
    }
    auto tool = parse_external_tool(text, false, message);
    if (!tool) return false;
    tools.add(std::move(definition), CommandTool(std::move(*tool), true));
  }
  return true;
}

namespace {

const ptc::Tool* tool_of(const ptc::ToolRegistry& tools, std::string_view option, const std::string& text,
                         std::string& rest, std::string& message) {
  const std::size_t equals = text.find('=');
  const ptc::Tool* const tool = tools.find(text.substr(0, equals));
  if (equals != std::string::npos && tool != nullptr) {
    rest = text.substr(equals + 1);
    return tool;
  }
  message = std::string(option) + ' ' + text + ": ";
  message += equals == std::string::npos ? "NAME=… is wanted" : "there is no tool " + text.substr(0, equals);
  return nullptr;
}

// Returns "unsafe, pure, …": every class of the table.
std::string effect_class_names() {
  std::string out;
  for (const ptc::EffectInfo& known : ptc::kEffectClasses) {
    out.append(out.empty() ? "" : ", ").append(known.name);
  }
  return out;
}

bool set_effects(ptc::ToolRegistry& tools, const RunArguments& options, std::string& message) {
  for (const std::string& text : options.effects) {
    std::string name;
    const ptc::Tool* const tool = tool_of(tools, "--tool-effect", text, name, message);
    if (tool == nullptr) return false;
    const auto effect = ptc::find_effect_class(name);
    if (!effect) {
      message = "--tool-effect " + text + ": the class must be one of " + effect_class_names();
      return false;
    }
    ptc::Tool changed = *tool;
    changed.definition.effect = *effect;
    tools.add(std::move(changed.definition), std::move(changed.handler), std::move(changed.reconcile));
  }
  return true;
}

bool set_reconcilers(ptc::ToolRegistry& tools, const RunArguments& options, std::string& message) {
  for (const std::string& text : options.reconcilers) {
    std::string command;
    const ptc::Tool* const tool = tool_of(tools, "--tool-reconcile", text, command, message);
    if (tool == nullptr) return false;
    auto external = parse_external_tool(text, false, message);
    if (!external) return false;
    ptc::Tool changed = *tool;
    tools.add(std::move(changed.definition), std::move(changed.handler),
              external_reconcile_handler(std::move(*external)));
  }
  return true;
}

}  // namespace

bool add_tools(ptc::ToolRegistry& tools, const RunArguments& options, std::string& message) {
  const auto add_all = [&](const std::vector<std::string>& texts, bool with_shell) {
    for (const std::string& text : texts) {
      auto tool = parse_external_tool(text, with_shell, message);
      if (!tool) return false;
      ptc::ToolDefinition definition;
      definition.name = tool->name;
      definition.cache = std::count(options.cached_tools.begin(), options.cached_tools.end(), tool->name) > 0;
      tools.add(std::move(definition), CommandTool(std::move(*tool), false));
    }
    return true;
  };
  return add_all(options.tools, false) && add_all(options.shell_tools, true) &&
         add_async_tools(tools, options.async_tools, message) && set_effects(tools, options, message) &&
         set_reconcilers(tools, options, message);
}

std::optional<std::string> context_edn(const RunArguments& options, std::string& message) {
  const ptc::Engine engine;
  ptc::Session session(engine, {});
  if (!load_data(session, options, message)) return std::nullopt;
  std::string text;
  ptc::append_edn(text, session.inputs().context(), session.heap());
  return text;
}

std::unique_ptr<ptc::Session> make_session(const ptc::Engine& engine, const RunArguments& options,
                                           std::string source_name, std::string& message) {
  auto session = std::make_unique<ptc::Session>(engine, session_options(options, std::move(source_name)));
  const auto load_memory = [&](const std::string& text) { return session->definitions().load(text); };
  const auto load_journal = [&](const std::string& text) { return session->journal().load(text); };
  if (!add_tools(session->tools(), options, message) || !load_data(*session, options, message) ||
      !load_text(options.memory, message, load_memory) || !load_text(options.journal, message, load_journal)) {
    return nullptr;
  }
  return session;
}

}  // namespace ptcvm::cli

#include "tools/ptcvm/calls/run_options.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

#include "schema/effect_class.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/text/shell_arguments.h"

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

constexpr std::string_view kNoMap = "the context must be a map";

bool is_edn_path(const std::string& path) { return path.ends_with(".edn"); }

// Loads one --data. The message of a file that is no map says how to give it a name.
bool load_file(Session& session, const DataSource& source, std::string& message) {
  const auto text = read_file(source.path, message, session.run().memory_left());
  if (!text && source.path.starts_with('{')) message += "; --data takes a file with the map, not the map";
  if (!text) return false;
  const auto loaded =
      is_edn_path(source.path) ? session.load_data(*text, source.key) : session.load_data_json(*text, source.key);
  if (loaded) return true;
  message = source.path + ": " + loaded.error().message;
  if (loaded.error().message == kNoMap) message += "; to give it a name write --data KEY=" + source.path;
  return false;
}

bool load_data(Session& session, const RunArguments& options, std::string& message) {
  (void)session.load_data("{}");                 // without --data there is an empty context
  for (const std::string& text : options.data) {
    if (!load_file(session, data_source_of(text), message)) return false;
  }
  return true;
}

bool load_text(const Session& session, const std::string& path, std::string& message, const auto& load) {
  if (path.empty()) return true;
  const auto text = read_file(path, message, session.run().memory_left());
  std::error_code why;
  const bool is_missing = !text && !std::filesystem::exists(path, why) && !why;
  if (is_missing) message += "; echo '{}' > " + shell_quoted(path) + " makes an empty one";
  if (!text) return false;
  if (const Result<void> loaded = load(*text); !loaded) {
    message = path + ": " + loaded.error().message;
    return false;
  }
  return true;
}

}  // namespace

void declare_tools(CLI::App& command, RunArguments& options) {
  command
      .add_option("--tools", options.tools_files,
                  "A file of tools, JSON or EDN: names, signatures, commands, effects and more; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
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
  command.add_option("--parallel-tools", options.parallel_tools, "Commands of tools that run at once")
      ->capture_default_str();
}

void declare_tool_options(CLI::App& command, RunArguments& options) {
  command.add_option("--trace", options.trace, "Write every event of the run as a line of JSON")->type_name("FILE");
  declare_tools(command, options);
  static const std::map<std::string, OutputForm> forms{
      {"edn", OutputForm::Edn}, {"json", OutputForm::Json}, {"pretty", OutputForm::Pretty}};
  command.add_option("--output", options.output, "How the value is written: edn, json or pretty")
      ->transform(CLI::CheckedTransformer(forms, CLI::ignore_case).description(""))
      ->type_name("FORM");
  command.add_flag("--stats", options.stats, "Show fuel, time and memory on standard error");
}

void declare_run_argument(CLI::App& command, RunArguments& options) {
  command.add_option("ID", options.run_id, "The run, instead of --id");
}

void declare_run_options(CLI::App& command, RunArguments& options) {
  command
      .add_option("--data", options.data,
                  "Context for data/…: a .json or .edn file with a map, or KEY=FILE; repeatable")
      ->type_name("[KEY=]FILE")
      ->allow_extra_args(false);
  command.add_flag("--strict-data", options.strict_data, "Refuse a program that names data/… which the data lacks");
  command.add_option("--memory", options.memory, "Stored definitions, an EDN map {:name value}")->type_name("FILE");
  command
      .add_option("--journal", options.journal,
                  "Journal for (task …), an EDN map {\"id\" value}; written back at the end, by repl each time")
      ->type_name("FILE");
  declare_tool_options(command, options);
  command.add_option("--signature", options.signature,
                     "What the result must look like, e.g. '{name :string, age :int?}'");
  command.add_option("--float-precision", options.float_precision, "Round floats of the result to that many decimals");
  command.add_option("--id,--run-id", options.run_id,
                     "Name of the run: in a store, in the idempotency keys that tools are given, in sealed snapshots")
      ->type_name("ID");
  options.limits.declare(command);
  command.add_flag("--strict-task-ids", options.strict_task_ids, "Accept only string literals as ids of (task …)");
}

namespace {

bool declare_commands(std::vector<DeclaredTool>& out, const std::vector<std::string>& texts, bool with_shell,
                      const RunArguments& options, std::string& message) {
  for (const std::string& text : texts) {
    auto tool = parse_external_tool(text, with_shell, message);
    if (!tool) return false;
    DeclaredTool& made = out.emplace_back();
    made.name = tool->name;
    made.options.cache = std::ranges::count(options.cached_tools, tool->name) > 0;
    made.command.emplace(std::move(*tool), false);
  }
  return true;
}

bool declare_async(std::vector<DeclaredTool>& out, const std::vector<std::string>& texts, std::string& message) {
  for (const std::string& text : texts) {
    DeclaredTool& made = out.emplace_back();
    made.name = text.substr(0, text.find('='));
    made.options.mode = ToolMode::Async;
    if (text.find('=') == std::string::npos) continue;
    auto tool = parse_external_tool(text, false, message);
    if (!tool) return false;
    made.command.emplace(std::move(*tool), true);
  }
  return true;
}

bool is_same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, [](char c) { return c == '-' ? '_' : c; },
                            [](char c) { return c == '-' ? '_' : c; });
}

// The tool of that name that counts: the last one; one of exactly that name before others.
DeclaredTool* find(std::vector<DeclaredTool>& tools, std::string_view name) {
  DeclaredTool* found = nullptr;
  for (DeclaredTool& tool : tools) {
    if (tool.name == name) found = &tool;
  }
  if (found != nullptr) return found;
  for (DeclaredTool& tool : tools) {
    if (is_same_name(tool.name, name)) found = &tool;
  }
  return found;
}

DeclaredTool* tool_of(std::vector<DeclaredTool>& tools, std::string_view option, const std::string& text,
                      std::string& rest, std::string& message) {
  const std::size_t equals = text.find('=');
  DeclaredTool* const tool = find(tools, text.substr(0, equals));
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

// The cache is for tools with a command; others are never called by this process.
bool check_cached(const std::vector<DeclaredTool>& tools, const RunArguments& options, std::string& message) {
  for (const std::string& name : options.cached_tools) {
    const auto is_cached = [&](const DeclaredTool& tool) { return tool.name == name && tool.options.cache; };
    if (std::any_of(tools.begin(), tools.end(), is_cached)) continue;
    message = "--cache-tool " + name + ": there is no tool " + name + " with --tool or --tool-shell";
    return false;
  }
  return true;
}

bool set_effects(std::vector<DeclaredTool>& tools, const RunArguments& options, std::string& message) {
  for (const std::string& text : options.effects) {
    std::string name;
    DeclaredTool* const tool = tool_of(tools, "--tool-effect", text, name, message);
    if (tool == nullptr) return false;
    const auto effect = find_effect(name);
    if (!effect) {
      message = "--tool-effect " + text + ": the class must be one of " + effect_class_names();
      return false;
    }
    tool->options.effect = *effect;
    tool->has_effect = true;
  }
  return true;
}

bool set_reconcilers(std::vector<DeclaredTool>& tools, const RunArguments& options, std::string& message) {
  for (const std::string& text : options.reconcilers) {
    std::string command;
    DeclaredTool* const tool = tool_of(tools, "--tool-reconcile", text, command, message);
    if (tool == nullptr) return false;
    auto external = parse_external_tool(text, false, message);
    if (!external) return false;
    if (tool->options.effect != Effect::Reconcilable) {
      message = "--tool-reconcile " + text + ": has no effect without --tool-effect " + text.substr(0, text.find('=')) +
                "=reconcilable: give both, or leave it out";
      return false;
    }
    tool->options.reconcile = reconciler_of(std::move(*external));
  }
  return true;
}

// Reads the files of tools, in their order.
bool declare_files(std::vector<DeclaredTool>& out, const RunArguments& options, std::string& message) {
  for (const std::string& path : options.tools_files) {
    auto tools = read_tools_file(path, message);
    if (!tools) return false;
    std::ranges::move(*tools, std::back_inserter(out));
  }
  return true;
}

RunOptions run_options(const RunArguments& options, const SessionParts& parts, std::string source_name) {
  RunOptions out;
  out.id = options.run_id;
  out.tools = parts.tools;
  out.limits = options.limits.with_defaults();
  out.signature = options.signature;
  out.observer = parts.observer;
  out.journal = false;                           // load_journal() enables it
  out.name = std::move(source_name);
  out.float_precision = options.float_precision;
  out.strict_task_ids = options.strict_task_ids;
  out.check_tools = options.check_tools;
  out.hands_out_calls = true;
  return out;
}

}  // namespace

bool add_async_tools(CommandTools& tools, const std::vector<std::string>& texts, std::string& message) {
  std::vector<DeclaredTool> declared;
  if (!declare_async(declared, texts, message)) return false;
  return add_tools(tools, std::move(declared), message);
}

std::optional<std::vector<DeclaredTool>> declared_tools(const RunArguments& options, std::string& message) {
  std::vector<DeclaredTool> declared;
  if (!declare_files(declared, options, message) ||
      !declare_commands(declared, options.tools, false, options, message) ||
      !declare_commands(declared, options.shell_tools, true, options, message) ||
      !check_cached(declared, options, message) || !declare_async(declared, options.async_tools, message) ||
      !set_effects(declared, options, message) || !set_reconcilers(declared, options, message)) {
    return std::nullopt;
  }
  return declared;
}

std::optional<CommandTools> command_tools(const RunArguments& options, std::string& message) {
  auto declared = declared_tools(options, message);
  CommandTools out;
  if (!declared || !add_tools(out, *std::move(declared), message)) return std::nullopt;
  return out;
}

std::optional<std::string> context_edn(const Engine& engine, const RunArguments& options, std::string& message) {
  RunOptions limited;
  limited.limits = options.limits.with_defaults();
  auto session = Session::create(engine, limited);
  if (!session) {
    message = session.error().message;
    return std::nullopt;
  }
  if (!load_data(*session, options, message)) return std::nullopt;
  if (session->inputs_fit()) return session->data_edn();
  message = "memory_exceeded: the data does not fit into the memory of the run: give a larger --memory-bytes";
  return std::nullopt;
}

MadeSession make_session(const Engine& engine, const RunArguments& options, const SessionParts& parts,
                         std::string source_name, std::string& message) {
  MadeSession made;
  auto session = Session::create(engine, run_options(options, parts, std::move(source_name)));
  if (!session) {
    made.refusal = session.error().diagnostic;
    message = session.error().message;
    return made;
  }
  const auto load_memory = [&](const std::string& text) { return session->load_definitions(text); };
  const auto load_journal = [&](const std::string& text) { return session->load_journal(text); };
  if (load_data(*session, options, message) && load_text(*session, options.memory, message, load_memory) &&
      load_text(*session, options.journal, message, load_journal)) {
    made.session = std::move(*session);
  }
  return made;
}

}  // namespace ptcvm::cli

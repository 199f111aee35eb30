// Sessions as snapshots: what a suspended turn needs besides its run, and whether a host can go on with it.
#include <algorithm>
#include <map>

#include "runtime/text/result_rounding.h"
#include "runtime/session/session.h"
#include "vm/snapshot/state_fields.h"

namespace ptc {
namespace {

// Returns what a snapshot says about this class: nothing about unsafe tools, which are most of them.
std::string effect_text(EffectClass of) {
  return of == EffectClass::Unsafe ? std::string() : std::string(effect_class_name(of));
}

// Returns the class that a snapshot means by `text`, or nullopt when the text names no class.
std::optional<EffectClass> effect_in(const std::string& text) {
  return text.empty() ? EffectClass::Unsafe : find_effect_class(text);
}

HostTool host_tool(const Tool& tool) {
  return {tool.definition.name, signature_hash(tool.definition.signature), effect_text(tool.definition.effect),
          static_cast<std::uint8_t>(tool.definition.async)};
}

std::string quoted(const std::string& text) { return text.empty() ? "none" : '"' + text + '"'; }

std::string mode_text(std::uint8_t mode) {
  return mode < kToolModeNames.size() ? std::string(kToolModeNames[mode]) : "of an unknown mode";
}

// The capability report: everything that is missing or changed, or "".
std::string missing_capabilities(const HostState& state, const ToolRegistry& tools) {
  std::string report;
  const auto add = [&report](const std::string& line) { report += (report.empty() ? "" : "; ") + line; };
  for (const HostTool& wanted : state.tools) {
    const Tool* tool = tools.find(wanted.name);
    if (tool == nullptr) {
      add("tool " + wanted.name + " is missing");
      continue;
    }
    const HostTool now = host_tool(*tool);
    if (now.signature != wanted.signature) {
      add("tool " + wanted.name + ": its signature has changed, now it is " + quoted(tool->definition.signature));
    }
    if (effect_in(wanted.effect) != tool->definition.effect) {
      add("tool " + wanted.name + ": its effect was " + quoted(wanted.effect) + ", now " + quoted(now.effect));
    }
    if (now.mode != wanted.mode) {
      add("tool " + wanted.name + " was " + mode_text(wanted.mode) + ", now it is " + mode_text(now.mode));
    }
  }
  return report;
}

RestoreError refused_signature(const std::string& message) {
  return {SnapshotError::Refused, "signature of the result: " + message};
}

}  // namespace

HostState Session::host_state() const {
  HostState state;
  state.source_name = options_.source_name;
  state.signature = options_.signature;
  state.float_precision = options_.float_precision.value_or(-1);
  state.strict_task_ids = options_.strict_task_ids;
  state.check_tools = options_.check_tools;
  if (options_.limits.timeout_ms > 0) state.active_ms = run_.active_micros() / 1000;
  for (const std::string_view name : run_.tool_names()) {
    if (const Tool* tool = calls_.registry().find(name)) state.tools.push_back(host_tool(*tool));
  }
  state.cached_answers = calls_.cache().sorted();
  state.waits_for_host = last_step_ == SessionStep::Waits;
  state.approvals = gate_.saved();
  return state;
}

std::vector<std::uint8_t> Session::snapshot(const SnapshotOptions& options) const {
  return write_snapshot(run_, host_state(), options);
}

std::string Session::snapshot_json(const SnapshotOptions& options) const {
  return write_snapshot_json(run_, host_state(), options);
}

// Names what takes most of the room, so that the program can be changed. Values never take more bytes in a snapshot
// than on the heap: a run that is small there is not written for this.
std::optional<std::string> Session::snapshot_too_large() {
  if (run_.heap().bytes_used() <= options_.limits.snapshot_bytes) return std::nullopt;
  const std::size_t size = snapshot().size();
  if (size <= options_.limits.snapshot_bytes) return std::nullopt;
  std::string_view largest;
  std::uint64_t most = 0;
  run_.for_each_definition([&](std::string_view name, Value value) {
    const std::uint64_t bytes = written_size(run_.heap(), value, options_.limits.snapshot_bytes);
    if (bytes <= most) return;
    most = bytes;
    largest = name;
  });
  const std::string what =
      most > size / 4 ? "the definition of " + std::string(largest) : "values of the running program";
  return "the suspended program takes " + std::to_string(size) + " bytes, at most " +
         std::to_string(options_.limits.snapshot_bytes) + "; most of it is " + what;
}

// Takes over a restored run; what the session shares with its run is taken from there.
void Session::adopt(Restored restored) {
  forget_values();
  run_ = std::move(restored.run);
  context_ = retained(run_.context());
  for (const Value& value : run_.history()) history_.push_back(retained(value));
  for (auto& [key, value] : restored.host.cached_answers) calls_.cache().load(std::move(key), value);
  gate_.restore(restored.host.approvals);
  last_step_ = restored.host.waits_for_host && run_.in_turn() ? SessionStep::Waits
               : run_.suspended()                             ? SessionStep::Suspended
               : run_.in_turn()                               ? SessionStep::Yielded
                                                               : SessionStep::Over;
  const Environment& records = run_.environment();
  seen_prints_ = records.prints.size();
  seen_summaries_ = records.summaries.size();
  run_.environment().journal.keep_changes(outbox_.is_read());
  run_.set_yields_at_commits(options_.yields_at_commits);
  seen_operations_ = records.operations.all().size();
}

std::optional<RestoreError> Session::restart_from(std::span<const std::uint8_t> bytes) {
  RestoreOptions options;
  options.most = options_.limits;
  options.most_bytes = SIZE_MAX;   // its own
  options.programs = engine_.programs();
  options.memory = engine_.memory();
  options.check = [this](const HostState& state) { return missing_capabilities(state, calls_.registry()); };
  auto result = restore_snapshot(bytes, options);
  if (auto* error = std::get_if<RestoreError>(&result)) return std::move(*error);
  const std::int64_t clock = run_.clock();
  adopt(std::get<Restored>(std::move(result)));
  run_.set_clock(clock);
  return std::nullopt;
}

std::variant<std::unique_ptr<Session>, RestoreError> Session::restore(const Engine& engine,
                                                                      std::span<const std::uint8_t> bytes,
                                                                      std::shared_ptr<const ToolRegistry> tools,
                                                                      const SessionRestore& wanted) {
  RestoreOptions options;
  options.most = wanted.most;
  options.most_bytes = wanted.most_bytes;
  options.programs = engine.programs();
  options.memory = engine.memory();
  options.check = [&tools](const HostState& state) { return missing_capabilities(state, *tools); };
  auto result = restore_snapshot(bytes, options);
  if (auto* error = std::get_if<RestoreError>(&result)) return std::move(*error);
  auto session = made(engine, std::get<Restored>(std::move(result)), std::move(tools), wanted);
  if (session->signature_error()) return refused_signature(session->signature_error_);
  return session;
}

std::unique_ptr<Session> Session::made(const Engine& engine, Restored restored,
                                       std::shared_ptr<const ToolRegistry> tools, const SessionRestore& wanted) {
  SessionOptions own;
  own.limits = restored.run.limits();
  if (own.limits.timeout_ms > 0) restored.run.add_active_micros(restored.host.active_ms * 1000);
  if (restored.host.float_precision >= 0) own.float_precision = restored.host.float_precision;
  own.signature = restored.host.signature;
  own.source_name = restored.host.source_name;
  own.strict_task_ids = restored.host.strict_task_ids;
  own.check_tools = restored.host.check_tools;
  own.run_id = restored.run.run_id();
  own.yields_at_commits = wanted.yields_at_commits;
  own.fixed_clock_millis = wanted.fixed_clock_millis;
  own.slice_fuel = wanted.slice_fuel;
  auto session = std::make_unique<Session>(engine, std::move(own));
  session->calls().share_tools(std::move(tools));
  session->adopt(std::move(restored));
  return session;
}

}  // namespace ptc

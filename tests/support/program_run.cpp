// The driver of the program tests: a Session fed from the file, with recorded tool answers in place of a host.
#include "support/program_run.h"

#include <algorithm>
#include <memory>
#include <variant>

#include "compiler/compile.h"
#include "runtime/text/edn.h"
#include "schema/fault_kind.h"
#include "support/replay.h"
#include "vm/builtins/regex.h"
#include "vm/value/calendar.h"
#include "vm/exec/program.h"
#include "vm/value/map.h"
#include "vm/value/print.h"

namespace ptc::test {
namespace {

constexpr std::int64_t kClock = 1'000'000;

std::string edn_text(Heap& heap, Value value) {
  std::string text;
  append_edn(text, value, heap);
  return text;
}

// Registers the tools of the file; recorded answers take the place of a host.
std::string load_tools(ToolRegistry& tools, const ProgramFile& file, ToolReplay& replay) {
  for (const RecordedCall& call : file.calls) {
    if (const auto complaint = replay.add(call)) return *complaint;
  }
  for (const auto& [name, mode] : file.tools) {
    ToolDefinition definition;
    definition.name = name;
    definition.async = mode;
    const ToolHandler answer_now = [&replay](const ToolCall& call) { return replay.answer(call); };
    tools.add(std::move(definition), mode == AsyncMode::No ? answer_now : ToolHandler(ToolReplay::start));
  }
  return {};
}

std::string load_inputs(Session& session, const ProgramFile& file) {
  std::optional<std::string> complaint;
  if (!file.memory_edn.empty()) complaint = session.definitions().load(file.memory_edn);
  if (!complaint && !file.data_edn.empty()) complaint = session.inputs().load_context(file.data_edn);
  if (!complaint && !file.journal_edn.empty()) complaint = session.journal().load(file.journal_edn);
  if (!complaint && !file.history_edn.empty()) complaint = session.inputs().load_history(file.history_edn);
  if (!complaint && !file.budget_edn.empty()) complaint = session.inputs().load_budget(file.budget_edn);
  if (file.has_journal) session.journal().enable();
  return complaint.value_or("");
}

std::vector<std::string> memory_names(Session& session, const ProgramFile& file) {
  std::vector<std::string> names;
  if (file.memory_edn.empty()) return names;
  std::string complaint;
  const std::optional<Value> memory = session.edn().read(file.memory_edn, {}, complaint);
  if (!memory) return names;
  {
    MapCursor cursor(session.heap(), *memory);
    while (cursor.next()) names.push_back(edn_text(session.heap(), cursor.key()).substr(1));
  }
  session.heap().release(*memory);
  return names;
}

OutcomeFault fault_of(const CompileError& error) {
  OutcomeFault fault;
  fault.kind = error.kind;
  fault.message = error.message;
  fault.span = error.span;
  return fault;
}

// Compiles beside the engine, so that the program can be written as bytes or left unoptimized.
Outcome turn_compiled_apart(Session& session, const ProgramFile& file, Mode mode, std::string& complaint) {
  const std::vector<std::string> names = memory_names(session, file);
  CompileOptions options;
  options.memory_names.assign(names.begin(), names.end());
  options.tool_names = session.tools().names();
  options.sync_tool_names = session.tools().sync_names();
  options.check_tools = !session.tools().empty();
  options.max_symbols = file.options.limits.symbols;
  options.optimize = mode != Mode::Plain;
  options.check_regex = regex_check;
  options.check_moment = is_temporal_text;
  CompileResult compiled = compile(file.source, options);
  if (compiled.program == nullptr) {
    Outcome outcome;
    outcome.fault = fault_of(compiled.error);
    return outcome;
  }
  auto loaded = mode == Mode::Plain ? Program::from_compiler(*compiled.program)
                                    : Program::from_bytes(program_bytes(*compiled.program));
  if (const auto* refused = std::get_if<ProgramError>(&loaded)) {
    complaint = "verifier: " + refused->message + " in function " + std::to_string(refused->function) + " at pc " +
                std::to_string(refused->pc);
    return {};
  }
  return session.turn(std::get<std::shared_ptr<const Program>>(std::move(loaded)));
}

// The turn is written, destroyed and restored; what was restored writes the same bytes.
std::optional<std::string> go_on_from_bytes(Session& session) {
  const std::vector<std::uint8_t> bytes = session.snapshot();
  const std::uint64_t used = session.heap().bytes_used();
  if (const auto error = session.restart_from(bytes)) return error->message;
  if (session.heap().bytes_used() != used) return "restored with another number of bytes in use";
  if (session.snapshot() != bytes) return "restored, and writes other bytes";
  return std::nullopt;
}

std::optional<std::string> go_on_from_json(Session& session) {
  const std::string text = session.snapshot_json();
  const std::vector<std::uint8_t> bytes = session.snapshot();
  if (const auto error = session.restart_from({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()})) {
    return error->message;
  }
  if (session.snapshot() != bytes) return "restored from JSON, and writes other bytes";
  return std::nullopt;
}

bool is_suspended(Mode mode) {
  return mode == Mode::Suspended || mode == Mode::SuspendedLifo || mode == Mode::SuspendedJson;
}

ResolveOrder order_of(Mode mode) {
  constexpr std::uint64_t kSeed = 20'260;
  if (mode == Mode::Shuffled) return ResolveOrder::shuffled(kSeed);
  return mode == Mode::Lifo || mode == Mode::SuspendedLifo ? ResolveOrder::lifo() : ResolveOrder::fifo();
}

std::string texts_edn(const std::vector<std::string>& texts) {
  std::string edn = "[";
  for (const std::string& entry : texts) {
    if (edn.size() > 1) edn += ' ';
    append_quoted(edn, entry);
  }
  return edn + ']';
}

void take_outcome(Outcome&& outcome, Observation& seen) {
  seen.status = outcome.status;
  seen.value_edn = std::move(outcome.value_edn);
  if (outcome.status == OutcomeStatus::Error) {
    seen.kind = fault_name(outcome.fault.kind);
    seen.message = std::move(outcome.fault.message);
    seen.line = outcome.fault.span.line;
    seen.column = outcome.fault.span.column;
  }
  if (outcome.status == OutcomeStatus::Suspended) {
    std::vector<std::string> waits_for;
    for (const PendingOutcome& operation : outcome.pending) {
      if (operation.awaited) waits_for.push_back(operation.operation);
    }
    seen.value_edn = texts_edn(waits_for);
  }
  for (const ToolOutcome& call : outcome.tool_calls) {
    if (!call.cached) seen.calls.push_back(call.name + ' ' + call.args_edn);
    seen.tool_calls.push_back(call.name + ' ' + call.args_edn + ' ' + (call.failed ? call.error : call.result_edn));
  }
  seen.prints = std::move(outcome.prints);
  seen.fuel = outcome.fuel;
  seen.peak_bytes = outcome.peak_bytes;
  seen.summaries_edn = "{";
  for (const auto& [id, text] : outcome.summaries) {
    if (seen.summaries_edn.size() > 1) seen.summaries_edn += ' ';
    append_quoted(seen.summaries_edn, id);
    seen.summaries_edn += ' ';
    append_quoted(seen.summaries_edn, text);
  }
  seen.summaries_edn += '}';
}

void take_entries(Heap& heap, Value borrowed_journal, Observation& seen) {
  MapCursor cursor(heap, borrowed_journal);
  while (cursor.next()) {
    seen.journal.emplace_back(edn_text(heap, cursor.key()), edn_text(heap, cursor.value()));
  }
}

// {"id" value …} of the session, taken apart again by reading it: in a heap of its own, because the run may have come
// to the end of its memory. Only functions need the session.
void take_journal(Session& session, Observation& seen) {
  const std::optional<std::string> text = session.journal().edn();
  if (!text) return;
  seen.commits_edn = *text;
  Heap heap;
  auto read = read_edn(heap, *text);
  if (const Value* const journal = std::get_if<Value>(&read)) {
    take_entries(heap, *journal, seen);
    heap.release(*journal);
    return;
  }
  std::string complaint;
  const std::optional<Value> journal = session.edn().read(*text, {}, complaint);
  if (!journal || !journal->is_map()) return;
  take_entries(session.heap(), *journal, seen);
  session.heap().release(*journal);
}

}  // namespace

Observation observe(const Engine& engine, const ProgramFile& file, Mode mode, std::optional<std::uint64_t> fuel_limit,
                    std::uint64_t slice_fuel) {
  Observation seen;
  SessionOptions options = file.options;
  if (fuel_limit) options.limits.fuel = *fuel_limit;
  if (mode == Mode::Stepped || is_suspended(mode)) options.slice_fuel = slice_fuel;
  if (!options.fixed_clock_millis) options.fixed_clock_millis = kClock;
  Session session(engine, options);
  ToolReplay replay;
  if (is_suspended(mode)) session.set_step_hook(mode == Mode::SuspendedJson ? go_on_from_json : go_on_from_bytes);
  seen.setup_complaint = load_inputs(session, file);
  if (seen.setup_complaint.empty()) seen.setup_complaint = load_tools(session.tools(), file, replay);
  if (!seen.setup_complaint.empty()) return seen;
  const bool apart = mode == Mode::Bytes || mode == Mode::Plain;
  Outcome outcome =
      apart ? turn_compiled_apart(session, file, mode, seen.setup_complaint) : session.turn(file.source);
  ResolveOrder order = order_of(mode);
  take_outcome(finish_from_replay(session, replay, order, std::move(outcome)), seen);
  seen.memory_edn = session.definitions().edn();
  take_journal(session, seen);
  return seen;
}

Observation observe_rest(const Engine& engine, const ProgramFile& file, std::span<const std::uint8_t> snapshot,
                         SessionRestore wanted) {
  Observation seen;
  ToolReplay replay;
  ToolRegistry tools;
  seen.setup_complaint = load_tools(tools, file, replay);
  if (!seen.setup_complaint.empty()) return seen;
  wanted.fixed_clock_millis = file.options.fixed_clock_millis.value_or(kClock);
  auto restored = Session::restore(engine, snapshot, std::move(tools), wanted);
  if (const auto* error = std::get_if<RestoreError>(&restored)) {
    seen.setup_complaint = std::string(snapshot_error_name(error->kind)) + ": " + error->message;
    return seen;
  }
  Session& session = *std::get<std::unique_ptr<Session>>(restored);
  ResolveOrder order = ResolveOrder::fifo();
  Outcome outcome = session.run().suspended() ? session.suspended_outcome() : session.resume();
  take_outcome(finish_from_replay(session, replay, order, std::move(outcome)), seen);
  seen.memory_edn = session.definitions().edn();
  take_journal(session, seen);
  return seen;
}

std::vector<std::vector<std::uint8_t>> snapshots_of(const Engine& engine, const ProgramFile& file,
                                                    std::uint64_t slice_fuel, const std::function<bool()>& take) {
  std::vector<std::vector<std::uint8_t>> taken;
  SessionOptions options = file.options;
  options.slice_fuel = slice_fuel;
  if (!options.fixed_clock_millis) options.fixed_clock_millis = kClock;
  Session session(engine, options);
  ToolReplay replay;
  if (!load_inputs(session, file).empty() || !load_tools(session.tools(), file, replay).empty()) return taken;
  session.set_step_hook([&](Session& at) -> std::optional<std::string> {
    if (take()) taken.push_back(at.snapshot());
    return std::nullopt;
  });
  ResolveOrder order = ResolveOrder::fifo();
  finish_from_replay(session, replay, order, session.turn(file.source));
  return taken;
}

bool is_part_of(const std::vector<std::string>& part, const std::vector<std::string>& whole, bool with_gaps) {
  auto at = whole.begin();
  for (const std::string& text : part) {
    while (with_gaps && at != whole.end() && *at != text) ++at;
    if (at == whole.end() || *at != text) return false;
    ++at;
  }
  return true;
}

bool waits(const ProgramFile& file) {
  return std::any_of(file.tools.begin(), file.tools.end(),
                     [](const auto& tool) { return tool.second != AsyncMode::No; });
}

std::string journal_text(const Observation& seen) {
  std::string text = "{";
  for (const auto& [id, value] : seen.journal) {
    if (text.size() > 1) text += ' ';
    text += id + ' ' + value;
  }
  return text + '}';
}

std::string prints_text(const Observation& seen) { return texts_edn(seen.prints); }

namespace {

std::string result_text(const Observation& seen) {
  if (seen.status == OutcomeStatus::Error) {
    return "!! " + seen.kind + " at " + std::to_string(seen.line) + ':' + std::to_string(seen.column) + " (" +
           seen.message + ')';
  }
  const std::string_view arrow = seen.status == OutcomeStatus::Ok ? "=>" : outcome_status_name(seen.status);
  return std::string(arrow) + ' ' + seen.value_edn;
}

void compare(std::string& out, std::string_view what, const std::optional<std::string>& expected,
             const std::string& seen) {
  if (!expected || *expected == seen) return;
  const std::string label = "    " + std::string(what);
  out += label + " expected " + *expected + '\n' + label + " seen     " + seen + '\n';
}

}  // namespace

std::string difference_from(const Expectation& expect, const Observation& seen) {
  if (!seen.setup_complaint.empty()) return "    " + seen.setup_complaint + '\n';
  std::string out;
  bool same = expect.status == seen.status;
  if (same && expect.status == OutcomeStatus::Error) {
    const bool placed = (seen.line >= 1 && seen.column >= 1) || seen.kind == "validation_error";   // has no place
    same = (expect.kind.empty() || expect.kind == seen.kind) && placed &&
           (expect.line == 0 || expect.line == seen.line) && (expect.column == 0 || expect.column == seen.column);
  } else if (same) {
    same = expect.value_edn == seen.value_edn;
  }
  if (!same) {
    std::string wanted = expect.value_edn;
    if (expect.status == OutcomeStatus::Error) {
      wanted = "!! " + expect.kind + " at " + std::to_string(expect.line) + ':' + std::to_string(expect.column);
    } else if (expect.status != OutcomeStatus::Ok) {
      wanted = std::string(outcome_status_name(expect.status)) + ' ' + wanted;
    }
    out += "    expected " + wanted + "\n    seen     " + result_text(seen) + '\n';
  }
  compare(out, "prints", expect.prints_edn, prints_text(seen));
  compare(out, "journal", expect.journal_edn, journal_text(seen));
  compare(out, "memory", expect.memory_edn, seen.memory_edn);
  compare(out, "summaries", expect.summaries_edn, seen.summaries_edn);
  compare(out, "calls", expect.calls_edn, texts_edn(seen.calls));
  if (seen.message.find(expect.says) == std::string::npos) out += "    says nothing of: " + expect.says + '\n';
  return out;
}

std::string observation_text(const Observation& seen) {
  std::string out = result_text(seen) + '\n';
  const auto line = [&out](std::string_view what, const std::string& text) {
    out.append(what).append(" ").append(text) += '\n';
  };
  for (const std::string& print : seen.prints) line("prints", texts_edn({print}));
  line("journal", journal_text(seen));
  line("memory", seen.memory_edn);
  line("summaries", seen.summaries_edn);
  for (const std::string& call : seen.tool_calls) line("called", call);
  return out;
}

std::string difference_between(const Observation& first, const Observation& second) {
  if (!second.setup_complaint.empty()) return "    " + second.setup_complaint + '\n';
  std::string out;
  compare(out, "result", result_text(first), result_text(second));
  compare(out, "prints", prints_text(first), prints_text(second));
  compare(out, "journal", journal_text(first), journal_text(second));
  compare(out, "commits", first.commits_edn, second.commits_edn);
  compare(out, "memory", first.memory_edn, second.memory_edn);
  compare(out, "summaries", first.summaries_edn, second.summaries_edn);
  compare(out, "tool calls", texts_edn(first.tool_calls), texts_edn(second.tool_calls));
  compare(out, "fuel", std::to_string(first.fuel), std::to_string(second.fuel));
  return out;
}

}  // namespace ptc::test

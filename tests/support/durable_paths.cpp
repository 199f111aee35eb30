#include "support/durable_paths.h"

#include <algorithm>

#include "runtime/durable/durable_run.h"
#include "runtime/text/edn.h"
#include "runtime/durable/answers.h"
#include "runtime/log/fact_json.h"
#include "runtime/log/forwarding_store.h"
#include "runtime/log/memory_store.h"
#include "runtime/log/run_log.h"
#include "support/replay.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/string.h"

namespace ptc::test {
namespace {

constexpr std::int64_t kClock = 1'000'000;
constexpr std::uint32_t kMostOpenings = 300;
constexpr const char* kRun = "r";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Of op1, op1.0.1; `at`: there is none.
std::size_t id_end(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with("op") || (at > 0 && is_word(text[at - 1]))) return at;
  std::size_t end = at + 2;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end == at + 2) return at;
  while (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) {
    for (++end; end < text.size() && is_digit(text[end]);) ++end;
  }
  return end;
}

// A store that parks runs like any other, and has lost what was parked when it is asked.
class ForgetfulStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  StoreResult<std::optional<Parked>> parked(std::string_view) override { return std::optional<Parked>(); }
};

// The program with its host: tools that answer from the file, now or when it waits.
class PathRun {
 public:
  PathRun(const Engine& engine, const ProgramFile& file, Path path, bool waits_at_calls)
      : engine_(engine), file_(file), forgetful_(memory_), path_(path), waits_at_calls_(waits_at_calls) {}

  PathResult run() {
    result_.complaint = begin();
    while (result_.complaint.empty()) {
      const DurableOutcome done = open();
      if (done.end == DurableEnd::Refused) result_.complaint = done.message;
      if (done.end == DurableEnd::StoreFailed) result_.complaint = done.error.message;
      take(done);
      if (done.end != DurableEnd::Suspended || !result_.complaint.empty()) break;
      if (result_.openings == kMostOpenings) result_.complaint = "does not come to an end";
      if (!answer_what_waits() && !pass_time(done.outcome)) break;
    }
    read_facts();
    return std::move(result_);
  }

 private:
  std::string begin() {
    for (const RecordedCall& call : file_.calls) {
      if (const auto complaint = replay_.add(call)) return *complaint;
    }
    for (const auto& [name, mode] : file_.tools) {
      ToolDefinition definition;
      definition.name = name;
      definition.effect = EffectClass::Keyed;
      definition.async = mode == AsyncMode::No && waits_at_calls_ ? AsyncMode::Auto : mode;
      const bool answers_now = definition.async == AsyncMode::No;
      tools_.add(std::move(definition), [this, answers_now](const ToolCall& call) {
        ++result_.tool_calls;
        return answers_now ? replay_.answer(call) : ToolReplay::start(call);
      });
    }
    return file_.journal_edn.empty() ? "" : put_journal();
  }

  // What the file gives as a journal is in the log from the start.
  std::string put_journal() {
    auto read = read_edn(heap_, file_.journal_edn);
    const auto* journal = std::get_if<Value>(&read);
    if (journal == nullptr || !journal->is_map()) return "its journal cannot be read";
    const Owned owned(heap_, *journal);
    for (MapCursor entry(heap_, *journal); entry.next();) {
      std::string id, value;
      if (!entry.key().is_string()) return "its journal cannot be read";
      id = string_view_of(entry.key());
      append_edn(value, entry.value(), heap_);
      put_external(memory_, kRun, id, value, std::nullopt, {"file", now_});
    }
    return {};
  }

  DurableOutcome open() {
    ++result_.openings;
    DurableOptions options;
    options.session = file_.options;
    options.session.run_id = kRun;
    if (!options.session.fixed_clock_millis) options.session.fixed_clock_millis = kClock;
    options.context = file_.data_edn;
    options.owner = "test";
    options.now_ms = [this] { return now_; };
    options.prepare = [this](Session& session) -> std::optional<std::string> {
      std::optional<std::string> complaint;
      if (!file_.memory_edn.empty()) complaint = session.definitions().load(file_.memory_edn);
      if (!complaint && !file_.history_edn.empty()) complaint = session.inputs().load_history(file_.history_edn);
      if (!complaint && !file_.budget_edn.empty()) complaint = session.inputs().load_budget(file_.budget_edn);
      return complaint;
    };
    FactStore& store = path_ == Path::Slow ? static_cast<FactStore&>(forgetful_) : memory_;
    return run_durably(engine_, store, tools_, file_.source, options);
  }

  void take(const DurableOutcome& done) {
    const Outcome& outcome = done.outcome;
    result_.end = std::string(outcome_status_name(outcome.status)) + ' ' + outcome.value_edn;
    if (outcome.status == OutcomeStatus::Error) {
      result_.end += std::string(fault_name(outcome.fault.kind)) + ": " + outcome.fault.message + " at " +
                     std::to_string(outcome.fault.span.line) + ':' + std::to_string(outcome.fault.span.column);
    }
    result_.prints = outcome.prints;
  }

  std::vector<Fact> facts() { return std::get<std::vector<Fact>>(memory_.read(kRun, 0, SIZE_MAX)); }

  // Returns false when nobody has anything to say.
  bool answer_what_waits() {
    RunLog log;
    for (const Fact& fact : facts()) log.add(fact);
    bool any = false;
    for (const LoggedOperation& operation : log.operations()) {
      const bool is_tool = operation.tool != "sleep" && operation.tool != "await-signal";
      if (is_tool && operation.is_opened && operation.status.empty()) any |= answer(operation);
    }
    return any;
  }

  bool answer(const LoggedOperation& operation) {
    auto args = read_edn(heap_, operation.args);
    if (!std::holds_alternative<Value>(args)) return false;
    const Owned owned(heap_, std::get<Value>(args));
    const ToolReply reply = replay_.answer({operation.tool, owned.get(), heap_, std::nullopt, nullptr, {}});
    const Owned result(heap_, reply.result);
    std::string value;
    if (!reply.failed) append_edn(value, reply.result, heap_);
    answer_operation(memory_, kRun, operation.id, reply.failed ? "error" : "ok", value, reply.message,
                     {"worker", now_});
    return true;
  }

  bool pass_time(const Outcome& outcome) {
    if (!outcome.next_deadline_ms) return false;
    now_ = std::max(now_, *outcome.next_deadline_ms);
    return true;
  }

  void read_facts() {
    for (Fact fact : facts()) {
      const bool is_note = fact.kind == FactKind::RunStarted || fact.kind == FactKind::RunSuspended ||
                           fact.kind == FactKind::RunResumed;
      if (is_note) continue;
      if (fact.kind == FactKind::OperationOpened) {
        result_.operations.emplace(fact.id, fact.tool + " of " + fact.idempotency_key);
      }
      fact.seq = fact.writer = 0;
      fact.time_ms = 0;
      result_.facts.push_back(fact_json(fact));
    }
    const bool has_branches = file_.source.find("pmap") != std::string::npos ||
                              file_.source.find("pcalls") != std::string::npos;
    for (std::string& fact : result_.facts) fact = renamed(fact);
    for (std::string& print : result_.prints) print = renamed(print);
    result_.end = renamed(result_.end);
    if (has_branches) std::sort(result_.facts.begin(), result_.facts.end());
  }

  // The ids that the run gave to operations say which calls they are of. A program that begins at the top counts anew
  // what is left to be opened: ids are names, the same call is found by its key.
  std::string renamed(std::string_view text) const {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = id_end(text, at);
      const auto known = result_.operations.find(text.substr(at, end - at));
      if (end == at || known == result_.operations.end()) {
        out += text[at++];
      } else {
        out += '<' + known->second + '>';
        at = end;
      }
    }
    return out;
  }

  const Engine& engine_;
  const ProgramFile& file_;
  Heap heap_{std::uint64_t{64} << 20};
  MemoryStore memory_;
  ForgetfulStore forgetful_;
  const Path path_;
  const bool waits_at_calls_;
  ToolReplay replay_;
  ToolRegistry tools_;
  std::int64_t now_ = kClock;
  PathResult result_;
};

void compare(std::string& out, std::string_view what, const std::vector<std::string>& fast,
             const std::vector<std::string>& slow) {
  const auto [a, b] = std::mismatch(fast.begin(), fast.end(), slow.begin(), slow.end());
  if (a == fast.end() && b == slow.end()) return;
  const std::string place = "  " + std::string(what) + ' ' + std::to_string(a - fast.begin() + 1);
  out += place + " fast: " + (a == fast.end() ? "nothing" : *a) + '\n';
  out += place + " slow: " + (b == slow.end() ? "nothing" : *b) + '\n';
}

// Returns whether the part is there in order, with gaps: a task that is a hit now does not print again.
bool is_part_of(const std::vector<std::string>& part, const std::vector<std::string>& whole) {
  auto at = whole.begin();
  return std::all_of(part.begin(), part.end(), [&](const std::string& text) {
    at = std::find(at, whole.end(), text);
    return at != whole.end() && at++ != whole.end();
  });
}

}  // namespace

PathResult run_on_path(const Engine& engine, const ProgramFile& file, Path path, bool waits_at_calls) {
  return PathRun(engine, file, path, waits_at_calls).run();
}

std::string difference_of_paths(const PathResult& fast, const PathResult& slow) {
  std::string out;
  compare(out, "complaint", {fast.complaint}, {slow.complaint});
  compare(out, "end", {fast.end}, {slow.end});
  compare(out, "fact", fast.facts, slow.facts);
  if (!is_part_of(slow.prints, fast.prints)) compare(out, "print", fast.prints, slow.prints);
  compare(out, "tool calls", {std::to_string(fast.tool_calls)}, {std::to_string(slow.tool_calls)});
  return out;
}

}  // namespace ptc::test

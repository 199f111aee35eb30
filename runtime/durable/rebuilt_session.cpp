#include "runtime/durable/rebuilt_session.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/durable/durable_run.h"
#include "runtime/durable/turn_options.h"
#include "runtime/log/log_writer.h"
#include "runtime/log/memory_store.h"
#include "runtime/log/run_move.h"
#include "runtime/log/take_answer.h"

namespace ptc {
namespace {

// A turn whose definitions stayed: the facts before its end, and how it began.
struct PastTurn {
  std::uint64_t number = 0;
  std::size_t facts = 0;
  std::int64_t began_ms = 0, ended_ms = 0;
  LoggedStart start;
  std::string complaint;   // says what others did to the turn while it waited, which a run from the top sees too early
};

bool keeps_definitions(const LoggedStart& start) {
  SessionOptions begun;
  return !read_turn_options(start.limits, begun) && begun.keeps_session;
}

// Returns why a turn with this fact in its middle cannot be executed again from its top, or "".
std::string complaint_about(const Fact& fact) {
  if (fact.kind == FactKind::TaskReset && fact.author != FactAuthor::Program) {
    return "task " + fact.id + " was reset from outside before its end";
  }
  if (fact.kind == FactKind::ExternalValue && fact.number > 1) {
    return "the value " + fact.id + " was replaced from outside before its end";
  }
  return {};
}

std::vector<PastTurn> past_turns(const std::vector<Fact>& facts, std::uint64_t before) {
  std::vector<PastTurn> out;
  RunLog log;
  std::int64_t began_ms = 0;
  std::string complaint;
  for (std::size_t k = 0; k < facts.size(); ++k) {
    const Fact& fact = facts[k];
    log.add(fact);
    if (fact.kind == FactKind::RunStarted) {
      began_ms = fact.time_ms;
      complaint.clear();
    }
    if (complaint.empty()) complaint = complaint_about(fact);
    if (fact.kind != FactKind::TurnEnded || !log.last_start() || log.turn() >= before) continue;
    // A fault takes back what its turn has defined; (fail …) does not.
    const bool is_fault = fact.status == outcome_status_name(OutcomeStatus::Error);
    if (is_fault || !keeps_definitions(*log.last_start())) continue;
    out.push_back({log.turn(), k, began_ms, fact.time_ms, *log.last_start(), complaint});
  }
  return out;
}

class TurnAgain {
 public:
  TurnAgain(const Engine& engine, const std::shared_ptr<const ToolRegistry>& tools, const PastTurn& turn,
            const DurableOptions& given)
      : engine_(engine), tools_(tools), turn_(turn), options_(given), now_ms_(turn.began_ms) {
    options_.program = nullptr;
    options_.plan.reset();
    options_.dead_token.reset();
    options_.owner.clear();
    options_.again = false;
    options_.on_session = nullptr;
    options_.reader = nullptr;
    options_.parks = nullptr;
    options_.session.keeps_session = true;
    options_.session.resets_need_reasons = false;   // unless the turn was begun so
    options_.now_ms = [this] { return now_ms_; };
  }
  TurnAgain(const TurnAgain&) = delete;
  TurnAgain& operator=(const TurnAgain&) = delete;

  // Executes the turn on a log of these facts, and replaces the session. Returns "" or why that is not possible.
  StoreResult<std::string> execute(std::vector<Fact> facts, std::vector<std::uint8_t>& session) {
    if (!turn_.complaint.empty()) return turn_.complaint;
    if (auto complaint = go_on_as_begun(turn_.start, options_)) return *std::move(complaint);
    Arrival before;
    before.log = options_.session.run_id;
    for (const Fact& fact : facts) before.token = std::max(before.token, fact.writer);
    before.facts = std::move(facts);
    if (!session.empty()) {
      before.parked.emplace();
      before.parked->continuation = before.log;
      before.parked->snapshot = session;
    }
    MemoryStore store;
    PTC_TAKE(arrived, store.arrive(before, now_ms_));
    if (!arrived) return std::string("its log cannot be copied");
    DurableRun run(engine_, store, tools_, turn_.start.source, options_);
    std::string complaint = drive(run);
    if (!complaint.empty()) return complaint;
    PTC_TAKE(parked, store.parked(before.log));
    if (!parked) return std::string("it leaves no definitions");
    session = parked->whole_snapshot();
    return std::string();
  }

 private:
  std::string drive(DurableRun& run) {
    for (;;) {
      switch (run.step()) {
        case DurableStep::Yielded: continue;
        case DurableStep::Waits: break;
        case DurableStep::Done:
          // Sleeps end with the turn: at their first look the clock is where the turn began.
          if (run.outcome().end == DurableEnd::Suspended && now_ms_ < turn_.ended_ms) {
            now_ms_ = turn_.ended_ms;
            continue;
          }
          return complaint_about_end(run.outcome());
      }
      if (run.calls().empty()) return "the log lacks the end of a call that was made several times";
      const auto& [id, call] = *run.calls().begin();
      const ToolDefinition& tool = call.tool->definition;
      const bool is_pure = tool.effect == EffectClass::Pure;
      if (!is_pure || tool.deferred) {
        return "the log has no answer of its call of " + tool.name +
               (is_pure ? ", which is a pure tool: answers of pure tools are in no log" : "");
      }
      run.make(id);
    }
  }

  static std::string complaint_about_end(const DurableOutcome& done) {
    switch (done.end) {
      case DurableEnd::Ended:
        if (done.outcome.status != OutcomeStatus::Error) return {};
        return std::string(fault_name(done.outcome.fault.kind)) + ": " + done.outcome.fault.message;
      case DurableEnd::EndedBefore: return {};
      case DurableEnd::Suspended: return "the log has no answer for which it waits";
      case DurableEnd::InDoubt:
        return "nobody knew at its end whether its call of " + done.doubts.at(0).tool + " happened";
      case DurableEnd::StoreFailed: return done.error.message;
      case DurableEnd::Busy:
      case DurableEnd::Refused: break;
    }
    return done.message;
  }

  const Engine& engine_;
  const std::shared_ptr<const ToolRegistry>& tools_;
  const PastTurn& turn_;
  DurableOptions options_;
  std::int64_t now_ms_;
};

}  // namespace

StoreResult<RebuiltSession> rebuild_session(const Engine& engine, FactStore& store,
                                            const std::shared_ptr<const ToolRegistry>& tools, std::uint64_t turn,
                                            const DurableOptions& options) {
  PTC_TAKE(facts, all_facts(store, options.session.run_id));
  RebuiltSession out;
  for (const PastTurn& past : past_turns(facts, turn)) {
    std::vector<Fact> before(facts.begin(), facts.begin() + static_cast<std::ptrdiff_t>(past.facts));
    TurnAgain again(engine, tools, past, options);
    PTC_TAKE(complaint, again.execute(std::move(before), out.snapshot));
    if (complaint.empty()) continue;
    out.snapshot.clear();
    out.complaint = "turn " + std::to_string(past.number) + ": " + complaint;
    break;
  }
  return out;
}

}  // namespace ptc

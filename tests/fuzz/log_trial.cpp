#include "fuzz/log_trial.h"

#include "fuzz/fuzz_target.h"
#include "runtime/durable/durable_run.h"
#include "runtime/log/store_rules.h"
#include "support/snapshot_drive.h"

namespace ptc::fuzz {
namespace {

constexpr std::string_view kSource =
    "(do (step-done \"a\" \"first\")"
    " [(task \"t\" (tool/charge {:n 1})) (task \"u\" (await (tool/later {:n 2}))) (tool/ask {}) (tool/keyed {:n 3})])";
constexpr std::int64_t kLogTime = 1'000'000;
constexpr std::size_t kMost = 50;

const Engine& engine() {
  static const Engine shared;
  return shared;
}

const ToolRegistry& tools() {
  static const ToolRegistry shared = [] {
    ToolRegistry registry;
    const auto add = [&](const char* name, EffectClass effect, AsyncMode mode) {
      ToolDefinition definition;
      definition.name = name;
      definition.effect = effect;
      definition.async = mode;
      registry.add(std::move(definition), [mode](const ToolCall&) {
        return mode == AsyncMode::No ? ToolReply::value(Value::integer(1)) : ToolReply::pending();
      });
    };
    add("charge", EffectClass::Unsafe, AsyncMode::No);
    add("later", EffectClass::Idempotent, AsyncMode::Yes);
    add("ask", EffectClass::Pure, AsyncMode::No);
    add("keyed", EffectClass::Keyed, AsyncMode::No);
    return registry;
  }();
  return shared;
}

// A run whose source is refused would say nothing about its log.
bool program_compiles() {
  constexpr std::string_view kTools[] = {"charge", "later", "ask", "keyed"};
  CompileRequest request;
  request.source = kSource;
  request.tool_names = kTools;
  return engine().compile(request).program != nullptr;
}

}  // namespace

void write_log(FactStore& store, const std::string& log, std::span<const Fact> facts) {
  const auto claimed = store.claim(log, "writer", kLogTime, 1);
  const auto* const claim = std::get_if<Claim>(&claimed);
  if (claim == nullptr || !claim->granted) return;
  std::uint64_t head = 0;
  for (const Fact& fact : facts) {
    if (has_decision({&fact, 1})) {
      const auto decided = store.decide(log, {claim->token, head}, {&fact, 1});
      if (const auto* done = std::get_if<Decided>(&decided)) head = done->head;
    } else if (const auto put = store.put(log, Cut::blind(claim->token), {&fact, 1}); put.index() == 0) {
      ++head;
    }
  }
  store.release(log, claim->token);
}

void open_run(FactStore& store, const std::string& log) {
  static const bool compiles = program_compiles();
  promise(compiles, "the program that the runs execute does not compile");
  DurableOptions options;
  options.plan = Plan{{"a", "first"}, {"b", "second"}};
  options.session.limits = test::tiny_limits();
  options.session.run_id = log;
  options.session.fixed_clock_millis = kLogTime;
  options.owner = "fuzzer";
  options.now_ms = [] { return kLogTime; };
  constexpr int kOpenings = 2;
  for (int k = 0; k < kOpenings; ++k) {
    const DurableOutcome outcome = run_durably(engine(), store, tools(), kSource, options);
    const bool reasoned = outcome.end == DurableEnd::Refused       ? !outcome.message.empty()
                          : outcome.end == DurableEnd::StoreFailed ? !outcome.error.message.empty()
                                                                   : true;
    promise(reasoned, "a run is refused without a reason");
    if (outcome.end == DurableEnd::Refused || outcome.end == DurableEnd::StoreFailed) return;
  }
}

void look_around(FactStore& store) {
  const auto runs = store.runs("", kMost);
  store.woken(kLogTime, kMost);
  const auto* known = std::get_if<std::vector<RunInfo>>(&runs);
  if (known == nullptr) return;
  for (const RunInfo& run : *known) {
    store.info(run.log);
    store.parked(run.log);
    store.read_notable(run.log, 0, kMost);
    store.open_calls(run.log);
    const auto facts = store.read(run.log, 0, kMost);
    if (const auto* all = std::get_if<std::vector<Fact>>(&facts)) {
      for (const Fact& fact : *all) store.find(run.log, fact.key);
    }
    open_run(store, run.log);
  }
}

}  // namespace ptc::fuzz

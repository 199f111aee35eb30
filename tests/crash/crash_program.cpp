#include "tests/crash/crash_program.h"

#include <filesystem>

namespace ptcvm::crash {

const char* const kTwentyTasks = R"(
(let [rate (task "rate" (tool/look {:what "rate"}))
      paid (task "charge-1" (tool/charge {:n 1}))
      sent (task "transfer-1" (tool/transfer {:n 1}))
      room (task "book-1" (tool/book {:n 1}))
      call (task "call-1" (tool/call {:to 1}))
      dial (task "dial-1" (tool/dial {:to 1}))]
  (task "note-1" (tool/note {:n 1}))
  (task "mail-1" (tool/mail {:n 1}))
  (doseq [i [2 3]]
    (task (str "charge-" i) (tool/charge {:n i}))
    (task (str "transfer-" i) (tool/transfer {:n i})))
  (pmap (fn [i] (task (str "branch-" i) (tool/charge {:branch i}))) [1 2])
  (task "quote-1" (tool/quote {:n 1}))
  (task "order-1" (await (tool/order {:n 1})))
  (task "called" (await call))
  (task "dialled" (await dial))
  (task "outer" (do (task "inner" (tool/transfer {:n 9})) (tool/note {:n 9})))
  (tool/mail {:n 99})
  (task-reset "rate")
  (step-done "1" "paid")
  (task "sum" [rate paid sent room]))
)";

const char* const kSixTasks = R"(
(let [call (task "call" (tool/call {:to 1}))]
  (task "charge" (tool/charge {:n 1}))
  (task "transfer" (tool/transfer {:n 1}))
  (task "answer" (await call))
  (task "mail" (tool/mail {:n 2}))
  (task "end" :done))
)";

const char* const kFanOut = R"(
(let [parts (pmap (fn [i] (task (str "part-" i)
                            (cond (= (rem i 4) 0) (tool/charge {:n i})
                                  (= (rem i 4) 1) (tool/transfer {:n i})
                                  (= (rem i 4) 2) (tool/note {:n i})
                                  :else (tool/book {:n i}))))
                  (range 8))]
  (pmap (fn [i] (tool/mail {:n i})) [1 2 3])
  (pmap (fn [i] (task (str "call-" i) (await (tool/call {:to i})))) [1 2])
  (task "sum" (count parts)))
)";

namespace {

struct CrashTool {
  const char* name;
  Effect effect;
  ToolMode mode;
};
constexpr CrashTool kCrashTools[] = {
    {"look", Effect::Pure, ToolMode::Sync},           {"note", Effect::Idempotent, ToolMode::Sync},
    {"charge", Effect::Keyed, ToolMode::Sync},        {"book", Effect::Reconcilable, ToolMode::Sync},
    {"transfer", Effect::Unsafe, ToolMode::Sync},     {"mail", Effect::Unsafe, ToolMode::Sync},
    {"quote", Effect::Idempotent, ToolMode::Auto},    {"call", Effect::Keyed, ToolMode::Async},
    {"order", Effect::Reconcilable, ToolMode::Async}, {"dial", Effect::Unsafe, ToolMode::Async},
};

ToolReply answer_of(const CrashTool& kind, ToolCall& call, Ledger& ledger) {
  const std::string key(call.idempotency_key());
  const std::string receipt = "\"receipt of " + key + "\"";
  if (kind.effect == Effect::Pure) return call.value(7);
  if (kind.mode == ToolMode::Sync) return ledger.happened(call, receipt);
  ledger.record(call, receipt);
  return call.pending("op of " + key);
}

}  // namespace

void add_crash_tools(Tools& tools, Ledger& ledger) {
  for (const CrashTool& kind : kCrashTools) {
    tools.add(kind.name, "", [&kind, &ledger](ToolCall& call) { return answer_of(kind, call, ledger); },
              {.effect = kind.effect, .mode = kind.mode}).value();
  }
}

Options crash_options(const char* source) {
  Options options;
  options.source = source;
  options.tools = [](Tools& tools, Ledger& ledger, Points&) { add_crash_tools(tools, ledger); };
  if (std::filesystem::is_directory("/dev/shm")) options.folder = "/dev/shm";
  return options;
}

// Points are named "after write intent/KEY#1", "before call TOOL KEY" and so on.
std::string open_call_at(const std::string& point) {
  for (const CrashTool& kind : kCrashTools) {
    const std::string called = std::string(" call ") + kind.name + ' ';
    if (point.find(called) != std::string::npos) return kind.name;
  }
  return {};
}

bool is_asked_about(const std::string& tool) {
  return tool == "book" || tool == "order" || tool == "transfer" || tool == "dial" || tool == "mail";
}

}  // namespace ptcvm::crash

#include "service.hpp"

#include <chrono>
#include <fstream>
#include <random>

namespace json = boost::json;

namespace {

// What one request may use. Fuel is the limit; the clock is there for disks and tools that hang.
constexpr ptcvm::Limits kLimits = {
    .fuel = 10'000'000, .memory_bytes = 16u << 20, .tool_calls = 100, .result_bytes = 64u << 10, .timeout_ms = 60'000};

Reply refusal(unsigned status, std::string_view message) { return {status, {{"error", message}}}; }

Reply refusal(const ptcvm::Error& error) {
  const unsigned status = error.code == ptcvm::Errc::already_resolved ? 409
                          : error.code == ptcvm::Errc::store_failed   ? 503
                                                                      : 400;
  return refusal(status, error.message);
}

std::string new_run_id() {
  thread_local std::random_device random;
  char text[40];
  std::snprintf(text, sizeof text, "run-%08x%08x", random(), random());
  return text;
}

json::value from_edn(std::string_view edn) {
  const auto value = ptcvm::Value::from_edn(edn);
  return value ? ptcvm::to_json(*value) : json::value(edn);
}

// The log of a run, as far as clients care.
struct History {
  json::object body;                                  // the body of the reply; empty until somebody has begun it
  std::map<std::string, json::object> operations;     // all that were opened, but sleeps
  std::set<std::string> resolved;

  bool is_over() const { return body.contains("result") || body.contains("error"); }

  void add(const json::object& fact) {
    const std::string_view kind = fact.at("kind").as_string();
    if (kind == "run_started") {
      body = {{"state", "running"}};
    } else if (kind == "operation_opened" && text(fact, "tool") != "sleep") {
      operations[text(fact, "id")] = {
          {"id", fact.at("id")}, {"tool", text(fact, "tool")}, {"args", from_edn(text(fact, "args"))}};
    } else if (kind == "operation_resolved") {
      resolved.insert(text(fact, "id"));
    } else if (kind == "run_suspended") {
      body["state"] = text(fact, "status") == "in_doubt" ? "in_doubt" : "suspended";
    } else if (kind == "run_resumed") {
      body["state"] = "running";
    } else if (kind == "turn_ended") {
      const std::string status = text(fact, "status");
      body["state"] = status == "ok" ? "completed" : status == "return" ? "returned" : "failed";
      if (status == "error") {
        body["error"] = text(fact, "text");
      } else {
        body["result"] = from_edn(text(fact, "value"));
      }
    }
  }

  static std::string text(const json::object& fact, std::string_view name) {
    const json::value* const found = fact.if_contains(name);
    return found != nullptr ? std::string(found->as_string()) : "";
  }
};

ptcvm::Result<History> history_of(const ptcvm::Store& store, const std::string& run) {
  const auto log = store.log_json(run);
  if (!log) return log.error();
  History out;
  for (std::size_t begin = 0; begin < log->size();) {
    const std::size_t end = log->find('\n', begin);
    out.add(json::parse(std::string_view(*log).substr(begin, end - begin)).as_object());
    begin = end + 1;
  }
  return out;
}

}  // namespace

Ledger::Ledger(std::string path) : path_(std::move(path)) {
  std::ifstream file(path_);
  for (std::string key, order; file >> key >> order;) keys_.insert(key);
}

void Ledger::ship(std::string_view key, std::string_view order) {
  const std::lock_guard lock(mutex_);
  if (!keys_.emplace(key).second) return;
  std::ofstream(path_, std::ios::app) << std::string(key) + ' ' + std::string(order) + '\n' << std::flush;
}

RunService::RunService(ptcvm::Store store, std::string ledger_path)
    : store_(std::move(store)), ledger_(std::move(ledger_path)) {
  // A real one would send somebody the address of the operation. Asking twice does no harm.
  tools_.add("approve", "(order :string) -> :any", [](ptcvm::ToolCall& call) { return call.pending(); },
             {.effect = ptcvm::Effect::Idempotent, .mode = ptcvm::ToolMode::Async}).value();
  // The outside system knows the idempotency key, so a call that may or may not have happened is made again.
  tools_.add("ship", "(order :string) -> :string",
             [this](ptcvm::ToolCall& call) {
               const std::string order(call.arg(0).as_string().value_or(""));
               ledger_.ship(call.idempotency_key(), order);
               return call.value("shipped " + order);
             },
             {.effect = ptcvm::Effect::Keyed}).value();
}

ptcvm::StoredOptions RunService::options(const std::string& run) const { return {.id = run, .limits = kLimits}; }

// One thread executes a run; one that finds it busy leaves word.
template <class Step>
void RunService::execute(const std::string& run, Step step) {
  {
    const std::lock_guard lock(mutex_);
    const auto [at, is_first] = executing_.try_emplace(run, false);
    if (!is_first) {
      at->second = true;
      return;
    }
  }
  for (step();; advance(run)) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(executing_.at(run), false)) continue;
    executing_.erase(run);
    return;
  }
}

Reply RunService::start(const json::object& request) {
  const json::value* const program = request.if_contains("program");
  if (program == nullptr || !program->is_string()) return refusal(400, "\"program\" must be a string");
  const std::string source(program->as_string());
  ptcvm::CompileOptions compiling;
  compiling.tools = &tools_;
  if (const auto compiled = engine_.compile(source, compiling); !compiled) {
    return refusal(422, compiled.error().diagnostic ? compiled.error().diagnostic->text : compiled.error().message);
  }
  const json::value* const given = request.if_contains("data");
  if (given != nullptr && !given->is_object()) return refusal(400, "\"data\" must be an object");
  const ptcvm::Value data = given != nullptr ? ptcvm::Value::of(*given) : ptcvm::Value();

  const std::string run = new_run_id();
  std::optional<ptcvm::Error> error;
  execute(run, [&] {
    ptcvm::StoredOptions wanted = options(run);
    wanted.data = data;
    const auto done = ptcvm::run_stored(engine_, store_, tools_, source, wanted);
    if (!done) error = done.error();
  });
  return error ? refusal(*error) : look(run);
}

void RunService::go_on(const std::string& run) {
  execute(run, [&] { advance(run); });
}

// The next request tries again what fails here: the log is right. A run that is over stays as it is.
void RunService::advance(const std::string& run) {
  const auto history = history_of(store_, run);
  if (history && !history->is_over()) (void)ptcvm::continue_stored(engine_, store_, tools_, options(run));
}

// The answer is in the store before the run goes on: the sender may forget it after the reply.
Reply RunService::resolve(const std::string& run, const std::string& operation, const json::object& request) {
  const json::value* const value = request.if_contains("value");
  if (value == nullptr) return refusal(400, "\"value\" is missing");
  const auto history = history_of(store_, run);
  if (!history) return refusal(history.error());
  if (!history->operations.contains(operation)) return refusal(404, "no such operation");
  if (const auto done = store_.resolve(run, operation, ptcvm::Value::of(*value), "webhook"); !done) {
    return refusal(done.error());
  }
  go_on(run);
  return look(run);
}

Reply RunService::look(const std::string& run) const {
  auto history = history_of(store_, run);
  if (!history) return refusal(history.error());
  if (history->body.empty()) return refusal(404, "no such run");
  json::array waiting;
  for (const auto& [id, operation] : history->operations) {
    if (!history->resolved.contains(id)) waiting.push_back(operation);
  }
  Reply reply{history->is_over() ? 200u : 202u, std::move(history->body)};
  reply.body["id"] = run;
  if (reply.status == 202) reply.body["operations"] = std::move(waiting);
  return reply;
}

std::vector<std::string> RunService::woken() const {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto woken = store_.woken(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  return woken ? *woken : std::vector<std::string>();
}

std::vector<std::string> RunService::interrupted() const {
  std::vector<std::string> out;
  for (std::string after;;) {
    const auto page = store_.runs(after);
    if (!page || page->empty()) return out;
    for (const ptcvm::StoredRunInfo& run : *page) {
      if (run.state == ptcvm::StoredState::Running) out.push_back(run.id);
    }
    after = page->back().id;
  }
}

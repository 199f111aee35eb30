// A host with an agent inside: a model writes a program that calls two tools of this process, and a person is asked
// before money goes out. The model is a script, so the example needs no network; drivers/curl calls real ones.
//
// The run does no input or output. It says what it waits for, and this host does it.
#include <boost/json.hpp>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>

#include "agents/loop/event_feed.h"
#include "agents/replay/scripted_model.h"
#include "ptcvm/json.hpp"

namespace json = boost::json;
namespace loop = ptcvm::loop;
namespace replay = ptcvm::replay;
using loop::Operation;
using loop::OperationKind;

namespace {

constexpr std::string_view kAgent = R"({
  "name": "refunds",
  "prompt": "Refund order {{order}} when it was paid.",
  "signature": "(order :int) -> {refunded :int, receipt :string?}",
  "tools": [
    {"name": "order", "signature": "(id :int) -> {paid :bool, cents :int}", "effect": "pure"},
    {"name": "refund", "signature": "(id :int, cents :int) -> :string", "effect": "keyed", "ask": true}]})";

// What the model says: a program that looks and shows, then a program that acts and ends the task.
constexpr std::string_view kScript = R"script(
{"text": "I look at the order first.", "program": "(def found (tool/order {:id data/order})) found"}
{"text": "It was paid.", "program": "(return {:refunded (:cents found) :receipt (tool/refund {:id 7 :cents 4200})})"}
)script";

using Tool = std::function<ptcvm::Value(const json::object& args)>;

const std::map<std::string, Tool> kTools = {
    {"order", [](const json::object&) { return ptcvm::Value::of(json::value{{"paid", true}, {"cents", 4200}}); }},
    {"refund", [](const json::object& args) { return ptcvm::Value::of("receipt-" + json::serialize(args.at("id"))); }}};

template <class T>
T value_of(ptcvm::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}
void check(const ptcvm::Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().message);
}

class Host {
 public:
  Host() : script_(read_script()), reader_(feed_.open()) {
    loop::AgentOptions options;
    options.model = {ptcvm::wire::Protocol::Chat, "scripted", "scripted", true, {}, {}};
    options.on_token = [this](std::string_view path, std::string_view text) { feed_.on_token(path, text); };
    agent_ = value_of(loop::Agent::make(engine_, value_of(loop::read_agent_text(kAgent)), std::move(options)));
  }

  void run(const std::string& data) {
    loop::AgentRun run = value_of(loop::AgentRun::start(*agent_, {.id = "refund-7", .data_json = data}));
    while (run.step() == loop::AgentState::Waiting) {
      for (const Operation& operation : run.operations()) serve(run, operation);
      show();
    }
    feed_.tell(loop::ended(run));
    show();
    const loop::AgentUsage usage = run.usage();
    std::cout << usage.turns << " turns, " << usage.model_calls << " calls of the model, " << usage.tool_calls
              << " calls of tools\n";
  }

 private:
  static replay::ScriptedModel read_script() {
    auto read = replay::ScriptedModel::read(kScript);
    const auto* const failure = std::get_if<replay::ReplayFailure>(&read);
    if (failure != nullptr) throw std::runtime_error(failure->message);
    return std::get<replay::ScriptedModel>(std::move(read));
  }

  void serve(loop::AgentRun& run, const Operation& operation) {
    switch (operation.kind) {
      case OperationKind::Model: return ask_model(run, operation);
      case OperationKind::Tool: return call_tool(run, operation);
      case OperationKind::Approval:   // a person decides here, now or next week: run.snapshot() keeps the run
        feed_.tell(loop::waiting(run));
        return check(run.resolve(operation.path, ptcvm::Value::of(true)));
      default: throw std::runtime_error("nobody answers " + operation.path);
    }
  }

  void ask_model(loop::AgentRun& run, const Operation& request) {
    feed_.tell(loop::model_start(request));
    const auto said = script_.answer({request.agent, request.model.protocol, request.model.is_stream, request.body,
                                      request.callable});
    const auto* const failure = std::get_if<replay::ReplayFailure>(&said);
    if (failure != nullptr) throw std::runtime_error(failure->message);
    const replay::HttpAnswer& http = std::get<replay::ScriptedAnswer>(said).http;
    run.chunk(request.path, http.body);   // a driver gives the bytes as they come
    check(run.resolve_model(request.path, {http.status, http.headers, http.body, !http.ends_properly}));
  }

  void call_tool(loop::AgentRun& run, const Operation& call) {
    feed_.tell(loop::tool_start(call));
    const ptcvm::Value answer = kTools.at(call.tool)(json::parse(call.args_json).as_object());
    feed_.tell(loop::tool_end(call.path, true, answer.to_json()));
    check(run.resolve(call.path, answer));
  }

  void show() {
    for (const loop::RunEvent& event : feed_.take(reader_, SIZE_MAX)) std::cout << loop::event_json(event) << '\n';
  }

  ptcvm::Engine engine_;
  replay::ScriptedModel script_;
  loop::EventFeed feed_;
  loop::EventFeed::ReaderId reader_;
  std::optional<loop::Agent> agent_;
};

}  // namespace

int main() {
  try {
    Host().run(R"({"order": 7})");
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "embed-agent: " << error.what() << '\n';
    return 1;
  }
}

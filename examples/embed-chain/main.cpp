// A host with a task chain inside: a model plans, functions of this process are the tools, a person confirms what
// cannot be undone. A step fails and is planned again; what was done stays done. The model is a list of replies, so
// the example needs no network.
//
// The chain does no input or output. It says what it waits for, and this host does it. The store is in memory here;
// with ptcvm::open_sqlite() the task goes on in another process after a crash.
#include <boost/json.hpp>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "agents/chain/report/report_text.h"
#include "agents/chain/run/chain_run.h"

namespace json = boost::json;
namespace chain = ptcvm::chain;
using chain::ChainOperation;
using chain::OperationKind;

namespace {

// What the model says: the intent, a plan with a wrong table in it, and the plan without the mistake.
std::deque<std::string> model_replies() {
  return {R"({"category": "action", "summary": "Close the orders that were paid", "complexity": "simple"})",
          R"({"steps": [
            {"id": "find", "tool": "query", "args": {"table": "order"}, "dependsOn": []},
            {"id": "count", "tool": "query", "args": {"table": "customers"}, "dependsOn": []},
            {"id": "close", "tool": "close", "args": {"ids": {"$result": "find"}}, "dependsOn": ["find"],
             "requiresConfirmation": true, "verification": ["contains:closed"]}]})",
          R"(The table is called orders: {"steps": [
            {"id": "find", "tool": "query", "args": {"table": "orders"}, "dependsOn": []},
            {"id": "count", "tool": "query", "args": {"table": "customers"}, "dependsOn": []},
            {"id": "close", "tool": "close", "args": {"ids": {"$result": "find"}}, "dependsOn": ["find"],
             "requiresConfirmation": true, "verification": ["contains:closed"]}]})"};
}

using Tool = std::function<json::value(const json::object& args)>;

const std::map<std::string, Tool> kTools = {
    {"query",
     [](const json::object& args) -> json::value {
       if (args.at("table") == "orders") return json::array{7, 9};
       if (args.at("table") == "customers") return 2;
       throw std::runtime_error("there is no table " + std::string(args.at("table").as_string()));
     }},
    {"close",
     [](const json::object& args) -> json::value { return json::value("closed " + json::serialize(args.at("ids"))); }}};

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
  Host() {
    chain::ChainOptions options;
    options.id = "close-orders";
    options.input = "Close the orders that were paid";
    options.tools = {{.name = "query", .signature = "(table :string) -> :any", .description = "Reads a table",
                      .effect = ptcvm::Effect::Pure},
                     {.name = "close", .signature = "(ids [:int]) -> :string", .description = "Closes orders",
                      .effect = ptcvm::Effect::Keyed}};
    options.policy.has_person = true;
    run_.emplace(value_of(chain::ChainRun::start(engine_, store_, options)));
  }

  void drive() {
    while (value_of(run_->step()) != chain::ChainState::Done) {
      for (const ChainOperation& operation : run_->operations()) serve(operation);
    }
    std::cout << chain::report_text(run_->outcome()->report);
  }

 private:
  void serve(const ChainOperation& operation) {
    switch (operation.kind) {
      case OperationKind::Model:
        std::cout << "the model is asked: " << operation.purpose << '\n';
        check(run_->answer(operation.id, json::value(replies_.front())));
        replies_.pop_front();
        return;
      case OperationKind::Tool: return call(operation);
      case OperationKind::Question:
        std::cout << operation.text << " yes\n";
        return check(run_->answer(operation.id, "yes"));
      case OperationKind::Doubt:   // no process has died here
      case OperationKind::Report: break;
    }
    check(run_->answer(operation.id, nullptr));   // the log of the task keeps the report
  }

  void call(const ChainOperation& operation) {
    std::cout << operation.step << " calls " << operation.tool << ' ' << json::serialize(operation.args) << '\n';
    try {
      check(run_->answer(operation.id, kTools.at(operation.tool)(operation.args)));
    } catch (const std::runtime_error& failure) {
      check(run_->answer_error(operation.id, failure.what()));
    }
  }

  const ptcvm::Engine engine_;
  const ptcvm::Store store_ = ptcvm::Store::in_memory();
  std::deque<std::string> replies_ = model_replies();
  std::optional<chain::ChainRun> run_;
};

}  // namespace

int main() {
  try {
    Host().drive();
  } catch (const std::exception& failure) {
    std::cerr << "embed_chain: " << failure.what() << '\n';
    return 1;
  }
}

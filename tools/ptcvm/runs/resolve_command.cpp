// ptcvm resolve: the answer to an operation of a run that a store keeps.
#include "tools/ptcvm/chain/chain_job.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/store/operation_arguments.h"
#include "tools/ptcvm/store/store_logs.h"
#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kResolveExamples = R"(Examples:
  ptcvm resolve --store runs.db may op1 '{"decision":"approved"}'
  ptcvm resolve --store runs.db may op1 @answer.json
  ptcvm resolve --store runs.db may op1 --fail 'nobody answered'

The answer is in the store when the command ends; `ptcvm resume`, or the command that began the run, goes on with it.
The same answer twice is one, another answer is refused.)";

struct ResolveRequest {
  StoreOptions store;
  std::string operation, json, reason;
  bool fails = false, is_cancelled = false, is_edn = false;
};

int resolve(const ResolveRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  std::string message;
  OperationAnswer answer{request.operation, "ok", {}, request.reason};
  if (!command.open(StoreUse::Existing, status) || !command.read(JournalExtent::Notable, status)) return status;
  if (request.fails || request.is_cancelled) {
    answer.status = request.fails ? "error" : "cancelled";
  } else {
    const auto bound = ValueBound::of_answer(limits_of_run(command.store(), request.store.id));
    auto value = value_argument(request.json, request.is_edn, bound, message);
    if (!value) return refuse_input(message);
    answer.value_edn = std::move(*value);
  }
  if (refuses_answers(command.store(), request.store, request.store.id)) return kBadInput;
  if (is_of_chain(command.store(), request.store.id)) return kBadInput;
  return answer_operation(command, answer, message) ? kSuccess : refuse_input(message);
}

}  // namespace

void add_resolve_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("resolve", "Give the answer to an operation of a run in a store");
  auto request = std::make_shared<ResolveRequest>();
  declare_sealed_store(*command, request->store);
  declare_run_id(*command, request->store);
  command->add_option("OP", request->operation, "The operation, as the suspended run names it, or the name of a signal")
      ->required();
  auto* json = command->add_option("JSON", request->json, "Its result, or @ and a file of it");
  auto* fail = command->add_option_function<std::string>(
      "--fail",
      [request](const std::string& reason) {
        request->fails = true;
        request->reason = reason;
      },
      "It failed");
  fail->type_name("REASON");
  auto* cancel = command->add_option_function<std::string>(
      "--cancel",
      [request](const std::string& reason) {
        request->is_cancelled = true;
        request->reason = reason;
      },
      "It is given up");
  cancel->type_name("REASON")->expected(0, 1);
  command->add_flag("--edn", request->is_edn, "The result is EDN");
  declare_author(*command, request->store);
  command->footer(kResolveExamples);
  command->callback([request, json, fail, cancel, &status] {
    if (json->count() + fail->count() + cancel->count() == 0) throw CLI::RequiredError("JSON, --fail or --cancel");
    status = resolve(*request);
  });
}

}  // namespace ptcvm::cli

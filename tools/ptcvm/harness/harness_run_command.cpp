// ptcvm harness run: lets a planner plan until it waits for somebody.
#include <iostream>

#include "agents/harness/conversation/settled_doubts.h"
#include "agents/harness/setup/planner_seed.h"
#include "tools/ptcvm/agent/agent_stored_commands.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/harness/harness_pass.h"
#include "tools/ptcvm/harness/harness_planners.h"
#include "tools/ptcvm/harness/harness_session.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

// Returns why the planner failed in its last pass, or "".
std::string failure_after(const harness::ConversationView& view, std::uint64_t begun_at) {
  const harness::Fact* const last = view.last_failure();
  if (last == nullptr || last->seq <= begun_at) return {};
  return std::string(harness::text_of(last->body, "code"))
      .append(": ")
      .append(harness::text_of(last->body, "message"));
}

int run_harness(const HarnessArguments& arguments, HarnessSession& session) {
  if (const auto failed = session.open(StoreUse::Create)) return *failed;
  if (session.conversation().view().is_job()) {
    return refuse_input("the conversation " + arguments.store.id + " is a job of a queue: ptcvm worker plans for it");
  }
  std::string message;
  const auto parts = planner_parts(arguments, message);
  if (!parts) return refuse_input(message);
  const auto planner = make_planner(*parts, session.store(), session.conversation(), message);
  if (planner == nullptr) return refuse_input(message);
  if (harness::is_planner(parts->planner)) {
    session.outbox().trace().planner_seed = harness::dehydrate(parts->planner, parts->config);
  }
  if (!arguments.remote.empty()) {
    if (const auto taken = session.outbox().tick(session.author()); !taken) return session.refuse(taken.error());
  }
  const auto mode = session.outbox().set_mode(*harness::find_send_mode(arguments.mode), session.author());
  if (!mode) return session.refuse(mode.error());
  if (arguments.begins && session.conversation().view().is_unbegun()) {
    if (const auto armed = session.conversation().arm_kickoff(session.author()); !armed) {
      return session.refuse(armed.error());
    }
  }
  const auto told = harness::tell_settled_doubts(session.conversation(), session.store(), session.author());
  if (!told) return session.refuse(told.error());
  harness::Harness harness(session.conversation());
  const std::uint64_t begun_at = session.conversation().view().log_seq();
  for (int pass = 0; pass < kMostPasses; ++pass) {
    const auto more = plan_once({session.conversation(), session.outbox(), harness, *planner}, session.author());
    if (!more) return session.refuse(more.error());
    if (!*more) break;
  }
  const int status = session.report();
  const std::string failure = failure_after(session.conversation().view(), begun_at);
  if (failure.empty()) return status;
  const bool has_given_up = session.conversation().view().given_up() != nullptr;
  if (!has_given_up) std::cerr << "ptcvm: the planner failed: " << failure << '\n';   // report() has said it
  return status == kSuccess || has_given_up ? kProgramFailed : status;
}

}  // namespace

void declare_planner(CLI::App& command, HarnessArguments& arguments) {
  command.add_option("--config", arguments.config, "The configuration of the planner, a file of JSON")
      ->type_name("FILE");
  command.add_option("--scenario", arguments.scenario, "The scenario of scenario-v0.3, a file of JSON")
      ->type_name("FILE");
  command.add_option("--replies", arguments.replies, "Recorded replies of a model, a file of JSON lines")
      ->type_name("FILE");
  command.add_option("--model", arguments.model, "The model of the planner, as `ptcvm agent run --help` says");
  command.add_option("--prices", arguments.prices,
                     "Prices of models for a million tokens, a file of JSON, for an agent that plans")
      ->type_name("FILE");
  command
      .add_option("--tools", arguments.tools.tools_files,
                  "A file of tools with their commands, for a program that plans; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command.add_option("--tool", arguments.tools.tools, "Command behind (tool/NAME …) of a program that plans")
      ->type_name("NAME=COMMAND")
      ->allow_extra_args(false);
  command
      .add_option("--tool-effect", arguments.tools.effects,
                  "What may be done when nobody knows whether a call happened, as `ptcvm run --help` says")
      ->type_name("NAME=CLASS")
      ->allow_extra_args(false);
}

void add_harness_run(CLI::App& app, int& status) {
  auto* const command = app.add_subcommand("run", "Let the planner plan until it waits for somebody");
  auto arguments = std::make_shared<HarnessArguments>();
  declare_sealed_store(*command, arguments->store);
  declare_run_id(*command, arguments->store, "The conversation");
  command->add_option("--planner", arguments->planner,
                      "simple-demo, llm-drafter, scenario-v0.3, agent:FILE, or the file of a program")->required();
  declare_planner(*command, *arguments);
  command->add_option("--peer", arguments->peer, "The conversation of the other side, in the same store");
  command->add_option("--remote", arguments->remote, "The agent of the other side, a URL of a server of A2A");
  command->add_option("--mode", arguments->mode, "approve: a person approves drafts; auto: they are sent")
      ->check(CLI::IsMember({"approve", "auto"}));
  command->add_flag("--begin", arguments->begins, "Begin an empty conversation");
  command->footer(R"(Examples:
  ptcvm harness run --store talk.db --id clinic --planner answer.ptc
  ptcvm harness run --store talk.db --id clinic --planner answer.ptc --tools tools.json
  ptcvm harness run --store talk.db --id clinic --planner scenario-v0.3 --scenario visit.json --replies model.jsonl
  ptcvm harness run --store talk.db --id clinic --planner simple-demo --peer payer --mode auto --begin

A line of --replies is {"when": [text, …], "reply": value}: the first line whose texts are all in the question answers
it. Exit status: 0 nothing waits for you, 1 the planner failed, 75 a draft, a question or a program waits.)");
  command->callback([arguments, &status] {
    status = in_session(*arguments, [&](HarnessSession& session) { return run_harness(*arguments, session); });
  });
}

}  // namespace ptcvm::cli

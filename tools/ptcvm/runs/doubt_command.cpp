// ptcvm doubt: calls that may or may not have happened, and what a person says about them.
#include <algorithm>
#include <iostream>
#include <map>

#include "ptcvm/queues.hpp"
#include "tools/ptcvm/agent/agent_stored_commands.h"
#include "tools/ptcvm/chain/chain_agent_doubts.h"
#include "tools/ptcvm/chain/chain_job.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/store/agent_goes_on.h"
#include "tools/ptcvm/store/doubt_text.h"
#include "tools/ptcvm/store/planner_doubts.h"
#include "tools/ptcvm/store/store_logs.h"
#include "tools/ptcvm/store/store_options.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kDoubtExamples = R"(Examples:
  ptcvm doubt list --store runs.db
  ptcvm doubt settle --store runs.db may --happened '"tx_17"'
  ptcvm doubt settle --store runs.db may may/task:pay_bob#0 --did-not
  ptcvm doubt settle --store runs.db may --give-up

A call is in doubt when its process died, or was cut off, after the call was begun and before its answer was in the
store. Look at the outside system, then say what you found. --happened takes the call's answer (JSON, null if it has
none); --did-not makes the call again when the run goes on; --give-up lets it fail. KEY may be left out when there is
one doubt only.)";

struct DoubtRequest {
  StoreOptions store;
  std::string key, value;
  bool happened = false, did_not = false, give_up = false, json = false;
};

// The options with which commands about a run of a list work, and what a person does before.
struct WordsForRun {
  StoreOptions store;
  std::string notes;   // indented lines
};

// The words for runs of a list. Lists also show sealed logs without a ring, runs of all tenants, and runs that were
// cancelled: each run is asked once whether it is sealed, and all runs of a page are asked for their jobs together.
class WordsForRuns {
 public:
  WordsForRuns(const Store& store, const StoreOptions& given) : store_(store), given_(given) {}

  void begin_page(std::vector<std::string> runs) {
    page_ = std::move(runs);
    jobs_.reset();
    known_.clear();
  }

  const WordsForRun& of(const std::string& run) {
    const auto [at, is_new] = known_.try_emplace(run);
    if (is_new) at->second = made(run);
    return at->second;
  }

 private:
  // A task of a chain may be on another page than the agents of its steps.
  std::optional<QueuedRunStatus> job(const std::string& run) {
    if (std::ranges::find(page_, run) == page_.end()) return nearest_job(store_, run);
    if (!jobs_) jobs_ = jobs_around(store_, page_);
    return nearest_job(*jobs_, run);
  }

  WordsForRun made(const std::string& run) {
    WordsForRun out{given_, {}};
    const bool is_sealed = given_.keys.empty() && needs_ring(store_, run);
    const auto nearest = job(run);
    if (given_.keys.empty() && given_.tenant.empty() && nearest) out.store.tenant = nearest->tenant;
    if (is_sealed) {
      out.store.keys = "RING";
      out.notes = "  the log is sealed: RING is its key ring" +
                  std::string(out.store.tenant.empty() ? ", and default its tenant, if no other was named\n" : "\n");
    }
    if (nearest && nearest->run == run && nearest->is_cancelled) {
      out.notes += "  the run was cancelled and takes no answers; this command makes it ready again, before the others:"
                   "\n      " + retry_words(out.store, run) + '\n';
    }
    return out;
  }

  const Store& store_;
  const StoreOptions& given_;
  std::vector<std::string> page_;
  std::optional<JobsByRun> jobs_;
  std::map<std::string, WordsForRun> known_;
};

void show_doubts(const StoreOptions& store, const std::string& run, const std::optional<std::string>& task,
                 const std::vector<JournalCall>& doubts, bool json) {
  for (const JournalCall& doubt : doubts) {
    const std::string text = json ? doubt_json(run, doubt)
                             : task ? chain_doubt_text(store, *task, doubt)
                                    : doubt_text(store, run, doubt);
    std::cout << text << '\n';
  }
}

void show_agent_doubts(const StoreOptions& store, const std::string& run, const std::vector<std::string>& doubts,
                       bool json) {
  for (const std::string& doubt : doubts) {
    std::cout << (json ? agent_doubt_json(run, doubt) : agent_doubt_text(store, run, doubt)) << '\n';
  }
}

// Lists runs one after another.
class DoubtList {
 public:
  DoubtList(const Store& store, const DoubtRequest& request)
      : store_(store), request_(request), words_(store, request.store) {}

  void begin_page(std::vector<std::string> runs) { words_.begin_page(std::move(runs)); }

  // Returns false when the list cannot go on.
  bool show(const std::string& id) {
    const auto doubts = store_.doubts(id);
    if (!doubts) return passes_over(doubts.error(), id, status_);
    const auto detail = store_.detail(id);
    auto of_agent = detail ? agent_doubts(detail->waits_for) : std::vector<std::string>();
    if (!of_agent.empty() && is_chain_job(store_, id)) of_agent.clear();   // the log of its steps has them
    const auto of_step = of_agent.empty() ? std::nullopt : chain_of_agent(store_, id);
    if (of_step) return show_of_step(*of_step, id, of_agent);
    const auto task = doubts->empty() ? std::nullopt : chain_of_steps(store_, id);
    if (doubts->empty() && of_agent.empty()) return true;
    any_ = true;
    const WordsForRun words = request_.json ? WordsForRun{} : words_.of(id);
    if (!request_.json) std::cout << id << '\n' << words.notes;
    show_doubts(words.store, id, task, *doubts, request_.json);
    show_agent_doubts(words.store, id, of_agent, request_.json);
    return true;
  }
  int end() const {
    if (!any_ && !request_.json && status_ == kSuccess) std::cerr << "nothing is in doubt\n";
    return status_;
  }
  int status() const { return status_; }

 private:
  // Passes over what the task does not wait for any more.
  bool show_of_step(const std::string& task, const std::string& id, const std::vector<std::string>& doubts) {
    const auto questions = task_questions(store_, task, AgentQuestions::Open);
    if (!questions) return passes_over(questions.error(), id, status_);
    const WordsForRun words = request_.json ? WordsForRun{} : words_.of(task);
    for (const std::string& doubt : doubts) {
      const auto found = std::ranges::find(*questions, agent_doubt_key(id, doubt), &chain::LoggedQuestion::key);
      if (found == questions->end()) continue;
      any_ = true;
      if (!request_.json) std::cout << task << '\n' << words.notes;
      std::cout << (request_.json ? agent_doubt_json(id, doubt)
                                  : step_agent_doubt_text(words.store, task, found->name))
                << '\n';
    }
    return true;
  }

  const Store& store_;
  const DoubtRequest& request_;
  WordsForRuns words_;
  int status_ = kSuccess;
  bool any_ = false;
};

int list(const DoubtRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Existing, status)) return status;
  if (!request.store.id.empty()) {
    if (!command.read(JournalExtent::Notable, status)) return status;
    DoubtList one(command.store(), request);
    return one.show(request.store.id) ? one.end() : one.status();
  }
  constexpr std::size_t kPage = 500;
  const Store store = for_lists(command.store());
  DoubtList all(store, request);
  std::string after;
  for (std::size_t count = kPage; count == kPage;) {
    const auto page = store.runs(after, kPage);
    if (!page) return complain_of_store(page.error());
    count = page->size();
    std::vector<std::string> ids;
    for (const StoredRunInfo& run : *page) ids.push_back(run.id);
    all.begin_page(std::move(ids));
    for (const StoredRunInfo& run : *page) {
      after = run.id;
      if (!all.show(run.id)) return all.status();
    }
  }
  return all.end();
}

// Returns the call that the run of an agent has in doubt, when there is only one, or "".
std::string only_agent_doubt(const Store& store, const std::string& run) {
  const auto detail = store.detail(run);
  const auto doubts = detail ? agent_doubts(detail->waits_for) : std::vector<std::string>();
  return doubts.size() == 1 ? doubts.front() : std::string();
}

// `value` is the answer of the call as EDN.
int settle_for_planner(StoreCommand& command, const DoubtRequest& request, const std::string& key,
                       const std::string& value, const harness::Author& author) {
  if (request.give_up) {
    return refuse_input("the planner is an agent: say --happened JSON or --did-not; you can dismiss what it drafts");
  }
  const std::string answer = request.did_not ? "no" : value_of(value).to_json();
  const auto said = settle_agent_planner(command.store(), request.store.id, key, answer, author);
  return said ? kSuccess : refuse_error(said.error());
}

int settle(const DoubtRequest& request) {
  StoreCommand command(request.store);
  int status = kSuccess;
  std::string message, value = "nil";
  if (!command.open(StoreUse::Existing, status) || !command.read(JournalExtent::Notable, status)) return status;
  if (request.happened) {
    const auto bound = ValueBound::of_memory(limits_of_run(command.store(), request.store.id));
    auto read = value_argument(request.value, false, bound, message);
    if (!read) return refuse_input("--happened: " + message);
    value = std::move(*read);
  }
  const auto doubts = command.store().doubts(request.store.id);
  if (!doubts) return complain_of_store(doubts.error());
  std::string key = request.key;
  const bool is_of_planner = is_agent_planner_run(request.store.id);
  if (key.empty() && is_of_planner) key = only_agent_doubt(command.store(), request.store.id);
  if (key.empty() && doubts->size() == 1) key = doubts->front().key;
  for (const JournalCall& doubt : *doubts) {     // `ptcvm runs --json` shows which attempt it is
    if (key == doubt.key + '#' + std::to_string(doubt.attempt)) key = doubt.key;
  }
  const std::string agent = key.empty() && doubts->empty() ? agent_goes_on(command.store(), request.store) : "";
  if (!agent.empty()) return refuse_input(agent);
  if (key.empty()) {
    return refuse_input(doubts->empty() ? "nothing is in doubt in " + request.store.id
                                        : "which one? Give the KEY; `ptcvm doubt list` shows them");
  }
  if (refuses_answers(command.store(), request.store, request.store.id)) return kBadInput;
  if (is_of_chain(command.store(), request.store.id)) return kBadInput;
  const harness::Author author{now_millis(), command.by()};
  if (is_of_planner) return settle_for_planner(command, request, key, value, author);
  const DoubtAnswer answer = request.happened  ? DoubtAnswer::Happened
                             : request.did_not ? DoubtAnswer::DidNot
                                               : DoubtAnswer::GiveUp;
  const auto said = command.store().settle(request.store.id, key, answer, value_of(value), command.by());
  if (said) {
    const auto woken = wake_conversation_of(command.store(), request.store.id, author);
    return woken ? kSuccess : complain_of_store(woken.error());
  }
  if (said.error().code != Errc::refused || said.error().detail == "run_is_copy") {
    return complain_of_store(said.error());
  }
  return refuse_input("there is no doubt about " + key + " in " + request.store.id + " (any more)");
}

}  // namespace

void add_doubt_command(CLI::App& app, int& status) {
  auto* doubt = app.add_subcommand("doubt", "Calls that may or may not have happened");
  doubt->require_subcommand(1);
  doubt->footer(kDoubtExamples);
  auto request = std::make_shared<DoubtRequest>();

  auto* all = doubt->add_subcommand("list", "Show them, of one run or of all");
  declare_sealed_store(*all, request->store);
  declare_new_run_id(*all, request->store);
  all->add_flag("--json", request->json, "A line of JSON for each");
  all->callback([request, &status] { status = list(*request); });

  auto* one = doubt->add_subcommand("settle", "Say what became of one");
  declare_sealed_store(*one, request->store);
  declare_run_id(*one, request->store);
  one->add_option("KEY", request->key, "The idempotency key of the call, as `doubt list` shows it");
  auto* answers = one->add_option_group("what became of it");
  answers
      ->add_option_function<std::string>(
          "--happened",
          [request](const std::string& json) {
            request->happened = true;
            request->value = json.empty() ? "null" : json;
          },
          "It happened, and this was its answer (JSON, or @ and a file of it)")
      ->type_name("JSON")
      ->expected(0, 1)
      ->default_str("null");
  answers->add_flag("--did-not", request->did_not, "It did not happen: it is made again");
  answers->add_flag("--give-up", request->give_up, "It shall not be tried again: it fails");
  answers->require_option(1);
  answers->set_help_flag();   // the command has its own
  declare_author(*one, request->store);
  one->footer(kDoubtExamples);
  one->callback([request, &status] { status = settle(*request); });
}

}  // namespace ptcvm::cli

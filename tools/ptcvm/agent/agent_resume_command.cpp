// ptcvm agent resume: goes on with a run of a store, with the answers that have come.
#include <algorithm>
#include <memory>
#include <utility>

#include "agents/loop/doubt_names.h"
#include "tools/ptcvm/agent/agent_doubts.h"
#include "tools/ptcvm/agent/agent_record.h"
#include "tools/ptcvm/agent/agent_snapshot.h"
#include "tools/ptcvm/agent/agent_store.h"
#include "tools/ptcvm/agent/agent_stored_commands.h"
#include "tools/ptcvm/agent/agent_tell.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/store/store_logs.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

struct ResumeAgent : ToldAgent {
  AgentArguments arguments;
  ExpectedSnapshot expected;
};

// Gives one answer of the command line to the run.
Result<void> give(AgentHandle& agent, const std::string& text, bool is_value, std::string& message) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return Error{Errc::invalid_value, text + ": OP=… is wanted", std::nullopt, {}};
  const std::string path = text.substr(0, equals);
  const std::string given = text.substr(equals + 1);
  if (!is_value) return agent.reject(path, given);
  const auto value = read_told_value(path, given, message);
  return value ? agent.resolve(path, *value) : Error{Errc::invalid_value, message, std::nullopt, {}};
}

Result<void> raise(AgentHandle& agent, const std::string& text) {
  std::string message;
  const auto raised = read_limit_number(text, message);
  return raised ? agent.raise(raised->limit, raised->number) : Error{Errc::invalid_value, message, std::nullopt, {}};
}

Result<void> give_all(AgentHandle& agent, const ToldAgent& request) {
  std::string message;
  for (const std::string& text : request.resolved) {
    if (auto given = give(agent, text, true, message); !given) return given;
  }
  for (const std::string& text : request.rejected) {
    if (auto given = give(agent, text, false, message); !given) return given;
  }
  for (const std::string& text : request.raised) {
    if (auto given = raise(agent, text); !given) return given;
  }
  for (const std::string& text : request.said) {
    if (auto given = agent.input(text); !given) return given;
  }
  return {};
}

// Takes out the answers to doubts that nobody was shown before this command, and says so.
Result<void> leave_out_unshown(const Store& store, const loop::AgentRun& run, ResumeAgent& request) {
  const auto unshown = unshown_doubts(store, run.id());
  if (!unshown) return unshown.error();
  const std::vector<std::string> pending = run.pending();
  const auto is_too_early = [&](const std::string& text) {
    const std::string path = text.substr(0, text.find('='));
    if (!unshown->contains(loop::doubted_call(path)) || std::ranges::find(pending, path) == pending.end()) return false;
    complain("warning: the answer to " + path +
             " was not taken: nobody has been shown this call before, so the answer is about another one; give it "
             "again if it is true of this call");
    return true;
  };
  std::erase_if(request.resolved, is_too_early);
  std::erase_if(request.rejected, is_too_early);
  return {};
}

// Tries limits and words on the run as its log has it: when they are refused, the log has no other model and no lower
// limits. Which calls are in doubt is known when the run is opened, so words about doubts are not tried.
Result<void> try_words(const Store& store, const ResumeAgent& request) {
  const AgentArguments& arguments = request.arguments;
  const bool changes_more = !arguments.model.empty() || !arguments.child_models.empty() || !arguments.limits.empty() ||
                            !arguments.tools_files.empty();
  if (!changes_more) return {};
  auto record = AgentRecord::read(Engine(), store, arguments.store.id);
  if (!record) return record.error();
  MemoryAgent tried(std::move(record->run()), now_millis);
  if (const auto stepped = tried.step(); !stepped) return stepped.error();
  if (auto lowered = lower_limits(tried, arguments); !lowered) return lowered;
  ToldAgent words = request;
  const auto is_about_doubt = [](const std::string& text) {
    return !loop::doubted_call(text.substr(0, text.find('='))).empty();
  };
  const auto is_file = [](const std::string& text) {   // perhaps one that can be read once only
    return text.substr(std::min(text.find('='), text.size())).starts_with("=@");
  };
  std::erase_if(words.resolved, is_about_doubt);
  std::erase_if(words.resolved, is_file);
  std::erase_if(words.rejected, is_about_doubt);
  return give_all(tried, words);
}

// Adds the commands that the store keeps: first the commands in files of tools, then the commands of --tool.
bool add_kept_commands(AgentSession& session, const Store& store, const std::string& id, const ToolCommands& words,
                       std::string& message) {
  const auto texts = kept_tools(store, id);
  if (!texts) return message = texts.error().message, false;
  const auto tools = tools_of_texts(*texts, message);
  if (!tools) return false;
  session.add_commands(commands_of(*tools));
  session.add_commands(words);
  return true;
}

// Returns an option that says what only a worker can say of a run of its queue, or "".
std::string_view option_of_worker(const AgentArguments& given) {
  const std::pair<std::string_view, bool> options[] = {
      {"--model", !given.model.empty()}, {"--child-model", !given.child_models.empty()}, {"--stream", given.stream},
      {"--rate", given.rate.has_value()}, {"--prices", !given.prices.empty()}, {"--limit", !given.limits.empty()},
      {"--tools", !given.tools_files.empty()}, {"--tool", !given.tools.empty()}, {"--trace", !given.trace.empty()},
      {"--tool-shell", !given.shell_tools.empty()}, {"--record", !given.record.empty()}};
  const auto* const found = std::ranges::find(options, true, [](const auto& option) { return option.second; });
  return found == std::end(options) ? std::string_view() : found->first;
}

// Goes on with the run of a file. What is refused leaves the file as it was.
int resume_file(ResumeAgent& request) {
  AgentArguments& arguments = request.arguments;
  std::string message;
  const auto snapshot = read_agent_snapshot(arguments.snapshot, arguments.store, request.expected, message);
  if (!snapshot || !can_write_agent_snapshot(arguments.store, message)) return refuse_input(message);
  if (request.ends) return refuse_input("--end is for the session of a queue");
  require_agent_model(arguments, snapshot->definition);
  AgentSession session(arguments);
  if (!session.open(snapshot->definition) || !session.restore(snapshot->bytes, snapshot->sequence)) {
    return refuse_input(session.message());
  }
  if (const auto given = give_all(session.handle(), request); !given) return refuse_error(given.error());
  return session.report(session.drive());
}

int resume_agent(ResumeAgent& request) {
  AgentArguments& arguments = request.arguments;
  if (!arguments.snapshot.empty()) return resume_file(request);
  if (arguments.store.id.empty()) throw CLI::RequiredError("ID");
  const std::string& id = arguments.store.id;
  std::string message;
  int status = kSuccess;
  const auto store = store_of(arguments.store, StoreUse::Existing, status);
  if (!store) return status;
  if (refuses_answers(*store, arguments.store, id)) return kBadInput;
  if (const auto queued = queued_agent(*store, id)) {
    const std::string_view option = is_over(*queued) ? "" : option_of_worker(arguments);
    if (option.empty()) return tell_agent(*store, *queued, request);
    return refuse_input("the run " + id + " is in the queue " + queued->queue +
                        ": its worker has the model, the tools and the limits; leave " + std::string(option) + " out");
  }
  if (request.ends) return refuse_input("--end is for the session of a queue; " + id + " is in none");
  const auto agent = read_agent_of(Engine(), *store, id);
  const auto command = kept_command(*store, id);
  auto replies = used_replies(*store, id);
  if (!agent) return refuse_error(agent.error());
  if (!command) return refuse_error(command.error());
  if (!replies) return refuse_error(replies.error());
  const bool has_other_model = !arguments.model.empty();
  if (!has_other_model) arguments.model = command->model;
  arguments.stream = arguments.stream || command->stream;
  if (!arguments.rate) arguments.rate = command->rate;
  AgentSession session(arguments);
  if (!add_kept_commands(session, *store, id, command->tools, message)) return refuse_input(message);
  session.ask_as(command->choice, command->children);
  session.price_as(command->prices);
  if (!session.open(agent->definition())) return refuse_input(session.message());
  if (const auto tried = try_words(*store, request); !tried) return refuse_error(tried.error());
  if (const auto kept = keep_choice(*store, id, session.choice(), session.child_models(), now_millis()); !kept) {
    return refuse_error(kept.error());
  }
  std::erase_if(*replies, [&](const std::string& path) {   // a model that is new here has said nothing yet
    const std::string named = definition_path(agent->definition(), path);
    const bool is_of_child = find_child_model(command->children, named) != nullptr;
    return is_of_child ? !arguments.child_models.empty() : has_other_model;
  });
  const auto opened = session.open_stored(*store, "{}", *replies);
  if (!opened) return refuse_error(opened.error());
  if (const auto kept = session.keep_tools_of_files(*store); !kept) return refuse_error(kept.error());
  if (const auto stepped = session.handle().step(); !stepped) return refuse_error(stepped.error());
  auto given = lower_limits(session.handle(), arguments);
  if (given) given = leave_out_unshown(*store, session.handle().run(), request);
  if (given) given = give_all(session.handle(), request);
  if (!given) {
    session.leave();
    return refuse_error(given.error());
  }
  const bool is_over = session.handle().run().state() == loop::AgentState::Ended;
  if (is_over && !request.raised.empty()) {
    complain("the run " + id + " has ended, and goes on with --say: what was raised counts then");
  }
  return session.report(session.drive());
}

}  // namespace

void add_agent_resume(CLI::App& agent, int& status) {
  auto* const command = agent.add_subcommand("resume", "Go on with a run of a store, with the answers that have come");
  auto request = std::make_shared<ResumeAgent>();
  declare_agent_of_store(*command, request->arguments.store);
  command->get_option("ID")->required(false);   // a file has one run
  declare_agent_snapshot(*command, request->arguments.snapshot);
  declare_expected_snapshot(*command, request->expected);
  declare_agent_model(*command, request->arguments);
  declare_agent_run(*command, request->arguments);
  const auto list = [&](const char* name, std::vector<std::string>& into, const char* what, const char* type) {
    command->add_option(name, into, what)->type_name(type)->allow_extra_args(false);
  };
  list("--resolve", request->resolved, "The result of an operation, or @ and its file; repeatable", "OP=JSON");
  list("--reject", request->rejected, "An operation is refused, failed or did not happen; repeatable", "OP=TEXT");
  list("--raise", request->raised, "Adds to a limit: turns, model_calls, tokens, …; repeatable", "LIMIT=NUMBER");
  list("--say", request->said, "What the user says next; repeatable", "TEXT");
  command->add_flag("--end", request->ends, "The session of a queue is over when nothing is open any more");
  command->footer(R"(Examples:
  ptcvm agent resume --store runs.db --id may
  ptcvm agent resume --store runs.db --id may --resolve approve:pay=true
  ptcvm agent resume --store runs.db --id may --reject 'approve:pay=not this month'
  ptcvm agent resume --store runs.db --id may --resolve 'clerk/quote={"price": 7}' --raise turns=2
  ptcvm agent resume --store runs.db --id may --say 'And what does it cost?'
  ptcvm agent resume --snapshot may.json --model chat:gpt-4.1 --resolve approve:pay=true

The model and the commands of tools are those with which the run was begun. With --tools, the commands of the files take
the place of those, and what has changed is said. A run of a queue
(ptcvm enqueue --agent) is told, and a worker goes on with it; one that is over is refused. Exit status: as for agent
run; 65 for an answer to something that nobody waits for, which changes nothing.)");
  command->callback([request, &status] { status = resume_agent(*request); });
}

}  // namespace ptcvm::cli

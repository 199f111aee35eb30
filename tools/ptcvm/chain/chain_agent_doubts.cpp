#include "tools/ptcvm/chain/chain_agent_doubts.h"

#include <boost/json.hpp>
#include <map>
#include <set>
#include <utility>

#include "agents/chain/plan/plan_program.h"
#include "agents/chain/run/agent_doubts.h"
#include "agents/chain/run/chain_log.h"
#include "agents/chain/run/steps_run.h"
#include "agents/loop/doubt_names.h"
#include "agents/loop/stored_agent.h"
#include "agents/loop/stored_facts.h"
#include "ptcvm/host_log.hpp"
#include "ptcvm/json.hpp"
#include "tools/ptcvm/chain/chain_setup.h"
#include "tools/ptcvm/store/doubt_text.h"
#include "tools/ptcvm/text/json_members.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;
using chain::LoggedQuestion;

// What a person has said about a call.
struct SaidWord {
  std::uint64_t seq = 0;
  std::string text, by;
};

// What the log of an agent says about calls in doubt.
struct DoubtLog {
  std::map<std::string, std::string> args;     // of calls, by path
  std::map<std::string, SaidWord> settled;     // the first word about each doubt, by path
  std::vector<std::string> waiting;            // paths of doubts that are open
};

void take_word(const HostFact& fact, const std::string& path, const json::object& body, DoubtLog& log) {
  if (log.settled.contains(path)) return;
  const bool happened = fact.name == loop::kResolved;
  const auto value = happened ? Value::from_edn(text_of(body, "text")) : Result<Value>(Value());
  const DoubtAnswer answer = happened ? DoubtAnswer::Happened : DoubtAnswer::DidNot;
  log.settled[path] = {fact.seq, doubt_words(answer, value ? to_json(*value) : json::value()), fact.by};
}

void take_fact(const HostFact& fact, DoubtLog& log) {
  const bool is_word = fact.name == loop::kResolved || fact.name == loop::kRejected;
  if (!fact.is_of_host || (!is_word && fact.name != loop::kIntent)) return;
  boost::system::error_code error;
  const json::value body = json::parse(fact.body, error);
  if (error || !body.is_object()) return;
  std::string path = text_of(body.get_object(), "path");
  if (!is_word) {
    log.args[std::move(path)] = text_of(body.get_object(), "args");
  } else if (!loop::doubted_call(path).empty()) {
    take_word(fact, path, body.get_object(), log);
  }
}

Result<DoubtLog> read_doubts(const Store& store, const std::string& run) {
  DoubtLog log;
  if (auto visited = visit_host_facts(store, run, [&](const HostFact& fact) { take_fact(fact, log); }); !visited) {
    return visited.error();
  }
  const auto parked = HostLog::of(store, run).parked();
  if (!parked) return parked.error();
  if (!*parked) return log;
  for (std::string& path : agent_doubts((*parked)->wait_keys)) {
    const auto said = log.settled.find(path);
    if (said != log.settled.end() && said->second.seq > (*parked)->observed_seq) continue;
    if (said != log.settled.end()) log.settled.erase(said);   // the agent has heard it and still waits
    log.waiting.push_back(std::move(path));
  }
  return log;
}

// Adds the questions of one agent: those that are settled, and those that are open.
void add_questions(const DoubtLog& log, const std::string& run, const std::string& step, std::uint32_t revision,
                   std::vector<LoggedQuestion>& questions) {
  const auto question_of = [&](const std::string& path) {
    const auto args = log.args.find(loop::doubted_call(path));
    chain::AgentDoubt doubt{agent_doubt_key(run, path), path, doubted_tool(path), {}};
    if (args != log.args.end()) doubt.args_json = args->second;
    return chain::asked_question(chain::doubt_operation(doubt, step, revision));
  };
  for (const auto& [path, said] : log.settled) {
    LoggedQuestion question = question_of(path);
    question.is_answered = true;
    question.said = said.text;
    question.by = said.by;
    questions.push_back(std::move(question));
  }
  for (const std::string& path : log.waiting) questions.push_back(question_of(path));
}

}  // namespace

std::string step_agent_run(const std::string& runs, const std::string& key, const std::string& step,
                           std::uint32_t revision) {
  return (runs.empty() ? key : runs + step) + "@" + std::to_string(revision);
}

std::string agent_doubt_key(const std::string& run, const std::string& path) { return run + '/' + path; }

std::string doubted_tool(const std::string& path) {
  const std::string call = loop::doubted_call(path);
  const std::string name = call.substr(call.rfind('/') + 1);   // 0 without a slash
  return name.substr(0, name.find('#'));
}

std::string doubt_words(DoubtAnswer answer, const json::value& output) {
  if (answer == DoubtAnswer::Happened) return "it happened: " + json::serialize(to_json(Value::of(output)));
  return answer == DoubtAnswer::DidNot ? "it did not happen" : "given up";
}

bool is_of_agent(const LoggedQuestion& question) { return question.name.find('/') != std::string::npos; }

Result<void> tell_step_agent(const Store& store, const std::string& run, const std::string& path, DoubtAnswer answer,
                             const json::value& output) {
  loop::AgentMail mail;
  mail.kind = answer == DoubtAnswer::Happened ? loop::AgentMail::Kind::Resolve : loop::AgentMail::Kind::Reject;
  mail.path = path;
  if (answer == DoubtAnswer::Happened) mail.text = Value::of(output).to_edn();
  return loop::StoredAgent::tell(store, run, mail, now_millis());
}

Result<void> tell_agent_of(const Store& store, const LoggedQuestion& question, DoubtAnswer answer,
                           const json::value& output) {
  const std::string path = question.name.substr(question.name.find('/') + 1);
  const std::string run = question.key.substr(0, question.key.size() - path.size() - 1);
  return tell_step_agent(store, run, path, answer, output);
}

Result<std::vector<LoggedQuestion>> task_questions(const Store& store, const std::string& id, AgentQuestions which) {
  auto questions = chain::read_questions(store, id);
  if (!questions) return questions;
  const auto log = chain::read_chain_log(store, id);
  if (!log) return log.error();
  const auto journal = store.journal(chain::steps_run_id(id));
  if (!journal) return journal.error();
  const bool is_over = log->report && !log->is_replanned;
  const bool reads_all = which == AgentQuestions::All;
  std::set<std::string> steps;                        // that have asked something
  for (const LoggedQuestion& question : *questions) steps.insert(question.step);
  for (const JournalCall& call : journal->calls) {
    const bool is_done = is_over || call.state == "committed";
    if (call.tool != chain::program_tool({}) || (is_done && !reads_all)) continue;
    const std::string step(chain::step_of_key(call.task, id));
    for (std::uint32_t revision = reads_all ? 1 : log->revision; revision <= log->revision; ++revision) {
      for (const std::string& runs : {std::string(), id + "/agents/"}) {
        const std::string run = step_agent_run(runs, call.key, step, revision);
        auto doubts = read_doubts(store, run);
        if (!doubts) return doubts.error();
        if (is_done || revision != log->revision) doubts->waiting.clear();
        const std::size_t before = questions->size();
        add_questions(*doubts, run, step, revision, *questions);
        for (std::size_t at = before; at < questions->size(); ++at) {
          (*questions)[at].is_only = steps.insert(step).second;
        }
      }
    }
  }
  if (reads_all) return questions;
  std::erase_if(*questions, [](const LoggedQuestion& question) {
    return question.is_answered && question.kind == LoggedQuestion::Kind::Doubt;
  });
  return questions;
}

}  // namespace ptcvm::cli

#include "tools/ptcvm/agent/agent_tell.h"

#include <boost/json.hpp>
#include <charconv>
#include <iostream>

#include "agents/loop/json_number.h"
#include "agents/loop/stored_agent.h"
#include "tools/ptcvm/agent/agent_record.h"
#include "tools/ptcvm/agent/agent_stored_commands.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/store/store_options.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

using Letter = loop::AgentMail;

// The letters that the words ask for, tried on the run as its log has it. Every function returns false, with the reason
// in `message`.
class Letters {
 public:
  // null: no worker has begun the run, so it waits for nothing.
  explicit Letters(loop::AgentRun* run) : run_(run) {}

  bool add_answer(const std::string& words, bool is_value) {
    const std::size_t equals = words.find('=');
    if (equals == std::string::npos) return refuse(words + ": OP=… is wanted");
    const std::string path = words.substr(0, equals);
    std::string text = words.substr(equals + 1);
    if (run_ == nullptr) return refuse("unknown_operation: the run does not wait for " + path);
    std::optional<Value> value;
    if (is_value && !(value = read_told_value(path, text, message))) return false;
    const auto tried = is_value ? run_->resolve(path, *value) : run_->reject(path, text);
    if (!tried) return refuse(tried.error());
    letters.push_back({is_value ? Letter::Kind::Resolve : Letter::Kind::Reject, path,
                       is_value ? value->to_edn() : std::move(text), 0});
    return true;
  }

  bool add_raise(const std::string& words) {
    auto raised = read_limit_number(words, message);
    if (!raised) return false;
    const auto tried = run_ == nullptr ? Result<void>() : run_->raise(raised->limit, raised->number);
    if (!tried) return refuse(tried.error());
    letters.push_back({Letter::Kind::Raise, std::move(raised->limit), {}, raised->number});
    return true;
  }

  bool add_said(const std::string& text) {
    const auto tried = run_ == nullptr ? Result<void>() : run_->input(text);
    if (!tried) return refuse(tried.error());
    letters.push_back({Letter::Kind::Say, {}, text, 0});
    return true;
  }

  std::vector<Letter> letters;
  std::string message;

 private:
  bool refuse(std::string why) { return message = std::move(why), false; }
  bool refuse(const Error& error) { return refuse(std::string(errc_name(error.code)) + ": " + error.message); }

  loop::AgentRun* const run_;
};

bool take_words(Letters& letters, const ToldAgent& told) {
  for (const std::string& words : told.resolved) {
    if (!letters.add_answer(words, true)) return false;
  }
  for (const std::string& words : told.rejected) {
    if (!letters.add_answer(words, false)) return false;
  }
  for (const std::string& words : told.raised) {
    if (!letters.add_raise(words)) return false;
  }
  for (const std::string& text : told.said) {
    if (!letters.add_said(text)) return false;
  }
  if (told.ends) letters.letters.push_back({Letter::Kind::End, {}, {}, 0});
  return true;
}

}  // namespace

std::optional<Value> read_told_value(const std::string& path, const std::string& text, std::string& message) {
  const auto bound = ValueBound::of_answer(Limits());   // agents keep no other limit for their answers
  std::optional<Value> value;
  if (const auto content = bound.text(text, message)) {
    value = bound.value(*content, false, message);
    const std::string fault = value ? loop::json_number_fault(*content) : "";
    if (!fault.empty()) message = fault, value.reset();
  }
  if (!value) message = path + ": " + message;
  return value;
}

std::optional<LimitNumber> read_limit_number(const std::string& words, std::string& message) {
  const std::size_t equals = words.find('=');
  LimitNumber out;
  if (equals != std::string::npos) {
    out.limit = words.substr(0, equals);
    const char* const end = words.data() + words.size();
    const auto read = std::from_chars(words.data() + equals + 1, end, out.number);
    if (read.ec == std::errc() && read.ptr == end && out.number != 0) return out;
  }
  message = words + ": LIMIT=NUMBER is wanted, and the number is at least 1";
  return std::nullopt;
}

std::optional<QueuedRunStatus> queued_agent(const Store& store, const std::string& run) {
  const auto queued = queued_run(store, run);
  if (!queued || !*queued) return std::nullopt;
  return (*queued)->state == "moved" ? std::nullopt : *queued;
}

bool is_over(const QueuedRunStatus& queued) {
  return queued.state == "done" || queued.state == "dead" || queued.state == "dependency_failed";
}

namespace {

// Says that nobody hears what is said to the run.
int refuse_over(const QueuedRunStatus& queued) {
  const std::string how = queued.state + (queued.reason.empty() ? "" : ": " + queued.reason);
  std::string why = "wrong_state: the run " + queued.run + " of the queue " + queued.queue + " is over (" + how +
                    ") and hears nothing any more";
  if (queued.state == "done") why += "; `ptcvm agent fork` goes on from one of its turns";
  return refuse_input(why + "; `ptcvm agent show` shows how it ended");
}

}  // namespace

int tell_agent(const Store& store, const QueuedRunStatus& queued, const ToldAgent& told) {
  if (is_over(queued)) return refuse_over(queued);
  auto record = AgentRecord::read(Engine(), store, queued.run);
  Letters letters(record ? &record->run() : nullptr);
  if (!take_words(letters, told)) return refuse_input(letters.message);
  if (letters.letters.empty()) {
    return refuse_input("the run " + queued.run + " is in the queue " + queued.queue + " (" + queued.state +
                        "): a worker goes on with it (ptcvm worker --model)");
  }
  for (const Letter& letter : letters.letters) {
    const auto sent = loop::StoredAgent::tell(store, queued.run, letter, now_millis());
    if (!sent) return refuse_error(sent.error());
  }
  // A session may have ended meanwhile, before it heard this.
  if (const auto now = queued_agent(store, queued.run); now && is_over(*now)) return refuse_over(*now);
  std::cout << boost::json::serialize(boost::json::object{{"status", "told"}, {"id", queued.run}}) << '\n';
  return kSuccess;
}

}  // namespace ptcvm::cli

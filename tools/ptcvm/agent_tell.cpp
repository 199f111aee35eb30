#include "tools/ptcvm/agent_tell.h"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <iostream>

#include "agents/loop/stored_agent.h"
#include "tools/ptcvm/agent_record.h"
#include "tools/ptcvm/agent_stored_commands.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/files.h"
#include "tools/ptcvm/json_problem.h"
#include "tools/ptcvm/moments.h"
#include "tools/ptcvm/terminal.h"

namespace ptcvm::cli {
namespace {

using Letter = loop::AgentMail;

// The letters that the words ask for. Every function returns false, with the reason in `message`.
class Letters {
 public:
  explicit Letters(std::vector<std::string> pending) : pending_(std::move(pending)) {}

  bool add_answer(const std::string& words, bool is_value) {
    const auto path = path_of(words, "OP=…");
    if (!path) return false;
    if (!std::ranges::binary_search(pending_, *path)) {
      message = "unknown_operation: the run does not wait for " + *path;
      return false;
    }
    std::string text = words.substr(path->size() + 1);
    if (is_value && !read_value(*path, text)) return false;
    letters.push_back({is_value ? Letter::Kind::Resolve : Letter::Kind::Reject, *path, std::move(text), 0});
    return true;
  }

  bool add_raise(const std::string& words) {
    const auto limit = path_of(words, "LIMIT=NUMBER");
    if (!limit) return false;
    std::uint64_t by = 0;
    const char* const end = words.data() + words.size();
    if (std::from_chars(words.data() + limit->size() + 1, end, by).ptr != end) {
      message = words + ": LIMIT=NUMBER is wanted";
      return false;
    }
    letters.push_back({Letter::Kind::Raise, *limit, {}, by});
    return true;
  }

  std::vector<Letter> letters;
  std::string message;

 private:
  std::optional<std::string> path_of(const std::string& words, const char* wanted) {
    const std::size_t equals = words.find('=');
    if (equals != std::string::npos) return words.substr(0, equals);
    message = words + ": " + wanted + " is wanted";
    return std::nullopt;
  }

  // Turns JSON, or @ and a file of it, into EDN.
  bool read_value(const std::string& path, std::string& text) {
    if (text.starts_with('@')) {
      auto content = read_file(text.substr(1), message);
      if (!content) return false;
      text = *std::move(content);
    }
    const auto value = Value::from_json(text);
    if (!value) {
      message = path + ": what follows = must be JSON, or @ and a file of it: " + json_problem(text);
      return false;
    }
    text = value->to_edn();
    return true;
  }

  const std::vector<std::string> pending_;   // sorted
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
  for (const std::string& text : told.said) letters.letters.push_back({Letter::Kind::Say, {}, text, 0});
  if (told.ends) letters.letters.push_back({Letter::Kind::End, {}, {}, 0});
  return true;
}

// Returns what the run waits for; nothing before a worker has begun it.
std::vector<std::string> paths_of(const Store& store, const std::string& run) {
  const auto record = AgentRecord::read(Engine(), store, run);
  if (!record) return {};
  std::vector<std::string> paths;
  for (const loop::Operation& operation : record->run().operations()) paths.push_back(operation.path);
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

std::optional<QueuedRunStatus> queued_agent(const Store& store, const std::string& run) {
  const auto queued = queued_run(store, run);
  if (!queued || !*queued) return std::nullopt;
  const std::string& state = (*queued)->state;
  const bool is_over = state == "done" || state == "dead" || state == "dependency_failed" || state == "moved";
  return is_over ? std::nullopt : *queued;
}

int tell_agent(const Store& store, const QueuedRunStatus& queued, const ToldAgent& told) {
  Letters letters(paths_of(store, queued.run));
  if (!take_words(letters, told)) return refuse_input(letters.message);
  if (letters.letters.empty()) {
    return refuse_input("the run " + queued.run + " is in the queue " + queued.queue + " (" + queued.state +
                        "): a worker goes on with it (ptcvm worker --model)");
  }
  for (const Letter& letter : letters.letters) {
    const auto sent = loop::StoredAgent::tell(store, queued.run, letter, now_millis());
    if (!sent) return refuse_error(sent.error());
  }
  std::cout << boost::json::serialize(boost::json::object{{"status", "told"}, {"id", queued.run}}) << '\n';
  return kSuccess;
}

}  // namespace ptcvm::cli

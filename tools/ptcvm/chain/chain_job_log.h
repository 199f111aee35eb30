// The log of a chain that is a job of a queue. It has what no part of the chain has: the requests to the model of the
// chain itself with their replies, so that a reply that came is never asked for again, and letters of people, which
// wake the run. Agents of steps keep theirs in logs of their own (StoredAgent). The planner of a conversation that is a
// job has such a log, too, without letters (conversation_model.h).
#pragma once
#include <boost/json/value.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/chain/text/model_usage.h"
#include "ptcvm/host_log.hpp"
#include "ptcvm/store.hpp"

namespace ptcvm::cli {

// What a person says about something that the chain waits for.
struct ChainLetter {
  std::string key;                 // the operation; "": the worker looks at the logs again
  std::uint64_t attempt = 1;       // counts how often a call in doubt was made
  std::string answer;              // to a question
  std::optional<DoubtAnswer> doubt = {};
  boost::json::value output = {};  // what a call gave that happened
  std::string by = {};
};

class ChainJobLog {
 public:
  // Claims the log for the worker that has the run, and reads it. `keeps_requests` says that a request which a process
  // sent and whose reply nobody has is found by its key; other requests of that kind are lost, which is written down.
  static Result<ChainJobLog> open(const Store& store, const std::string& id, bool keeps_requests,
                                  std::function<std::int64_t()> clock);
  // Puts a letter into the log, without a claim.
  static Result<void> tell(const Store& store, const std::string& id, const ChainLetter& letter, std::int64_t now_ms);
  // Returns the letters that people have put into the log, in their order.
  static Result<std::vector<ChainLetter>> letters_in(const Store& store, const std::string& id);
  // Returns how many requests of a chain were lost with their processes.
  static Result<std::size_t> lost_requests(const Store& store, const std::string& id);

  // Reads what others wrote since the last call.
  Result<void> hear();
  const std::vector<ChainLetter>& letters() const { return letters_; }

  // A reply of the model that says something.
  struct Reply {
    std::string text;
    chain::ModelUsage usage;       // its calls: all requests for it, lost and refused ones, too
  };
  // Returns the reply to a request, or nullptr when none came.
  const Reply* reply(std::string_view key) const;
  // Returns the time at which a request that was refused may be sent again; 0: now.
  std::int64_t due_ms(std::string_view key) const;
  std::uint32_t attempts(std::string_view key) const;
  // Writes down that a request is about to be sent. Returns the key under which it is sent.
  Result<std::string> ask(const std::string& key);
  Result<void> keep_reply(const std::string& key, std::string text, const chain::ModelUsage& usage);
  // The model refused, or the reply was cut.
  Result<void> keep_refusal(const std::string& key, std::int64_t due_ms);
  // Returns how many answers of the model came, refusals, too.
  std::size_t answers() const { return answers_; }

  // Parks the log until a letter comes or the time is there. `waits` are shown to people. Returns false when a letter
  // has come meanwhile.
  Result<bool> park(const std::vector<std::string>& waits, std::optional<std::int64_t> deadline_ms);
  Result<void> end();
  Result<void> leave();                                // gives the claim back

 private:
  struct Request {
    std::uint32_t attempts = 0;
    bool is_open = false;          // sent, and nobody has heard of it since
    std::int64_t due_ms = 0;
    std::optional<Reply> reply = {};
  };
  ChainJobLog(HostLog log, std::function<std::int64_t()> clock) : log_(std::move(log)), clock_(std::move(clock)) {}
  void take(const HostFact& fact);
  Result<void> settle_open_requests(bool keeps_requests);
  Result<void> put(std::string name, std::string key, boost::json::object body);

  HostLog log_;
  std::function<std::int64_t()> clock_;
  std::uint64_t token_ = 0, seen_ = 0;
  std::map<std::string, Request, std::less<>> requests_;
  std::vector<ChainLetter> letters_;
  std::size_t answers_ = 0, mails_ = 0;
};

}  // namespace ptcvm::cli

// Plays one case of an agent: processes that come and go on one store, a scripted model, tools with outcomes, and a
// clock that only the case moves.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/loop/stored_agent.h"
#include "agents/replay/scripted_model.h"
#include "tests/scenarios/case_json.h"
#include "tests/scenarios/scenario_store.h"

namespace ptcvm::scenarios {

class AgentFixture {
 public:
  // `is_straight` leaves out kills and hops.
  AgentFixture(const boost::json::object& scenario, const ScenarioStore& store, std::string id, bool is_straight);
  ~AgentFixture();

  Why play();                                   // does every step of the case
  Why check(const boost::json::object& then);   // compares what happened
  // Returns what a run with kills and hops has to share with a straight one.
  boost::json::object essence() const;

 private:
  struct Death {};   // thrown where a process dies
  struct Refusal {
    std::string reason, message;
  };
  struct Reply {     // a reply that is on its way
    std::int64_t at_ms;
    std::string path;
    loop::ModelReply reply;
    std::size_t line;   // in the script
  };

  boost::json::object happened() const;         // the members of `then` that are compared as they are
  Why check_prompt(const boost::json::array& parts, bool wants) const;
  Why step(const boost::json::value& step);
  Why act(std::string_view verb, const boost::json::value& what);
  Why go_on();                                  // until the run ends or waits for something from outside
  Why drive();
  Why do_order(const loop::Operation& order);
  Why ask(const loop::Operation& order);
  Why call(const loop::Operation& order);
  Why advance(std::int64_t by_ms);
  Why hop();
  Why fork(std::uint32_t turn);
  Why open();
  Why told(const Result<void>& result);
  template <class F>
  Why survive(F&& deed);                        // does it; a death makes a new process
  bool strikes(std::string_view boundary);
  void count_turns();

  const boost::json::object& scenario_;
  const ScenarioStore& store_;
  std::string id_;
  const bool is_straight_;
  Engine engine_;
  std::optional<loop::Agent> agent_;
  std::optional<replay::ScriptedModel> model_;
  std::unique_ptr<Store> handle_;
  std::optional<loop::StoredAgent> process_;
  std::deque<std::string> kills_;
  std::vector<Reply> on_their_way_;
  std::int64_t time_ms_ = 1'700'000'000'000;
  std::string dying_kind_;                      // which answer is being recorded: "tool" or ""
  std::map<std::string, std::int64_t> calls_;
  std::map<std::string, std::size_t> outcome_of_;   // by path of the call
  std::map<std::string, std::size_t> next_outcome_;
  std::map<std::uint32_t, std::map<std::string, std::int64_t>> calls_at_turn_;
  std::map<std::uint32_t, std::int64_t> model_calls_at_turn_;
  std::int64_t sent_ = 0;
  std::size_t hops_ = 0;
  std::optional<Refusal> refusal_;
  std::optional<std::string> first_request_;
};

}  // namespace ptcvm::scenarios

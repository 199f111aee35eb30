// One agent of a tree: its turns, its running program, its children. What has to survive is in a state::NodeT that the
// parent's state owns; the session lives beside it and is made from its snapshot when it is needed.
//
// A turn goes through the phases Beginning (may there be a turn?), Asking (a request is made), Awaiting (its reply),
// Pausing (until the next attempt), Running (the program), and back to Beginning, or Ended. Exhausted waits for a
// budget, Held for a person whom a hook asks, Settling for calls of a program that has ended.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agents/loop/agent_run.h"
#include "agents/loop/agent_tree.h"
#include "agents/loop/conversation.h"
#include "agents/loop/prompt.h"
#include "agents/loop/query_agent.h"
#include "agents/loop/tree_budget.h"
#include "agents/wire/reply_reader.h"
#include "ptcvm/session.hpp"

namespace ptcvm::loop {

class AgentNode {
 public:
  // Takes a state that begins or that was saved. `above` is null for the root; everything outlives the node.
  // `query` owns `agent` when the node answers one llm-query, and is null otherwise.
  AgentNode(AgentTree& tree, const CompiledAgent& agent, state::NodeT& node, AgentNode* above,
            std::unique_ptr<const QueryAgent> query = nullptr);
  ~AgentNode();

  // Fills the state of an agent that begins.
  static void begin_state(state::NodeT& node, const CompiledAgent& agent, const boost::json::object& data);

  void go();                                       // runs until everything here and below waits or has ended
  bool is_ended() const { return node_.phase == state::Phase::Ended; }
  bool is_ok() const { return node_.end_reason.empty(); }
  state::NodeT& state() { return node_; }
  const CompiledAgent& agent() const { return agent_; }
  const std::string& path() const { return path_; }
  TreeBudget& budget() { return budget_; }

  void list(std::vector<Operation>& out);          // adds what this agent and its children wait for
  void list_paths(std::vector<std::string>& out) const;

  // Answer what this agent itself waits for; `name` is the last part of a path.
  Result<void> resolve(std::string_view name, ValueView value);
  Result<void> reject(std::string_view name, std::string_view why);
  Result<void> pend(std::string_view name);
  Result<void> begin_call(std::string_view name);
  Result<void> doubt(std::string_view name);
  std::string doubt_path(std::string_view name) const;   // the one that the next doubt about a call has
  Result<void> resolve_model(const ModelReply& reply);
  // Charges the reply to a request that was given up; `path` is the one below this agent. Error: unknown_operation.
  Result<void> charge_given_up(std::string_view path, const ModelReply& reply);
  // Returns which model was asked by the request that waits at a path below this agent, also when it was given up.
  std::optional<ModelChoice> model_of(std::string_view path) const;
  Result<void> lose_model();
  Result<void> defer_model(std::int64_t due_ms);
  void chunk(std::string_view bytes);
  AgentNode* child(std::string_view name);         // a child that runs, or null

  // Tells the agent a text. An agent that is over goes on with it; see has_unanswered_words() for one that is at work.
  void say(std::string_view text);
  void raised();                                   // a limit was raised: goes on when it waited for that
  enum class Face { Bytes, Json };
  void save(Face face);                            // writes the session into the state, here and below
  Result<void> restore();                          // makes sessions and children of a loaded state
  Result<void> check_data() const;                 // invalid_snapshot when no program can have the data
  // Leaves the first turns of a saved state, for a fork.
  static void keep_turns(state::NodeT& node, const CompiledAgent& agent, std::uint32_t turns);
  const std::vector<std::unique_ptr<AgentNode>>& children() const { return children_; }
  bool is_in_stream() const;                       // whether a stream of chunk() is under way, here or below
  Result<void> unknown(std::string_view name) const;   // the error for a name that nothing has

 private:
  // agent_node.cpp: turns
  void begin_turn();
  bool is_at_work() const;
  bool is_past_deadline() const;
  void end_past_deadline();
  void pause_until(std::int64_t due_ms);
  void open_turn();
  void end_turn(state::TurnKind kind, std::string feedback);
  void cut_observation(std::string& text) const;
  void exhaust(const std::string& reason, const std::string& message);
  bool fall_back();
  void end_ok(std::string result_json, bool is_fallback);
  void end_error(std::string reason, std::string message);
  TurnType turn_type() const;
  bool has_program() const { return node_.phase == state::Phase::Running || node_.phase == state::Phase::Settling; }
  bool has_own_program() const { return !agent_.definition->program.empty(); }
  bool has_tools() const { return has_own_program() || turn_type() == TurnType::Work; }
  bool render_progress();                          // returns false when the renderer has ended the run
  void take_staged();
  bool has_unanswered_words() const;
  void go_on_behind_end();
  void record_state_of_session();

  // agent_request.cpp: requests
  void ask();
  void send();
  void take_left_definitions();
  std::vector<DefinitionNote> left_definitions();
  std::uint64_t definitions_room();
  std::uint64_t leave_turns();
  std::string notes();
  wire::GrowingBody::Body request_body();

  // agent_hooks.cpp: what hooks of the host say about turns, requests and replies
  enum class Goes : std::uint8_t { On, Held, Ended };
  HookVerdict judged(const std::string& at, const std::function<HookVerdict()>& hook);
  Goes obey(const HookVerdict& verdict, const std::string& at);
  void hold(const std::string& at, std::string question, state::Phase behind);
  Goes judge_turn();
  Goes judge_request();
  std::optional<HookVerdict> judge_reply(wire::Reply& reply);
  bool obey_about_reply(const HookVerdict& verdict);   // returns whether the reply is read now
  void judge_turn_end(std::string& feedback);
  void settle_turn_end();
  Hooks session_hooks();
  HookVerdict judge_call(ToolCall& call);
  Result<std::optional<Value>> judge_answer(const state::OperationT& called, ValueView answer);
  bool is_held_at(std::string_view name) const;
  bool is_held_well() const;                       // for a state that was loaded
  void decide_held(bool is_allowed, std::string_view why);
  ModelChoice asked_model() const;                 // with what a hook has changed for this request

  // agent_own_program.cpp: agents that ask no model
  void use_own_program();
  void end_own_program(std::string reason, std::string message);

  // agent_reply.cpp: replies
  void take_reply(wire::Reply reply);
  void read_reply(const wire::Reply& reply);
  void take_failure(const wire::ReplyError& error);
  void charge(const ModelChoice& model, std::uint32_t& lost, const wire::Reply& reply, const ModelReply& came);
  void read_program(const wire::Reply& reply);
  void read_text(const wire::Reply& reply);
  void read_json(std::string_view text);
  void read_native(const wire::Reply& reply);
  void give_result(std::string text, bool is_error);

  // agent_program.cpp and agent_calls.cpp: programs
  Session& session();
  Result<void> open_session();
  void load_session();
  bool run_program();                              // returns whether the turn or the phase went on
  void start_program(const std::string& written);
  bool start_native_call();
  std::string callable_name(const std::string& said) const;
  void finish_program();
  void finish_native_call();
  void take_return(ValueView value, const Outcome& outcome);
  void take_fault(const Diagnostic& fault, const Outcome& outcome);
  std::string shown(const Outcome& outcome, ValueView value);
  std::string changed_definitions();
  bool take_calls();
  bool take_questions();
  void take_signals();
  void take_call(const WaitingCall& call);
  bool settle_children();
  void start_child(const WaitingCall& call, state::OperationT& operation, const CompiledAgent& agent,
                   const boost::json::object& data, std::unique_ptr<const QueryAgent> query = nullptr);
  std::optional<std::string> start_query(const WaitingCall& call, state::OperationT& operation);   // or why not
  bool is_query(std::string_view tool) const;
  void drop_child(std::size_t index);
  void give_up(const AgentNode& gone, const std::string& path);
  std::string new_name(const std::string& tool);
  bool has_lasting_unsafe_effect();

  // agent_approvals.cpp: calls that a person allows
  bool is_asked_behind_handle(std::string_view tool) const;
  void ask_about(const WaitingCall& call, state::OperationT& operation);
  Result<void> decide_call(std::string_view name, bool is_allowed, std::string_view why);

  // agent_settling.cpp: programs that have ended while calls of theirs are under way
  bool outlives_program(std::string_view tool) const;
  bool is_without_word(const state::OperationT& call) const;
  bool has_calls_without_word() const;             // here or below
  bool is_waited_for(const state::OperationT& call) const;
  bool waits_for_calls() const;
  bool is_left(const state::OperationT& call) const;
  void end_program(state::TurnKind kind, std::string feedback, state::AfterProgram after = state::AfterProgram::Turn,
                   std::string result_or_reason = {}, std::string message = {});
  void settle_program();
  bool settle_calls();
  Result<void> check_program_end();                // when a state was loaded
  void reach_deadline();
  void leave();
  void leave_child(std::size_t index);
  void forget_operations(bool is_fault);

  // agent_answers.cpp: operations
  std::string public_key(const state::OperationT& call) const;
  void list_calls(std::vector<Operation>& out);
  state::OperationT* find_operation(std::string_view name, state::OperationKind kind);
  state::OperationT* find_doubt(std::string_view name);
  state::OperationT* find_call(std::uint64_t call);
  bool is_signal_waiting(std::string_view name);
  std::optional<std::string> misfit(const state::OperationT& called, ValueView value) const;
  void keep_settled(std::string name, std::uint64_t digest);
  void forget_settled(std::string_view name);
  Result<void> settle(std::string_view name, const std::string& answer, const std::function<Result<void>()>& apply);
  Result<void> tell_answer(const state::OperationT& called, ValueView value);
  Result<void> tell_error(const state::OperationT& called, const std::string& why);
  bool is_in_doubt() const;                        // here or below
  void remove_operation(std::string_view name);
  void note_effect(const state::OperationT& operation);
  // Returns the id of the programs of this agent, which is the first part of the keys of their calls. The id of the run
  // has "~0" for "~" and "~1" for "/" there, so that no agent below a run has the id of another run.
  std::string run_id() const;
  std::string path_of(std::string_view name) const { return path_below(path_, name); }

  AgentTree& tree_;
  const std::unique_ptr<const QueryAgent> query_;      // owns agent_, or null
  const CompiledAgent& agent_;
  state::NodeT& node_;
  AgentNode* const above_;
  const std::string path_;
  TreeBudget budget_;
  std::vector<std::unique_ptr<AgentNode>> children_;   // in the order of node_.children
  std::optional<Session> session_;
  std::unique_ptr<wire::ReplyReader> stream_;          // of chunk()
  Conversation conversation_;
  Result<std::vector<PlanStep>> plan_;                 // given, or made; an error when what was made is no plan
  std::map<std::string_view, std::string_view> defined_;   // by the first turns: names and EDN, which the turns own
  std::size_t defined_turns_ = 0;                          // how many turns these are
  struct LeftDefinition {
    std::string_view edn;                              // belongs to its turn
    std::string doc;
  };
  std::map<std::string_view, LeftDefinition> left_;    // by the first turns, which have left the request
  std::size_t left_turns_ = 0;                         // how many turns these are
  wire::GrowingBody::Body body_;                       // what the request that waits is written as, or null
  std::unordered_map<std::string_view, std::uint64_t> settled_;   // digests by name, which node_.settled owns
  std::optional<HookVerdict> turn_end_;                // what a hook said about the turn that ends now
};

Error loop_error(Errc code, std::string message);

}  // namespace ptcvm::loop

// A planner proposes what to say next: a pure function of a conversation, except for its tasks. A planner is a C++
// class, a function or an agent. Only the harness says when a planner runs and what of its output is written.
#pragma once
#include <boost/json/value.hpp>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agents/harness/conversation/conversation.h"

namespace ptcvm::harness {

// What a person sees of a pass: a phase (idle, reading, planning, tool, drafting, waiting), a title and more text.
struct Hud {
  std::string phase, title, body;
  friend bool operator==(const Hud&, const Hud&) = default;
};

// What a planner can do while it plans. Valid until plan() returns.
class PlanContext {
 public:
  using Task = std::function<boost::json::value()>;
  virtual ~PlanContext() = default;
  // The facts at the beginning of the pass, and what the tasks of the pass added.
  virtual const ConversationView& view() const = 0;
  // Returns whether this pass goes on with what the last plan() waited for. Otherwise the planner gives that up.
  virtual bool resumes() const = 0;
  // Evaluates `body` once for each key in this conversation, whatever becomes of the pass, and returns its value. The
  // body throws when it failed; then nothing is kept. Throws std::runtime_error when the log cannot be written.
  virtual boost::json::value task(std::string_view key, const Task& body) = 0;
  // Writes a fact that a task made, once for each key. Returns whether this call wrote it.
  virtual bool record(std::string_view key, const ProposedFact& fact) = 0;
  // Write down that a tool is called now whose effect must not be repeated, and what became of the call
  // (planner_calls.h). `call` needs its key, run, tool and arguments. Throw as record() does.
  virtual void call_begins(const PlannerCall& call) = 0;
  virtual void call_ended(std::string_view key, CallEnd end, std::string_view outcome) = 0;
  // Returns a new id that begins with the prefix. The same pass gives the same ids.
  virtual std::string new_id(std::string_view prefix) = 0;
  virtual void hud(Hud hud) = 0;
};

// What a pass led to.
struct PlanOutput {
  enum class Kind : std::uint8_t {
    Proposed,   // `facts`; an empty list means that there is nothing to say
    Failed,     // `error`: the planner could not decide
    Waiting,    // the planner waits for one of the facts in `waits`, and is asked again when there is one
  };
  Kind kind = Kind::Proposed;
  std::vector<ProposedFact> facts = {};
  std::string error = {};
  std::vector<std::string> waits = {};
  boost::json::object fault = {};   // Failed: {"kind", "line", "column", "stack"} of the fault of a program, or {}

  static PlanOutput proposed(std::vector<ProposedFact> facts) { return {Kind::Proposed, std::move(facts), {}, {}, {}}; }
  static PlanOutput failed(std::string error, boost::json::object fault = {}) {
    return {Kind::Failed, {}, std::move(error), {}, std::move(fault)};
  }
  static PlanOutput waiting(std::vector<std::string> waits) { return {Kind::Waiting, {}, {}, std::move(waits), {}}; }
};

// See the top of this file.
class Planner {
 public:
  virtual ~Planner() = default;
  // Proposes facts. May throw; the harness records the message of the exception.
  virtual PlanOutput plan(PlanContext& context) = 0;
};

// A planner that is a function.
class CallablePlanner final : public Planner {
 public:
  using Function = std::function<std::vector<ProposedFact>(PlanContext&)>;
  explicit CallablePlanner(Function function) : function_(std::move(function)) {}
  PlanOutput plan(PlanContext& context) override { return PlanOutput::proposed(function_(context)); }

 private:
  Function function_;
};

}  // namespace ptcvm::harness

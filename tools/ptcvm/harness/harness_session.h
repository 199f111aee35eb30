// One conversation of a store, as the commands of `ptcvm harness` see it.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/harness/pass/harness.h"
#include "agents/harness/planners/model_text.h"
#include "agents/harness/sending/outbox.h"
#include "tools/ptcvm/calls/run_options.h"
#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {

// What the commands are told. Each of them has some of the members.
struct HarnessArguments {
  StoreOptions store;                          // --id names the conversation
  std::string peer;                            // the conversation of the other side; "" when a script carries messages
  std::string remote;                          // --remote: the agent of the other side
  // --planner, --config, --scenario, --replies, --model, --prices
  std::string planner, config, scenario, replies, model, prices;
  RunArguments tools;                          // --tools, --tool, --tool-shell, --tool-effect: for a program that plans
  std::string mode = "approve";
  bool begins = false;
  std::vector<std::string> words;              // the positional arguments
  std::string next;                            // --next
};

// Opens the conversation, and sends its messages.
class HarnessSession {
 public:
  explicit HarnessSession(const HarnessArguments& arguments) : arguments_(arguments) {}
  ~HarnessSession();
  HarnessSession(const HarnessSession&) = delete;
  HarnessSession& operator=(const HarnessSession&) = delete;

  // Returns what the command ends with when that fails, and says why. Without `for_planning` the log of a program that
  // plans may be one that is refused.
  std::optional<int> open(StoreUse use, bool for_planning = true);
  harness::Conversation& conversation() { return *conversation_; }
  harness::Outbox& outbox() { return *outbox_; }
  const Store& store() const { return *store_; }
  harness::Author author() const;
  // Prints the line that says what the conversation waits for, and on standard error the commands that settle what
  // nobody knows. Returns what the command ends with.
  // `also_call`: a call of the planner was in the way.
  int report(bool also_call = false);
  // Says why something was refused, and what the conversation waits for. Returns what the command ends with.
  int refuse(const Error& error);
  // Prints the line of a command that was refused, unless it is there already: report()'s, or one with the status
  // "none" when there is no conversation.
  void end_refused();

 private:
  std::string command(std::string_view name) const;
  void show_flights() const;
  void show_call() const;
  void show_frozen() const;
  void show_given_up() const;

  const HarnessArguments& arguments_;
  std::optional<Store> store_;
  std::optional<harness::Conversation> conversation_;
  std::unique_ptr<harness::Transport> transport_;
  std::unique_ptr<harness::Outbox> outbox_;
  bool has_reported_ = false;
};

// Acts in a session, and returns what the command ends with. A command that is refused ends with a line of JSON, too.
int in_session(const HarnessArguments& arguments, const std::function<int(HarnessSession&)>& act);

// Returns whether the first facts of a log belong to a conversation. Error: store_failed.
Result<bool> is_conversation(const Store& store, const std::string& log);

// Checks that the log is one of a conversation, or empty. Errors: wrong_state, with the id; invalid_value when it is
// empty and has a name that runs of planners have; store_failed.
Result<void> check_conversation(const Store& store, const harness::Conversation& conversation);
// Returns invalid_value when runs of planners have such names, so that no conversation begins under this id.
Result<void> check_new_conversation(const std::string& id);

// Opens the conversation of the other side, in the same store. `own` must outlive the transport. Errors: wrong_state
// when the log of that name belongs to a run; as PeerTransport::open().
Result<std::unique_ptr<harness::Transport>> peer_transport(const Store& store, const std::string& peer,
                                                           const harness::Conversation& own);

// Returns an id for a message that a script carries. Two processes at once have two ids, so that no message is lost.
std::string heard_id(const harness::ConversationView& view);

// Reads a file with one JSON object.
std::optional<boost::json::object> json_file(const std::string& path, std::string& message);

// Declares the options that say what plans, for run and serve.
void declare_planner(CLI::App& command, HarnessArguments& arguments);

void add_harness_run(CLI::App& app, int& status);
void add_harness_serve(CLI::App& app, int& status);

}  // namespace ptcvm::cli

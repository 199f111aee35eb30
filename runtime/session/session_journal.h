// The journal of a session as its host sees it: results of tasks by their ids. The run keeps the journal; a host loads
// it, lets it look for tasks elsewhere, and takes entries out.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/session/edn_values.h"
#include "vm/exec/run.h"

namespace ptc {

class SessionJournal {
 public:
  // Both must outlive the journal.
  SessionJournal(Run& run, EdnValues& edn) : run_(run), edn_(edn) {}

  void enable() { run_.enable_journal(); }     // without a journal, (task …) does not cache
  // Loads the entries that the journal lacks from a map of ids to values, also into a restored turn. Returns a message
  // when it refuses the text.
  std::optional<std::string> load(std::string_view edn);
  // Loads one entry, also into a restored turn. Refuses ids that the journal has.
  std::optional<std::string> load_task(std::string_view id, std::string_view edn);
  bool has(std::string_view id) const { return run_.environment().journal.find(id) != nullptr; }
  void forget_all_but(const std::function<bool(std::string_view id)>& keep);
  // Returns {"id" value}, "" when the text is longer than that, or nullopt without a journal.
  std::optional<std::string> edn(std::uint64_t most_bytes = UINT64_MAX) const;

  // Looks for tasks that the journal does not have: EDN text without functions. A text that is not EDN counts as nil,
  // and `complain` is told. `returned` is explained in Journal::Found.
  struct TaskText {
    const std::string* edn = nullptr;   // null when there is no such task
    bool returned = false;
  };
  using TaskSource = std::function<TaskText(std::string_view id)>;
  void set_source(TaskSource source, std::function<void(std::string_view id)> complain);
  // Charges large values that tasks commit. When commits are written as they come, tasks commit only what can be
  // written out and has memory for its text.
  void bound_commits(bool are_written);
  // Says for which tasks (task-reset id) needs a reason.
  void set_reset_rule(std::function<bool(std::string_view id)> needs_reason);

 private:
  void restore(std::string_view id, Value taken);

  Run& run_;
  EdnValues& edn_;
};

}  // namespace ptc

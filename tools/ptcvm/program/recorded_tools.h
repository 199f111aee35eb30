// Recorded answers of tools, which calls get again. A call takes the first unused record with equal name and
// arguments, else the last such record again, else the call is a tool error. Tools that start operations get their
// recorded answers when the program waits.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/run.hpp"
#include "tools/ptcvm/program/resolve_order.h"

namespace ptcvm::cli {

struct RecordedCall {
  std::string tool;
  std::string args_edn;
  std::optional<std::string> result_edn;
  std::optional<std::string> error_edn;      // any EDN; a string is the message, other values give their text
};

// A recorded answer: a value, or the message of a call that failed.
struct RecordedAnswer {
  Value value;
  std::optional<std::string> error;
};

class RecordedTools {
 public:
  // Adds a record. Returns a message when the arguments cannot be read.
  std::optional<std::string> add(RecordedCall call);
  // Answers a call of a tool, as a callable of Tools::add().
  ToolReply reply_to(ToolCall& call);
  RecordedAnswer answer(std::string_view tool, ValueView args);
  // Returns which records were used, for another process that goes on with the same records.
  std::string state() const;
  void set_state(std::string_view state);

 private:
  struct Entry {
    RecordedCall call;
    Value args;
    bool used = false;
  };

  Entry* find(std::string_view tool, ValueView args);

  std::vector<Entry> entries_;
};

// Tells a suspended run every recorded answer for the operations that wait, in that order, or none of them. Returns how
// many there were, or why the run refused them.
Result<std::size_t> tell_recorded(Run& run, const Tools& tools, RecordedTools& recorded, ResolveOrder& order);

}  // namespace ptcvm::cli

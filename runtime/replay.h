// Recorded tool answers, given again: a call takes the first unused record with equal name and arguments, else the last
// such record again, else it is a tool error.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "runtime/tools.h"

namespace ptc {

struct RecordedCall {
  std::string tool;
  std::string args_edn;
  std::optional<std::string> result_edn;
  std::optional<std::string> error_edn;      // any EDN; a string is the message, other values their text
};

// The recorded arguments are values of that heap, which must outlive the replay.
class ToolReplay {
 public:
  explicit ToolReplay(Heap& heap) : heap_(heap) {}
  ~ToolReplay();
  ToolReplay(const ToolReplay&) = delete;
  ToolReplay& operator=(const ToolReplay&) = delete;

  // A message when the arguments cannot be read.
  std::optional<std::string> add(RecordedCall call);
  ToolReply answer(const ToolCall& call);

 private:
  struct Entry {
    RecordedCall call;
    Value args;              // owned
    bool used = false;
  };

  Entry* find(const ToolCall& call);

  Heap& heap_;
  std::vector<Entry> entries_;
};

}  // namespace ptc

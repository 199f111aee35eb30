// Host tools: what a program can call, by name. Synchronous: a handler gives its answer or an error at once.
//
// Values cross this boundary in the heap of the run. What a handler gives back must be plain data (is_plain_data):
// dates travel as ISO text in both directions, functions not at all.
#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vm/value/heap.h"

namespace ptc {

using Deadline = std::chrono::steady_clock::time_point;

struct ToolDefinition {
  std::string name;
  std::string signature;      // may be empty; a signature that cannot be read is ignored
  bool cache = false;         // same name and arguments: the first good answer is used again
  bool is_async = false;
  std::string effect;         // effect class; "" is unsafe
};

struct ToolCall {
  std::string_view name;                          // as registered
  Value args;                                     // borrowed: a map with string keys
  Heap& heap;
  std::optional<Deadline> deadline;               // of the whole run
  const std::atomic<bool>* cancelled = nullptr;   // may be null
};

struct ToolReply {
  Value result = Value::nil();    // owned by whoever holds the reply
  bool failed = false;
  std::string message;            // when failed

  static ToolReply value(Value taken) { return {taken, false, {}}; }
  static ToolReply error(std::string message) { return {Value::nil(), true, std::move(message)}; }
};

using ToolHandler = std::function<ToolReply(const ToolCall&)>;

struct Tool {
  ToolDefinition definition;
  ToolHandler handler;
};

class ToolRegistry {
 public:
  // A second tool of the same name replaces the first.
  void add(ToolDefinition definition, ToolHandler handler);
  // The exact name first, then with "-" and "_" taken as the same; null when there is none.
  const Tool* find(std::string_view name) const;
  bool empty() const { return tools_.empty(); }
  std::vector<std::string_view> names() const;         // sorted
  std::vector<std::string_view> sync_names() const;    // sorted

 private:
  std::vector<Tool> tools_;   // sorted by name
};

// "Unknown tool: n. Available tools: a, b"
std::string unknown_tool_message(std::string_view name, const ToolRegistry& tools);

// nil, booleans, numbers, strings, keywords, and vectors, maps and sets of them. Iterative.
bool is_plain_data(Heap& heap, Value value, Value* offender = nullptr);

}  // namespace ptc

// The first good answers of tools that are marked for it (ToolDefinition::cache), by tool and arguments.
//
// Calls of parallel branches that wait at the same time are all made: none sees the answer to another. So a new answer
// is kept apart until keep_fresh(). Of equal calls the last answer stays.
#pragma once
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vm/exec/run.h"

namespace ptc {

class AnswerCache {
 public:
  explicit AnswerCache(Run& run) : run_(run) {}   // the run must outlive the cache
  ~AnswerCache() { forget(); }
  AnswerCache(const AnswerCache&) = delete;
  AnswerCache& operator=(const AnswerCache&) = delete;

  // Returns the key of a call: the name of its tool, and its arguments as text.
  std::string key_of(std::string_view tool, Value borrowed_args) const;
  Value find(const std::string& key) const;            // borrowed; absent when there is no such answer
  void add(std::string key, Value borrowed);           // find() sees the answer after keep_fresh()
  void keep_fresh();
  bool has_fresh() const { return !fresh_.empty(); }

  void load(std::string key, Value taken) { kept_.emplace(std::move(key), taken); }
  std::vector<std::pair<std::string, Value>> sorted() const;   // by key; the values are borrowed
  void forget();

 private:
  Run& run_;
  std::unordered_map<std::string, Value> kept_;                // owned
  std::vector<std::pair<std::string, Value>> fresh_;           // owned
};

}  // namespace ptc

// What a planner is told about the place in which a task is done.
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "agents/chain/memory/task_archive.h"
#include "agents/chain/report/document.h"

namespace ptcvm::chain {

struct ContextTool {
  std::string name, signature, description;   // the last two may be ""
  friend bool operator==(const ContextTool&, const ContextTool&) = default;
};

struct TaskContext {
  std::string cwd;                                    // the working folder
  std::vector<ContextTool> tools;
  std::string strategy_id = "unknown", strategy_version = "unknown";
  boost::json::object system, constraints, preferences;   // what the strategy says
  std::vector<MemoryFact> facts;                      // what earlier tasks and people said, the best match first
  std::vector<Episode> episodes;                      // earlier tasks, the best match first
  std::vector<std::string> confirmed_tools, denied_tools;
};

boost::json::object context_json(const TaskContext& context);
// Reads what context_json() writes.
std::variant<TaskContext, DocumentFault> read_context(const boost::json::value& document);

}  // namespace ptcvm::chain

// Records of tasks as lines of JSON, to be carried from one store to another.
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <variant>

#include "agents/chain/memory/task_record.h"
#include "agents/chain/report/document.h"

namespace ptcvm::chain {

// {"kind": "task", "version": 1, "taskId", "input", "reports", "feedback", "plan", "result", "strategyId",
// "strategyVersion", "createdAt", "traces"}. Equal records give equal lines.
boost::json::object record_json(const TaskRecord& record);
// Reads what record_json() writes. The fault has the name RECORD_INVALID; reports and feedback are judged by their
// schemas.
std::variant<TaskRecord, DocumentFault> read_record(const boost::json::value& document);

}  // namespace ptcvm::chain

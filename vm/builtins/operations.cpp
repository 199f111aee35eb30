#include "vm/builtins/operations.h"

#include <algorithm>
#include <utility>

namespace ptc {

std::string_view operation_kind_name(Operation::Kind kind) {
  switch (kind) {
    case Operation::Kind::Tool: return "tool";
    case Operation::Kind::Sleep: return "sleep";
    case Operation::Kind::Signal: return "signal";
  }
  return "";
}

std::string_view operation_status_name(Operation::Status status) {
  switch (status) {
    case Operation::Status::Waiting: return "waiting";
    case Operation::Status::Ok: return "ok";
    case Operation::Status::Error: return "error";
    case Operation::Status::Cancelled: return "cancelled";
    case Operation::Status::Expired: return "expired";
  }
  return "";
}

Operations::~Operations() { clear(); }

void Operations::clear() {
  for (const Operation& operation : all_) {
    heap_.release(operation.args);
    heap_.release(operation.immediate);
    heap_.release(operation.arrived_immediate);
    heap_.release(operation.result);
  }
  heap_.account(-static_cast<std::int64_t>(std::exchange(record_bytes_, 0)));
  heap_.account_records(-static_cast<std::int64_t>(std::exchange(text_bytes_, 0)));
  all_.clear();
  index_.clear();
  of_task_.clear();
  inbox_.clear();
  waiting_ = 0;
  earliest_due_ = INT64_MAX;
}

const Operation* Operations::find(std::string_view id) const {
  const auto at = index_.find(id);
  return at == index_.end() ? nullptr : &all_[at->second];
}

Operation* Operations::find(std::string_view id) {
  const auto at = index_.find(id);
  return at == index_.end() ? nullptr : &all_[at->second];
}

Value Operations::immediate_of(std::string_view id) const {
  const Operation* operation = find(id);
  return operation == nullptr ? Value::nil() : operation->immediate;
}

std::uint64_t Operations::record_bytes_of(const Operation& operation) {
  constexpr std::uint64_t kObjectBytes = 512;   // on every machine, with its places in the tables of ids and tasks
  static_assert(sizeof(Operation) + 128 <= kObjectBytes);
  return kObjectBytes + 2 * operation.id.size() + operation.tool.size() + 2 * operation.task_id.size() +
         operation.call_path.size() + operation.key.size();
}

Operation& Operations::open(Operation taken) {
  text_bytes_ += record_bytes_of(taken);
  heap_.account_records(static_cast<std::int64_t>(record_bytes_of(taken)));
  const auto index = static_cast<std::uint32_t>(all_.size());
  index_.emplace(taken.id, index);
  if (!taken.task_id.empty() && !taken.detached) of_task_[taken.task_id].push_back(index);
  const bool is_waiting = taken.status == Operation::Status::Waiting;
  if (is_waiting) {
    ++waiting_;
    if (taken.due_ms != 0) earliest_due_ = std::min(earliest_due_, taken.due_ms);
  }
  if (!taken.arrived_immediate.is_absent() || (!is_waiting && !taken.delivered)) inbox_.push_back(index);
  all_.push_back(std::move(taken));
  return all_.back();
}

std::string Operations::fresh_id() {
  for (;;) {
    std::string id = "op" + std::to_string(++last_fresh_id);
    if (find(id) == nullptr) return id;
  }
}

std::string Operations::known_text() const {
  constexpr std::size_t kShown = 10;
  if (all_.empty()) return "none";
  std::string text;
  const std::size_t first = all_.size() > kShown ? all_.size() - kShown : 0;
  for (std::size_t k = first; k < all_.size(); ++k) {
    text += (k > first ? ", " : "") + all_[k].id + " (" + all_[k].tool + ')';
  }
  return first == 0 ? text : text + " and " + std::to_string(first) + " older ones";
}

std::vector<const Operation*> Operations::attachable(std::string_view task_id, std::string_view call_path) const {
  std::vector<const Operation*> found;
  const auto at = of_task_.find(task_id);
  if (at == of_task_.end()) return found;
  for (const std::uint32_t index : at->second) {
    const Operation& operation = all_[index];
    if (operation.resets_to_come == 0 && operation.call_path == call_path) found.push_back(&operation);
  }
  return found;
}

void Operations::detach_task(std::string_view task_id) {
  const auto at = of_task_.find(task_id);
  if (at == of_task_.end()) return;
  std::vector<std::uint32_t>& opened = at->second;
  const auto done = std::stable_partition(opened.begin(), opened.end(),
                                          [this](std::uint32_t index) { return all_[index].resets_to_come != 0; });
  std::for_each(done, opened.end(), [this](std::uint32_t index) { all_[index].detached = true; });
  opened.erase(done, opened.end());
  if (opened.empty()) of_task_.erase(at);
}

void Operations::reset_task(std::string_view task_id) {
  detach_task(task_id);
  const auto at = of_task_.find(task_id);
  if (at == of_task_.end()) return;
  for (const std::uint32_t index : at->second) --all_[index].resets_to_come;
}

void Operations::settle(Operation& operation, Operation::Status status) {
  operation.status = status;
  operation.sequence = ++last_sequence;
  --waiting_;
  inbox_.push_back(index_of(operation));
}

void Operations::settle_ok(Operation& operation, Value taken_result) {
  operation.result = taken_result;
  settle(operation, Operation::Status::Ok);
}

void Operations::settle_error(Operation& operation, std::string reason) {
  operation.reason = std::move(reason);
  settle(operation, Operation::Status::Error);
}

void Operations::settle_cancelled(Operation& operation, std::string reason) {
  operation.reason = std::move(reason);
  settle(operation, Operation::Status::Cancelled);
}

void Operations::settle_expired(Operation& operation) { settle(operation, Operation::Status::Expired); }

void Operations::progress(Operation& operation, Value taken_immediate) {
  heap_.release(operation.arrived_immediate);
  operation.arrived_immediate = taken_immediate;
  inbox_.push_back(index_of(operation));
}

void Operations::set_created(std::string_view id, std::int64_t created_ms) {
  Operation* const operation = find(id);
  if (operation == nullptr || operation->status != Operation::Status::Waiting) return;
  std::int64_t moved = 0;
  const bool is_far = __builtin_sub_overflow(created_ms, operation->created_ms, &moved);
  operation->created_ms = created_ms;
  if (operation->due_ms == 0 || is_far || __builtin_add_overflow(operation->due_ms, moved, &operation->due_ms)) return;
  if (operation->due_ms == 0) operation->due_ms = 1;   // 0 is never
  earliest_due_ = std::min(earliest_due_, operation->due_ms);
}

void Operations::settle_due(std::int64_t now_ms) {
  if (now_ms < earliest_due_) return;
  std::vector<std::uint32_t> due;
  earliest_due_ = INT64_MAX;
  for (std::uint32_t k = 0; k < all_.size(); ++k) {
    const Operation& operation = all_[k];
    if (operation.status != Operation::Status::Waiting || operation.due_ms == 0) continue;
    if (operation.due_ms <= now_ms) {
      due.push_back(k);
    } else {
      earliest_due_ = std::min(earliest_due_, operation.due_ms);
    }
  }
  std::stable_sort(due.begin(), due.end(),
                   [this](std::uint32_t a, std::uint32_t b) { return all_[a].due_ms < all_[b].due_ms; });
  for (const std::uint32_t k : due) {
    if (all_[k].kind == Operation::Kind::Sleep) {
      settle_ok(all_[k], Value::nil());
    } else {
      settle_expired(all_[k]);
    }
  }
}

bool Operations::deliver_all() {
  if (inbox_.empty()) return false;
  for (const std::uint32_t index : inbox_) {
    Operation& operation = all_[index];
    if (!operation.arrived_immediate.is_absent()) {
      heap_.release(operation.immediate);
      operation.immediate = operation.arrived_immediate;
      operation.arrived_immediate = Value::absent();
    }
    if (operation.status != Operation::Status::Waiting) operation.delivered = true;
  }
  inbox_.clear();
  return true;
}

}  // namespace ptc

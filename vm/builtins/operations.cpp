#include "vm/builtins/operations.h"

#include <algorithm>

namespace ptc {

Operations::~Operations() { clear(); }

void Operations::clear() {
  for (const Operation& operation : all_) {
    heap_.release(operation.args);
    heap_.release(operation.immediate);
    heap_.release(operation.arrived_immediate);
    heap_.release(operation.result);
  }
  all_.clear();
  index_.clear();
}

const Operation* Operations::find(std::string_view id) const {
  const auto at = index_.find(std::string(id));
  return at == index_.end() ? nullptr : &all_[at->second];
}

Operation* Operations::find(std::string_view id) {
  const auto at = index_.find(std::string(id));
  return at == index_.end() ? nullptr : &all_[at->second];
}

Operation& Operations::open(Operation taken) {
  index_.emplace(taken.id, all_.size());
  all_.push_back(std::move(taken));
  return all_.back();
}

std::string Operations::fresh_id() {
  for (;;) {
    std::string id = "op" + std::to_string(++last_fresh_id);
    if (find(id) == nullptr) return id;
  }
}

std::uint32_t Operations::waiting_count() const {
  return static_cast<std::uint32_t>(std::count_if(all_.begin(), all_.end(), [](const Operation& operation) {
    return operation.status == Operation::Status::Waiting;
  }));
}

void Operations::settle(Operation& operation, Operation::Status status) {
  operation.status = status;
  operation.sequence = ++last_sequence;
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
}

void Operations::deliver_all() {
  for (Operation& operation : all_) {
    if (!operation.arrived_immediate.is_absent()) {
      heap_.release(operation.immediate);
      operation.immediate = operation.arrived_immediate;
      operation.arrived_immediate = Value::absent();
    }
    if (operation.status != Operation::Status::Waiting) operation.delivered = true;
  }
}

}  // namespace ptc

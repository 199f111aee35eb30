#include "runtime/durable/run_observer.h"

#include "vm/value/print.h"

namespace ptc {

void RunObserver::on_print(std::string_view text) {
  if (host_ != nullptr) host_->on_print(text);
}

void RunObserver::on_tool(const ToolOutcome& call) {
  if (host_ != nullptr) host_->on_tool(call);
}

void RunObserver::on_begin() {
  if (host_ != nullptr) host_->on_begin();
}

void RunObserver::on_step(SessionStep step) {
  if (host_ != nullptr) host_->on_step(step);
}

void RunObserver::on_tool_start(const ToolNotice& notice) {
  if (host_ != nullptr) host_->on_tool_start(notice);
}

void RunObserver::on_tool_end(const ToolNotice& notice) {
  if (host_ != nullptr) host_->on_tool_end(notice);
}

void RunObserver::on_retry(const ToolNotice& notice, std::uint64_t attempt, std::int64_t pause_ms) {
  if (host_ != nullptr) host_->on_retry(notice, attempt, pause_ms);
}

void RunObserver::on_commit_value(std::string_view id, Value borrowed) {
  if (host_ != nullptr) host_->on_commit_value(id, borrowed);
}

void RunObserver::on_summary(const StepSummary& step) {
  if (host_ != nullptr) host_->on_summary(step);
}

// Before anybody can answer it, and before a call that was decided about is made.
void RunObserver::on_approval(std::string_view key, const Approval& approval) {
  Fact fact = writer_.made(FactKind::CallJudged, FactAuthor::Host);
  fact.key = judged_key(key);
  fact.idempotency_key = key;
  fact.tool = approval.tool;
  fact.args = approval.args_edn;
  fact.status = approval_state_name(approval.state);
  fact.text = approval.text;
  if (writer_.log().approval(key) == nullptr) writer_.put(std::move(fact));
  if (host_ != nullptr) host_->on_approval(key, approval);
}

void RunObserver::on_resolve(const Operation& operation) {
  if (host_ != nullptr) host_->on_resolve(operation);
}

std::uint64_t RunObserver::epoch(std::string_view task) const {
  const auto resets = own_resets_.find(task);
  return writer_.log().epoch_at(task, begin_seq_) + (resets == own_resets_.end() ? 0 : resets->second);
}

// The program goes on with its own value: when the log holds another one, put there meanwhile, it must not.
void RunObserver::commit(std::string_view id, std::string_view value_edn, bool returned) {
  Fact fact = writer_.made(FactKind::TaskCommitted, FactAuthor::Program);
  fact.key = task_key(id, epoch(id));
  fact.id = id;
  fact.value = value_edn;
  if (returned) fact.status = "return";
  if (!writer_.put(std::move(fact))) return;
  const std::string* const held = found(id).edn;
  if (held == nullptr || *held != value_edn) {
    writer_.stop({StoreError::Kind::Unknown, "task " + std::string(id) + " has got another value meanwhile"});
  } else if (host_ != nullptr) {
    host_->on_commit(id, value_edn);
  }
}

void RunObserver::on_reset(std::string_view id, std::string_view reason) {
  const std::uint64_t ended = epoch(id);
  const bool is_new = ended == writer_.log().epoch(id);
  ++own_resets_.try_emplace(std::string(id), 0).first->second;
  if (!is_new) return;                                      // the log knows it
  Fact fact = writer_.made(FactKind::TaskReset, FactAuthor::Program);
  fact.number = ended;
  fact.key = reset_key(id, fact.number);
  fact.id = id;
  fact.text = reason;
  if (writer_.put(std::move(fact)) && host_ != nullptr) host_->on_reset(id, reason);
}

// An operation of a program that runs again is as old as it was when it was started first.
void RunObserver::on_open(const Operation& operation) {
  Fact fact = writer_.made(FactKind::OperationOpened, FactAuthor::Program);
  fact.key = operation_key(operation.id);
  fact.id = operation.id;
  fact.tool = operation.tool;
  append_edn(fact.args, operation.args, session_->heap());
  fact.task = operation.task_id;
  fact.idempotency_key = operation.key;
  fact.text = session_->operation_json(operation);
  fact.number = static_cast<std::uint64_t>(operation.created_ms);
  const auto held = writer_.put(std::move(fact));
  if (!held) return;
  session_->set_operation_age(operation.id, static_cast<std::int64_t>(held->number));
  if (host_ != nullptr) host_->on_open(operation);
}

}  // namespace ptc

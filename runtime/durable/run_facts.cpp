#include "runtime/durable/run_facts.h"

#include <utility>

#include "runtime/durable/late_answers.h"
#include "vm/value/print.h"

namespace ptc {
namespace {

std::uint64_t count_in(const TextMap<std::uint64_t>& counts, std::string_view task) {
  const auto at = counts.find(task);
  return at == counts.end() ? 0 : at->second;
}

}  // namespace

void RunFacts::attend(Session& session, std::uint64_t seq) {
  leave();
  session_ = &session;
  begin_seq_ = seq;
  session.set_reader(this);
}

void RunFacts::leave() {
  session_ = nullptr;
  is_frozen_ = false;
  own_resets_.clear();
  staged_resets_.clear();
  staged_.clear();
  staged_commits_.clear();
  for_host_.clear();
}

void RunFacts::read(OutboxItem item) {
  if (is_frozen_) return;
  switch (item.kind) {
    case OutboxItem::Kind::Committed: commit(item); break;
    case OutboxItem::Kind::Reset: reset(item); break;
    case OutboxItem::Kind::Opened: open(item); break;
    case OutboxItem::Kind::Judged: judge(item); break;
    case OutboxItem::Kind::Began:
    case OutboxItem::Kind::Printed:
    case OutboxItem::Kind::Called:
    case OutboxItem::Kind::Answered:
    case OutboxItem::Kind::Retried:
    case OutboxItem::Kind::Resolved:
    case OutboxItem::Kind::StepDone:
    case OutboxItem::Kind::Stepped: break;
  }
  if (host_ != nullptr) for_host_.push_back(std::move(item));
}

std::uint64_t RunFacts::epoch(std::string_view task) const {
  return writer_.log().epoch_at(task, begin_seq_) + count_in(own_resets_, task);
}

void RunFacts::commit(const OutboxItem& item) {
  Fact fact = writer_.made(FactKind::TaskCommitted, FactAuthor::Program);
  const std::uint64_t current = epoch(item.id);
  fact.key = task_key(item.id, current);
  fact.id = item.id;
  append_edn(fact.value, item.value.get(), item.value.heap());
  if (item.returned) fact.status = "return";
  staged_commits_.push_back({item.id, current});
  stage(std::move(fact));
}

void RunFacts::reset(const OutboxItem& item) {
  const std::uint64_t ended = epoch(item.id);
  const bool is_new = ended == writer_.log().epoch(item.id) + count_in(staged_resets_, item.id);
  ++own_resets_.try_emplace(item.id, 0).first->second;
  if (!is_new) return;                                      // the log knows it
  ++staged_resets_.try_emplace(item.id, 0).first->second;
  Fact fact = writer_.made(FactKind::TaskReset, FactAuthor::Program);
  fact.number = ended;
  fact.key = reset_key(item.id, ended);
  fact.id = item.id;
  fact.text = item.text;
  stage(std::move(fact));
}

void RunFacts::open(const OutboxItem& item) {
  const Operation& operation = *session_->run().operations().find(item.id);
  Fact fact = writer_.made(FactKind::OperationOpened, FactAuthor::Program);
  fact.key = operation_key(operation.id);
  fact.id = operation.id;
  fact.tool = operation.tool;
  append_edn(fact.args, operation.args, session_->heap());
  fact.task = operation.task_id;
  fact.idempotency_key = operation.key;
  fact.text = session_->operations().json_of(operation);
  fact.number = static_cast<std::uint64_t>(operation.created_ms);
  stage(std::move(fact));
}

// A verdict is in the log before anybody can answer it, and before a call that was decided about is made.
void RunFacts::judge(const OutboxItem& item) {
  if (writer_.log().approval(item.id) != nullptr) return;
  Fact fact = writer_.made(FactKind::CallJudged, FactAuthor::Host);
  fact.key = judged_key(item.id);
  fact.idempotency_key = item.id;
  fact.tool = item.name;
  fact.args = item.path;
  fact.status = item.status;
  fact.text = item.text;
  stage(std::move(fact));
}

bool RunFacts::write(Durability durability) {
  if (staged_.empty()) return !writer_.stopped();
  const std::vector<Fact> facts = std::exchange(staged_, {});
  staged_resets_.clear();
  const auto* const puts = writer_.write(facts, durability);
  if (!puts) {
    refuse(facts);
    return false;
  }
  check_ends(facts, *puts);
  take(facts, *puts);
  return !writer_.stopped();
}

void RunFacts::refuse(const std::vector<Fact>& facts) {
  if (writer_.error().kind != StoreError::Kind::Fenced) return;
  const auto kept = keep_late_answers(writer_.store(), writer_.name(), writer_.token(), facts);
  if (const auto* const count = std::get_if<std::size_t>(&kept)) late_answers_ += *count;
}

// A call has one end, and the program was told this one.
void RunFacts::check_ends(const std::vector<Fact>& written, const std::vector<Put>& puts) {
  for (std::size_t k = 0; k < written.size(); ++k) {
    const Fact& told = written[k];
    const Fact& held = puts[k].fact;
    if (told.kind != FactKind::EffectSettled || puts[k].mine) continue;
    if (held.status == told.status && held.value == told.value && held.text == told.text) continue;
    writer_.stop({StoreError::Kind::Unknown, "the log holds another end of the call " + told.idempotency_key +
                                                 " than the program was told"});
  }
}

void RunFacts::check_commit(const StagedCommit& commit, const Fact& told, bool is_first) {
  if (is_first && writer_.log().external_version(commit.task) == 0) return;
  const std::string* const held = writer_.task(commit.task, commit.epoch).edn;
  if (held != nullptr && *held == told.value) return;
  writer_.stop({StoreError::Kind::Unknown, "task " + commit.task + " has got another value meanwhile"});
}

// The program goes on with its own value: when the log holds another one, put there meanwhile, it must not. And an
// operation of a program that runs again is as old as it was when it was started first.
void RunFacts::take(const std::vector<Fact>& written, const std::vector<Put>& puts) {
  const std::vector<StagedCommit> commits = std::exchange(staged_commits_, {});
  auto commit = commits.begin();
  for (std::size_t k = 0; k < puts.size(); ++k) {
    const Fact& held = puts[k].fact;
    const bool is_staged_commit = written[k].kind == FactKind::TaskCommitted && commit != commits.end() &&
                                  commit->task == written[k].id;
    if (is_staged_commit) check_commit(*commit++, written[k], puts[k].mine);
    if (held.kind == FactKind::OperationOpened && session_ != nullptr) {
      session_->operations().set_age(held.id, static_cast<std::int64_t>(held.number));
    }
  }
}

void RunFacts::tell_host() {
  std::vector<OutboxItem> items = std::exchange(for_host_, {});
  for (OutboxItem& item : items) host_->read(std::move(item));
}

}  // namespace ptc

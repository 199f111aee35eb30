#include "tools/ptcvm/chain/chain_driver.h"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "agents/wire/reply_reader.h"
#include "agents/wire/request.h"
#include "tools/ptcvm/agent/rate_wait.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;
using chain::ChainOperation;
using chain::ChainState;
using chain::OperationKind;

constexpr int kLookMs = 20;
constexpr std::uint64_t kMostAnswerBytes = 16u << 20;
constexpr std::uint32_t kMostAttempts = 4;
constexpr std::int64_t kFirstWaitMs = 1'000, kLongestWaitMs = 60'000;

wire::Reply read_reply(const loop::ModelReply& reply, const loop::ModelChoice& choice) {
  wire::ReplyReader reader({.protocol = choice.protocol,
                            .is_stream = choice.is_stream,
                            .status = reply.status,
                            .headers = reply.headers});
  reader.feed(reply.body);
  return reader.finish(reply.is_cut ? wire::ReplyReader::End::Cut : wire::ReplyReader::End::Proper, now_millis());
}

std::chrono::milliseconds whole_ms(std::chrono::microseconds time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time);
}

}  // namespace

ChainDriver::ChainDriver(Parts parts)
    : parts_(std::move(parts)), calls_(parts_.tools, std::max<std::size_t>(parts_.parallel, 1), &parts_.interrupted) {}

void ChainDriver::tell(const ChainMoment& moment) const {
  if (parts_.on_moment) parts_.on_moment(moment);
}

std::int64_t ChainDriver::now_ms() const { return parts_.clock ? parts_.clock() : now_millis(); }

bool ChainDriver::is_at_work() const {
  return calls_.is_waiting() || !asked_.empty() || !agent_requests_.empty() || !agent_calls_.empty();
}

ChainDriver::End ChainDriver::drive(chain::ChainRun& run, const std::function<bool()>& is_over) {
  for (;;) {
    if (parts_.interrupted.load()) return {End::Kind::Interrupted, std::nullopt, {}};
    const bool drains = parts_.draining != nullptr && parts_.draining->load();
    if (drains) begin_recorded(run);
    if (drains && !is_at_work()) return {End::Kind::Interrupted, std::nullopt, {}};
    if (!drains) {
      const auto state = run.step();
      if (!state) return {End::Kind::Failed, state.error(), {}};
      if (*state == ChainState::Done) return {End::Kind::Ended, std::nullopt, {}};
      if (is_over && is_over()) return {End::Kind::Waits, std::nullopt, {}};
      if (*state == ChainState::Yielded) continue;
      const auto has_changed = begin(run);
      if (!has_changed) return {End::Kind::Failed, has_changed.error(), {}};
      if (*has_changed) continue;
      if (!is_at_work() && (agents_.empty() || parts_.log != nullptr)) {
        End end = waits();
        if (!end.due_ms || *end.due_ms > now_ms()) return end;
      }
    }
    if (auto end = take_answers(run)) return *std::move(end);
    if (parts_.on_tick) parts_.on_tick();
  }
}

// Nothing is under way: says until when, if it is for a time.
ChainDriver::End ChainDriver::waits() const {
  End end{End::Kind::Waits, std::nullopt, {}};
  end.due_ms = due_ms_;
  for (const auto& [operation, agent] : agents_) {
    const std::int64_t due = agent->due_ms().value_or(now_ms() + kLookMs);
    end.due_ms = std::min(end.due_ms.value_or(due), due);
  }
  for (const auto& [operation, due] : in_doubt_) {
    if (due) end.due_ms = std::min(end.due_ms.value_or(*due), *due);
  }
  return end;
}

// Begins calls that are in the log already: the next process would take them for calls that may have happened.
void ChainDriver::begin_recorded(const chain::ChainRun& run) {
  for (const ChainOperation& operation : run.operations()) {
    if (operation.kind == OperationKind::Tool) begin_call(operation);
  }
  for (AgentCall& call : agent_calls_) begin_agent_call(call);
}

// Begins what can be begun. Returns whether the task has changed.
Result<bool> ChainDriver::begin(chain::ChainRun& run) {
  bool has_changed = false;
  due_ms_.reset();
  for (const ChainOperation& operation : run.operations()) {
    if (operation.kind == OperationKind::Tool) begin_call(operation);
    if (operation.kind == OperationKind::Model && operation.purpose == "step") {
      const auto ended = work(run, operation);
      if (!ended) return ended.error();
      has_changed = *ended || has_changed;
    } else if (operation.kind == OperationKind::Model) {
      const auto answered = ask(run, operation);
      if (!answered) return answered.error();
      has_changed = *answered || has_changed;
    }
    if (operation.kind != OperationKind::Report) continue;
    if (auto kept = run.answer(operation.id, nullptr); !kept) return kept.error();   // the log of the task has it
    has_changed = true;
  }
  return has_changed;
}

void ChainDriver::begin_call(const ChainOperation& operation) {
  if (started_.contains(operation.id)) return;
  WaitingCall call;
  call.id = operation.id;
  call.tool = operation.tool;
  call.key = operation.key;
  call.fencing_token = operation.fencing_token;
  if (!calls_.can_begin(call)) return;   // later, when another command has ended
  tell({ChainMoment::Kind::Begun, operation.step, operation.tool});
  started_[operation.id] = operation;
  calls_.begin(call, json::serialize(operation.args));
}

// Returns whether the task has changed: the log of a worker may have the reply already.
Result<bool> ChainDriver::ask(chain::ChainRun& run, const ChainOperation& operation) {
  if (asked_.contains(std::to_string(operation.id))) return false;
  const bool has_reply = parts_.log != nullptr && parts_.log->reply(operation.key) != nullptr;
  const std::string refusal = parts_.budget == nullptr || has_reply ? std::string() : parts_.budget->refusal();
  if (!refusal.empty()) {
    const auto told = run.refuse(operation.id, refusal);
    return told ? Result<bool>(true) : Result<bool>(told.error());
  }
  if (parts_.log == nullptr) {
    send(operation, operation.key);
    return false;
  }
  if (const ChainJobLog::Reply* const known = parts_.log->reply(operation.key)) {
    const auto given = run.answer(operation.id, json::value(known->text), {}, known->usage);
    return given ? Result<bool>(true) : Result<bool>(given.error());
  }
  const auto may = may_send(operation.key);
  if (!may || !*may) return may;
  const auto sent = parts_.log->ask(operation.key);
  if (!sent) return sent.error();
  send(operation, *sent);
  return false;
}

// Returns whether a request may go out now: neither the server nor the rate of the workers lets it wait.
Result<bool> ChainDriver::may_send(const std::string& key) {
  std::int64_t due = parts_.model.has_virtual_time() ? 0 : parts_.log->due_ms(key);
  if (due <= now_ms()) {
    const auto taken =
        take_rate(*parts_.rates, parts_.choice.provider, [this] { return now_ms(); }, parts_.interrupted);
    if (!taken) return taken.error();
    due = *taken;
  }
  if (due == 0) return true;
  due_ms_ = std::min(due_ms_.value_or(due), due);
  return false;
}

void ChainDriver::send(const ChainOperation& operation, const std::string& key) {
  const std::string path = std::to_string(operation.id);
  asked_[path].operation = operation;
  tell({ChainMoment::Kind::Asked, operation.step, operation.purpose + ": asks " + parts_.choice.name});
  loop::Operation request;
  request.kind = loop::OperationKind::Model;
  request.path = path;
  request.key = key;
  request.model = parts_.choice;
  wire::Request said;
  said.model = parts_.choice.name;
  said.items.emplace_back(wire::UserText{operation.text});
  said.is_stream = parts_.choice.is_stream;
  request.body_owner = std::make_shared<const std::string>(
      wire::write_request(parts_.choice.protocol, parts_.choice.provider, said));
  request.body = *request.body_owner;
  parts_.model.ask(request);
}

std::optional<ChainDriver::End> ChainDriver::take_answers(chain::ChainRun& run) {
  const bool has_commands = calls_.is_waiting();
  if (has_commands) {
    for (CommandCalls::Ended& ended : calls_.wait(kMostAnswerBytes)) {
      if (auto given = give_call(run, std::move(ended)); !given) return End{End::Kind::Failed, given.error(), {}};
    }
  }
  if (asked_.empty() && agent_requests_.empty()) {
    // An agent waits for the time of its next attempt.
    if (!agents_.empty() && !has_commands) std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
    return std::nullopt;
  }
  for (const ModelAnswer& answer : parts_.model.take(has_commands ? 1 : kLookMs)) {
    if (auto end = give_reply(run, answer)) return end;
  }
  return std::nullopt;
}

Result<void> ChainDriver::give_call(chain::ChainRun& run, CommandCalls::Ended ended) {
  const auto found = started_.find(ended.call);
  if (found == started_.end()) return give_agent_call(ended);
  const ChainOperation operation = std::move(found->second);
  started_.erase(found);
  const auto took = whole_ms(ended.took);
  const CommandReply& reply = ended.reply;
  const bool is_good = reply.kind == CommandReply::Kind::Json;
  boost::system::error_code error;
  json::value value = is_good ? json::parse(reply.text.empty() ? "null" : reply.text, error) : json::value();
  tell({is_good && !error ? ChainMoment::Kind::Ended : ChainMoment::Kind::Failed, operation.step, operation.tool,
        ended.took});
  if (is_good && !error) return run.answer(operation.id, std::move(value), took);
  if (is_good) return run.answer_unknown(operation.id, "the output of the command is no JSON: " + error.message());
  if (reply.kind != CommandReply::Kind::Unknown) return run.answer_error(operation.id, reply.text, took);
  // A process that is stopped kills its commands: the task is left as it is, and the next process decides.
  if (parts_.interrupted.load()) return {};
  return run.answer_unknown(operation.id, reply.text);
}

std::optional<ChainDriver::End> ChainDriver::give_reply(chain::ChainRun& run, const ModelAnswer& answer) {
  const auto found = asked_.find(answer.path);
  if (found == asked_.end()) return give_to_agent(answer);
  if (answer.failure) {
    return End{End::Kind::ModelFailed, std::nullopt, answer.failure->name + ": " + answer.failure->message};
  }
  const ChainOperation operation = found->second.operation;
  const std::uint32_t attempt = parts_.log == nullptr ? found->second.attempt : parts_.log->attempts(operation.key);
  asked_.erase(found);
  const std::string what = operation.step.empty() ? operation.purpose : operation.purpose + " " + operation.step;
  auto kept = parts_.on_reply({operation.key + " #" + std::to_string(attempt), what, parts_.choice, answer.reply});
  if (kept) kept = note_rate(answer.reply);
  if (!kept) return End{End::Kind::Failed, kept.error(), {}};
  const wire::Reply reply = read_reply(answer.reply, parts_.choice);
  if (!reply.is_complete || reply.error) return refused(operation, attempt, answer.reply.status, reply);
  const chain::ModelUsage usage{reply.usage ? reply.usage->input.value_or(0) : 0,
                                reply.usage ? reply.usage->output.value_or(0) : 0};
  auto given = parts_.log == nullptr ? run.answer(operation.id, json::value(reply.text), {}, usage)
                                     : parts_.log->keep_reply(operation.key, reply.text, usage);
  return given ? std::nullopt : std::optional(End{End::Kind::Failed, given.error(), {}});   // ask() finds a kept one
}

// A server that said how long to wait says it to all workers.
Result<void> ChainDriver::note_rate(const loop::ModelReply& reply) {
  if (parts_.rates == nullptr) return {};
  auto noted = parts_.rates->take_note(parts_.choice.provider, parts_.choice, reply, now_ms());
  return !noted && noted.error().code == Errc::busy ? Result<void>() : noted;   // the next answer says it again
}

// Asks again, now or later, or ends the drive.
std::optional<ChainDriver::End> ChainDriver::refused(const ChainOperation& operation, std::uint32_t attempt, int status,
                                                     const wire::Reply& reply) {
  const bool is_retryable = status == 0 || (reply.error && reply.error->is_retryable);
  const bool is_over = !is_retryable || attempt >= kMostAttempts;
  const std::int64_t asked_for = reply.error ? reply.error->retry_wait_ms.value_or(kFirstWaitMs << attempt)
                                             : kFirstWaitMs;
  const std::int64_t wait = std::clamp(asked_for, std::int64_t{0}, kLongestWaitMs);
  if (parts_.log != nullptr) {
    const auto kept = parts_.log->keep_refusal(operation.key, is_over ? 0 : now_ms() + wait);
    if (!kept) return End{End::Kind::Failed, kept.error(), {}};
  }
  if (is_over) {
    return End{End::Kind::ModelFailed, std::nullopt, reply.error ? reply.error->message : "the reply ended early"};
  }
  if (parts_.log != nullptr) return std::nullopt;
  if (!parts_.model.has_virtual_time()) std::this_thread::sleep_for(std::chrono::milliseconds(wait));
  send(operation, operation.key);
  asked_[std::to_string(operation.id)].attempt = attempt + 1;
  return std::nullopt;
}

}  // namespace ptcvm::cli

#include "tools/ptcvm/harness/conversation_model.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tools/ptcvm/agent/rate_wait.h"
#include "tools/ptcvm/harness/harness_model.h"
#include "tools/ptcvm/harness/harness_pass.h"

namespace ptcvm::cli {
namespace {

template <class T>
T kept(Result<T> result) {
  if (!result) throw StoreRefused{result.error()};
  return *std::move(result);
}
void kept(const Result<void>& result) {
  if (!result) throw StoreRefused{result.error()};
}

std::string digest(const std::string& text) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
  constexpr std::size_t kBytes = 16;
  std::array<char, 2 * kBytes + 1> digits{};
  sodium_bin2hex(digits.data(), digits.size(), hash.data(), kBytes);
  return digits.data();
}

}  // namespace

std::string model_log(const std::string& conversation) { return conversation + "/model"; }

ConversationModel::~ConversationModel() {
  if (log_) static_cast<void>(log_->leave());
}

// A script answers nothing twice: what it has said is passed over.
void ConversationModel::open() {
  if (log_) return;
  const bool keeps = model_.source->keeps_requests("");
  log_ = kept(ChainJobLog::open(store_, model_log(conversation_.log().id()), keeps, work_.now_ms));
  if (model_.source->has_virtual_time()) model_.source->skip("", log_->answers());
}

// The same question has the same key in a process that goes on with the pass.
std::string ConversationModel::key_of(const harness::ModelQuestion& question) {
  const std::string pass = std::to_string(conversation_.view().pass_seq()) + "/" + digest(question.prompt);
  return pass + "/" + std::to_string(++asked_[pass]);
}

// Neither the server nor the rate of the workers lets a request wait in this thread.
void ConversationModel::wait_for_turn(const std::string& key) {
  if (work_.leave.load()) throw PassLeft{};
  if (model_.source->has_virtual_time()) return;
  if (const std::int64_t due = log_->due_ms(key); due > work_.now_ms()) throw PassLeft{due};
  const auto due = take_rate(work_.rates, model_.choice.provider, work_.now_ms, work_.abandon);
  if (!due && due.error().code == Errc::busy) throw PassLeft{};
  if (kept(due) != 0) throw PassLeft{*due};
}

Result<std::string> ConversationModel::ask(const harness::ModelQuestion& question) {
  open();
  const std::string key = key_of(question);
  for (;;) {
    if (const ChainJobLog::Reply* const reply = log_->reply(key)) return reply->text;
    wait_for_turn(key);
    const std::string sent = kept(log_->ask(key));
    const std::uint32_t attempt = log_->attempts(key);
    if (auto end = take(key, attempt, answer_to(question, sent, attempt))) return *std::move(end);
  }
}

ModelAnswer ConversationModel::answer_to(const harness::ModelQuestion& question, const std::string& sent,
                                         std::uint32_t attempt) {
  const loop::Operation request = question_request(model_, question, sent, attempt);
  model_.source->ask(request);
  for (;;) {
    for (ModelAnswer& answer : model_.source->take(kLookMs)) {
      if (answer.path == request.path) return std::move(answer);
    }
    if (work_.abandon.load()) throw PassLeft{};
  }
}

std::optional<Result<std::string>> ConversationModel::take(const std::string& key, std::uint32_t attempt,
                                                           const ModelAnswer& answer) {
  const auto failed = [](std::string why) {
    return Result<std::string>(Error{Errc::not_available, std::move(why), std::nullopt, {}});
  };
  if (answer.failure) return failed(answer.failure->name + ": " + answer.failure->message);
  const auto noted = work_.rates.take_note(model_.choice.provider, model_.choice, answer.reply, work_.now_ms());
  if (!noted && noted.error().code != Errc::busy) throw StoreRefused{noted.error()};
  wire::Reply reply = read_question_reply(model_, answer.reply);
  if (reply.is_complete && !reply.error) {
    const chain::ModelUsage usage{reply.usage ? reply.usage->input.value_or(0) : 0,
                                  reply.usage ? reply.usage->output.value_or(0) : 0};
    kept(log_->keep_reply(key, reply.text, usage));
    return Result<std::string>(std::move(reply.text));
  }
  const auto wait_ms = question_wait_ms(answer.reply, reply, attempt);
  kept(log_->keep_refusal(key, wait_ms ? work_.now_ms() + *wait_ms : 0));
  if (wait_ms) return std::nullopt;
  return failed(reply.error ? reply.error->message : "the reply of the model ended early");
}

}  // namespace ptcvm::cli

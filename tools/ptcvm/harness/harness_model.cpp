#include "tools/ptcvm/harness/harness_model.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include "agents/wire/request.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

constexpr std::uint32_t kMostAttempts = 4;
constexpr std::int64_t kFirstWaitMs = 1'000, kLongestWaitMs = 60'000;

Error no_reply(std::string message) { return {Errc::not_available, std::move(message), std::nullopt, {}}; }

// One model that answers one question after another.
class QuestionedModel {
 public:
  explicit QuestionedModel(OpenedModel opened) : opened_(std::move(opened)) {}

  Result<std::string> ask(const harness::ModelQuestion& question) {
    const std::lock_guard lock(mutex_);
    for (std::uint32_t attempt = 1;; ++attempt) {
      const std::string key = std::to_string(++questions_);
      const ModelAnswer answer = answer_to(question_request(opened_, question, key, attempt));
      if (answer.failure) return no_reply(answer.failure->name + ": " + answer.failure->message);
      wire::Reply reply = read_question_reply(opened_, answer.reply);
      if (reply.is_complete && !reply.error) return std::move(reply.text);
      const auto wait_ms = question_wait_ms(answer.reply, reply, attempt);
      if (!wait_ms) return no_reply(reply.error ? reply.error->message : "the reply of the model ended early");
      if (!opened_.source->has_virtual_time()) std::this_thread::sleep_for(std::chrono::milliseconds(*wait_ms));
    }
  }

 private:
  ModelAnswer answer_to(const loop::Operation& request) {
    opened_.source->ask(request);
    for (;;) {
      for (ModelAnswer& answer : opened_.source->take(kLookMs)) {
        if (answer.path == request.path) return std::move(answer);
      }
    }
  }

  std::mutex mutex_;
  OpenedModel opened_;
  std::uint64_t questions_ = 0;
};

}  // namespace

loop::Operation question_request(const OpenedModel& model, const harness::ModelQuestion& question,
                                 const std::string& key, std::uint32_t attempt) {
  wire::Request said;
  said.model = model.choice.name;
  said.items.emplace_back(wire::UserText{question.prompt});
  said.is_stream = model.choice.is_stream;
  said.temperature = question.temperature;
  loop::Operation request;
  request.kind = loop::OperationKind::Model;
  request.path = request.key = key;
  request.attempt = attempt;
  request.model = model.choice;
  request.body_owner = std::make_shared<const std::string>(
      wire::write_request(model.choice.protocol, model.choice.provider, said));
  request.body = *request.body_owner;
  return request;
}

wire::Reply read_question_reply(const OpenedModel& model, const loop::ModelReply& reply) {
  wire::ReplyReader reader({.protocol = model.choice.protocol,
                            .is_stream = model.choice.is_stream,
                            .status = reply.status,
                            .headers = reply.headers});
  reader.feed(reply.body);
  return reader.finish(reply.is_cut ? wire::ReplyReader::End::Cut : wire::ReplyReader::End::Proper, now_millis());
}

std::optional<std::int64_t> question_wait_ms(const loop::ModelReply& answer, const wire::Reply& reply,
                                             std::uint32_t attempt) {
  const bool is_retryable = answer.status == 0 || (reply.error && reply.error->is_retryable);
  if (!is_retryable || attempt >= kMostAttempts) return std::nullopt;
  const std::int64_t usual_ms = kFirstWaitMs << attempt;
  const std::int64_t wait_ms = reply.error ? reply.error->retry_wait_ms.value_or(usual_ms) : usual_ms;
  return std::clamp(wait_ms, std::int64_t{0}, kLongestWaitMs);
}

std::optional<harness::AskModel> ask_model(const std::string& model, std::string& message) {
  auto opened = open_model(model, false, {}, message);
  if (!opened) return std::nullopt;
  const auto asked = std::make_shared<QuestionedModel>(*std::move(opened));
  return [asked](const harness::ModelQuestion& question) { return asked->ask(question); };
}

}  // namespace ptcvm::cli

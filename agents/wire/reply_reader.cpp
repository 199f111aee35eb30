#include "agents/wire/reply_reader.h"

#include <boost/json/parse.hpp>
#include <utility>

namespace ptcvm::wire {

namespace {

constexpr std::size_t kScratchBytes = 16u << 10;

std::unique_ptr<ReplyFold> make_fold(Protocol protocol, bool is_stream) {
  switch (protocol) {
    case Protocol::Chat: return make_chat_fold(is_stream);
    case Protocol::Responses: return make_responses_fold(is_stream);
    case Protocol::Messages: return make_messages_fold(is_stream);
  }
  return nullptr;
}

ReplyError error_of(ReplyError::Kind kind, std::string message, bool is_retryable) {
  return {kind, 0, nullptr, std::move(message), is_retryable, {}};
}

// Spaces and line ends around a payload do not count: some servers send `[DONE] `.
std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

}  // namespace

std::string_view protocol_name(Protocol protocol) {
  switch (protocol) {
    case Protocol::Chat: return "chat";
    case Protocol::Responses: return "responses";
    case Protocol::Messages: return "messages";
  }
  return {};
}

std::optional<Protocol> parse_protocol(std::string_view name) {
  for (const Protocol protocol : {Protocol::Chat, Protocol::Responses, Protocol::Messages}) {
    if (protocol_name(protocol) == name) return protocol;
  }
  return std::nullopt;
}

ReplyReader::ReplyReader(Answer answer)
    : answer_(std::move(answer)), fold_(make_fold(answer_.protocol, answer_.is_stream)), events_(answer_.most_bytes),
      scratch_(kScratchBytes), memory_(scratch_.data(), scratch_.size()) {}

void ReplyReader::feed(std::string_view bytes) {
  if (read_bytes_ == 0 && is_stream() && bytes.starts_with('{')) {   // no stream begins so: the server sent a document
    answer_.is_stream = false;
    fold_ = make_fold(answer_.protocol, false);
  }
  read_bytes_ += bytes.size();
  if (read_bytes_ > answer_.most_bytes) is_too_long_ = true;
  if (is_too_long_) return;
  if (!is_stream()) {
    body_ += bytes;
    return;
  }
  events_.feed(bytes);
  take_events();
}

void ReplyReader::take_events() {
  while (!is_over()) {
    const auto event = events_.next();
    if (!event) break;
    take_event(*event);
  }
}

void ReplyReader::take_event(const ServerSentEvent& event) {
  const std::string_view data = trimmed(event.data);
  if (data == "[DONE]") return fold_->take_done();
  if (data.empty()) return;
  boost::system::error_code error;
  parser_.reset(&memory_);
  parser_.write(data, error);
  if (error) {
    violation_ = error_of(ReplyError::Kind::Violation, "an event of the stream is no JSON: " + error.message(), false);
    return;
  }
  {
    const boost::json::value value = parser_.release();
    fold_->take_event(event.name, value);
  }
  parser_.reset();
  memory_.release();
}

bool ReplyReader::is_over() const { return is_too_long_ || violation_ || fold_->is_over(); }

std::string_view ReplyReader::new_text() {
  const std::string_view text = fold_->text();
  return text.substr(std::exchange(told_text_, text.size()));
}

Reply ReplyReader::finish_document(End end) {
  boost::system::error_code error;
  const boost::json::value document = boost::json::parse(body_, error);
  if (end == End::Cut) {
    return failed_reply(error_of(ReplyError::Kind::Cut, "the connection ended within the reply", true), "");
  }
  if (error) {
    const std::string message = "the reply is no JSON: " + error.message();
    return failed_reply(error_of(ReplyError::Kind::Violation, message, false), "");
  }
  fold_->take_document(document);
  return fold_->finish(true);
}

Reply ReplyReader::finish(End end, std::int64_t now_unix_ms) {
  if (is_too_long_ || events_.too_long()) {
    const std::string message = "the reply has more than " + std::to_string(answer_.most_bytes) + " bytes";
    return failed_reply(error_of(ReplyError::Kind::TooLong, message, false), "");
  }
  if (answer_.status != 200) {
    return failed_reply(read_refusal(answer_.protocol, answer_.status, answer_.headers, body_, now_unix_ms), "");
  }
  if (!is_stream()) return finish_document(end);
  if (end == End::Proper && !is_over()) {
    if (const auto event = events_.last()) take_event(*event);
    violation_.reset();   // an event without its end that cannot be read was cut
  }
  if (violation_) return failed_reply(std::move(*violation_), "");
  return fold_->finish(end == End::Proper);
}

}  // namespace ptcvm::wire

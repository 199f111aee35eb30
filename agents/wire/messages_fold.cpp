// Messages (Anthropic): whole replies, and the events of a stream, which build content blocks one after the other.
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/wire/json_member.h"
#include "agents/wire/reply_fold.h"

namespace ptcvm::wire {

namespace {

namespace json = boost::json;

struct Block {
  json::value content;             // an object
  std::string argument_text;       // input_json_delta, joined
  bool has_argument_text = false;
};

class MessagesFold : public ReplyFold {
 public:
  explicit MessagesFold(bool is_stream) : is_stream_(is_stream) {}
  void take_document(const json::value& document) override;
  void take_event(std::string_view name, const json::value& data) override;
  bool is_over() const override {
    return is_stopped_ || (error_ && error_->kind == ReplyError::Kind::InStream);
  }
  Reply finish(bool ended_properly) override;
  std::string_view text() const override { return text_; }

 private:
  void fail(ReplyError::Kind kind, std::string message, json::value code = nullptr);
  void start_message(const json::value& data);
  void start_block(const json::value& data);
  void add_to_block(const json::value& data);
  void end_block(const json::value& data);
  void take_stop(const json::value& message);
  void take_usage(const json::value* usage);
  Block* block_of(const json::value& data);
  void add_block_to(Reply& reply, Block& block, std::size_t item);
  std::optional<TokenUsage> counted() const;

  std::vector<Block> blocks_;
  std::string text_;
  std::optional<std::string> stop_;
  json::value stop_detail_;
  json::value usage_ = json::object();
  const bool is_stream_;
  bool has_usage_ = false, is_started_ = false, is_stopped_ = false;
  std::optional<ReplyError> error_;
};

void MessagesFold::fail(ReplyError::Kind kind, std::string message, json::value code) {
  if (!error_) error_ = ReplyError{kind, 0, std::move(code), std::move(message), false, {}};
}

void MessagesFold::take_usage(const json::value* usage) {
  const json::object* const counts = usage == nullptr ? nullptr : usage->if_object();
  if (counts == nullptr) return;
  has_usage_ = true;
  json::object& kept = usage_.get_object();
  for (const auto& [name, count] : *counts) {
    if (!count.is_null() || !kept.contains(name)) kept[name] = count;
  }
}

void MessagesFold::take_stop(const json::value& message) {
  if (const auto reason = text_member(message, "stop_reason")) stop_ = std::string(*reason);
  if (const json::value* const detail = member(message, "stop_details"); has_value(detail)) stop_detail_ = *detail;
}

void MessagesFold::take_document(const json::value& document) {
  if (text_member(document, "type") == "error") {
    return fail(ReplyError::Kind::InStream, json::serialize(document), nullptr);
  }
  if (const json::array* const content = array_member(document, "content")) {
    for (const json::value& block : *content) {
      if (block.is_object()) blocks_.push_back({json::value(block, json::storage_ptr()), {}, false});
    }
  }
  take_stop(document);
  take_usage(member(document, "usage"));
}

void MessagesFold::start_message(const json::value& data) {
  if (is_started_) {
    return fail(ReplyError::Kind::Violation,
                "Unexpected event order, got message_start before receiving \"message_stop\"");
  }
  is_started_ = true;
  if (const json::value* const message = member(data, "message")) {
    take_stop(*message);
    take_usage(member(*message, "usage"));
  }
}

void MessagesFold::start_block(const json::value& data) {
  const json::value* const block = object_member(data, "content_block");
  if (block == nullptr) return fail(ReplyError::Kind::Violation, "content_block_start without a content_block");
  blocks_.push_back({json::value(*block, json::storage_ptr()), {}, false});
  if (text_member(*block, "type") == "text") text_ += text_member(*block, "text").value_or("");
}

Block* MessagesFold::block_of(const json::value& data) {
  const std::int64_t index = integer_member(data, "index").value_or(-1);
  if (index >= 0 && static_cast<std::size_t>(index) < blocks_.size()) return &blocks_[static_cast<std::size_t>(index)];
  fail(ReplyError::Kind::Violation, "an event is about a content block that did not start");
  return nullptr;
}

void append(json::value& block, std::string_view name, std::string_view text) {
  json::value& value = block.get_object()[name];
  if (!value.is_string()) value = json::string();
  value.get_string().append(text);
}

void MessagesFold::add_to_block(const json::value& data) {
  const json::value* const delta = member(data, "delta");
  Block* const block = block_of(data);
  if (block == nullptr || delta == nullptr) return;
  const std::string_view type = text_member(*delta, "type").value_or("");
  if (type == "text_delta") {
    const std::string_view text = text_member(*delta, "text").value_or("");
    append(block->content, "text", text);
    text_ += text;
  } else if (type == "input_json_delta") {
    block->argument_text += text_member(*delta, "partial_json").value_or("");
    block->has_argument_text = true;
  } else if (type == "thinking_delta") {
    append(block->content, "thinking", text_member(*delta, "thinking").value_or(""));
  } else if (type == "signature_delta") {
    block->content.get_object()["signature"] = text_member(*delta, "signature").value_or("");
  } else if (type == "citations_delta") {
    json::value& citations = block->content.get_object()["citations"];
    if (!citations.is_array()) citations = json::array();
    if (const json::value* const citation = member(*delta, "citation")) citations.get_array().push_back(*citation);
  } else if (type == "compaction_delta") {
    if (const json::value* const content = member(*delta, "content")) block->content.get_object()["content"] = *content;
  }
}

void MessagesFold::end_block(const json::value& data) {
  Block* const block = block_of(data);
  if (block == nullptr || block->argument_text.empty()) return;
  if (auto input = read_arguments(block->argument_text)) block->content.get_object()["input"] = std::move(*input);
}

void MessagesFold::take_event(std::string_view name, const json::value& data) {
  const std::string_view type = text_member(data, "type").value_or(name);
  if (type == "message_start") {
    start_message(data);
  } else if (type == "content_block_start") {
    start_block(data);
  } else if (type == "content_block_delta") {
    add_to_block(data);
  } else if (type == "content_block_stop") {
    end_block(data);
  } else if (type == "message_delta") {
    if (const json::value* const delta = member(data, "delta")) take_stop(*delta);
    take_usage(member(data, "usage"));
  } else if (type == "message_stop") {
    is_stopped_ = true;
  } else if (type == "error") {
    const json::value* const error = member(data, "error");
    const json::value* const kind = error == nullptr ? nullptr : member(*error, "type");
    fail(ReplyError::Kind::InStream, json::serialize(data), kind == nullptr ? json::value() : *kind);
  }
}

std::optional<TokenUsage> MessagesFold::counted() const {
  if (!has_usage_) return std::nullopt;
  TokenUsage counts;
  counts.input = integer_member(usage_, "input_tokens");
  counts.cached = integer_member(usage_, "cache_read_input_tokens");
  counts.cache_written = integer_member(usage_, "cache_creation_input_tokens");
  counts.output = integer_member(usage_, "output_tokens");
  if (const json::value* const details = object_member(usage_, "output_tokens_details")) {
    counts.reasoning = integer_member(*details, "thinking_tokens");
  }
  return counts;
}

void MessagesFold::add_block_to(Reply& reply, Block& block, std::size_t item) {
  const json::value& content = block.content;
  const std::string type(text_member(content, "type").value_or(""));
  reply.items.push_back(type);
  if (type == "text") {
    reply.text += text_member(content, "text").value_or("");
  } else if (type == "thinking") {
    if (!reply.thinking) reply.thinking.emplace();
    *reply.thinking += text_member(content, "thinking").value_or("");
    if (const auto signature = text_member(content, "signature"); signature && !signature->empty()) {
      reply.opaque.push_back({item, OpaquePart::Kind::Signature, std::string(*signature)});
    }
  } else if (type == "redacted_thinking") {
    reply.opaque.push_back({item, OpaquePart::Kind::Redacted, std::string(text_member(content, "data").value_or(""))});
  } else if (type == "tool_use") {
    ToolCall call{std::string(text_member(content, "id").value_or("")),
                  std::string(text_member(content, "name").value_or("")), {}, {}, false};
    const json::value* const input = member(content, "input");
    if (is_stream_ && (block.has_argument_text || input == nullptr)) call.arguments_text = block.argument_text;
    if (block.argument_text.empty()) {
      call.arguments = input == nullptr ? json::value(json::object()) : *input;
    } else {
      call.arguments = read_arguments(block.argument_text);
    }
    reply.tool_calls.push_back(std::move(call));
  }
  reply.content.push_back(std::move(block.content));
}

Reply MessagesFold::finish(bool) {
  std::string end = !is_stream_ ? "" : is_stopped_ ? "message_stop" : error_ ? "error" : "";
  if (is_stream_ && !error_ && !is_stopped_) {
    error_ = ReplyError{ReplyError::Kind::Cut, 0, {}, "the stream ended before message_stop", true, {}};
  }
  if (error_) {
    const bool is_cut = error_->kind == ReplyError::Kind::Cut;
    Reply failed = failed_reply(std::move(*error_), std::move(end));
    if (is_cut) failed.usage = counted();
    return failed;
  }
  Reply reply;
  for (std::size_t i = 0; i < blocks_.size(); ++i) add_block_to(reply, blocks_[i], i);
  reply.stop = std::move(stop_);
  reply.stop_detail = std::move(stop_detail_);
  reply.usage = counted();
  if (has_usage_) reply.usage_raw = std::move(usage_);
  reply.end = std::move(end);
  reply.is_complete = is_stream_ ? is_stopped_ : reply.stop.has_value();
  return reply;
}

}  // namespace

std::unique_ptr<ReplyFold> make_messages_fold(bool is_stream) { return std::make_unique<MessagesFold>(is_stream); }

}  // namespace ptcvm::wire

// Responses (OpenAI): a reply is a list of output items. The terminal event of a stream repeats the whole reply; where
// a server leaves the items out of it, the items of the stream count.
#include <utility>

#include "agents/wire/json_member.h"
#include "agents/wire/reply_fold.h"

namespace ptcvm::wire {

namespace {

namespace json = boost::json;

class ResponsesFold : public ReplyFold {
 public:
  explicit ResponsesFold(bool is_stream) : is_stream_(is_stream) {}
  void take_document(const json::value& document) override { response_ = document; }
  void take_event(std::string_view name, const json::value& data) override;
  bool is_over() const override { return !end_.empty(); }
  Reply finish(bool ended_properly) override;
  std::string_view text() const override { return text_; }

 private:
  void take_error(const json::value& error);
  void take_item(const json::value& data);
  void add_item_to(Reply& reply, const json::value& item, std::size_t number) const;
  void add_message_to(Reply& reply, const json::value& item) const;
  void add_reasoning_to(Reply& reply, const json::value& item, std::size_t number) const;
  void add_call_to(Reply& reply, const json::value& item, bool takes_text) const;
  static std::optional<TokenUsage> counted(const json::value* usage);

  json::value response_;
  std::vector<std::pair<std::int64_t, json::value>> items_;   // finished items of the stream, by output_index
  std::string text_, end_;
  const bool is_stream_;
  std::optional<ReplyError> error_;
};

void ResponsesFold::take_error(const json::value& error) {
  if (error_) return;
  error_ = ReplyError{ReplyError::Kind::InStream, 0, {}, {}, false, {}};
  error_->code = first_member(error, "code", "type");
  error_->message = text_member(error, "message").value_or("the server sent an error");
}

void ResponsesFold::take_item(const json::value& data) {
  const json::value* const item = member(data, "item");
  if (item == nullptr) return;
  const std::int64_t index = integer_member(data, "output_index").value_or(static_cast<std::int64_t>(items_.size()));
  auto place = items_.begin();
  while (place != items_.end() && place->first < index) ++place;
  if (place != items_.end() && place->first == index) {
    place->second = *item;
  } else {
    items_.insert(place, {index, json::value(*item, json::storage_ptr())});
  }
}

void ResponsesFold::take_event(std::string_view name, const json::value& data) {
  if (is_over()) return;
  const std::string_view type = text_member(data, "type").value_or(name);
  if (type == "response.output_text.delta") {
    text_ += text_member(data, "delta").value_or("");
  } else if (type == "response.in_progress") {
    if (const json::value* const response = member(data, "response")) response_ = *response;   // it may count tokens
  } else if (type == "response.output_item.done") {
    take_item(data);
  } else if (type == "error") {
    const json::value* const error = member(data, "error");
    take_error(has_value(error) ? *error : data);
    end_ = "error";
  } else if (type == "response.completed" || type == "response.incomplete" || type == "response.failed") {
    if (const json::value* const response = member(data, "response")) response_ = *response;
    const json::value* const error = member(response_, "error");
    if (type == "response.failed") take_error(has_value(error) ? *error : response_);
    end_ = type;
  }
}

void ResponsesFold::add_message_to(Reply& reply, const json::value& item) const {
  const json::array* const parts = array_member(item, "content");
  if (parts == nullptr) return;
  for (const json::value& part : *parts) {
    if (text_member(part, "type") == "output_text") reply.text += text_member(part, "text").value_or("");
    if (text_member(part, "type") == "refusal") {
      if (!reply.refusal) reply.refusal.emplace();
      *reply.refusal += text_member(part, "refusal").value_or("");
    }
  }
}

void ResponsesFold::add_reasoning_to(Reply& reply, const json::value& item, std::size_t number) const {
  for (const std::string_view list : {"summary", "content"}) {
    const json::array* const parts = array_member(item, list);
    if (parts == nullptr) continue;
    for (const json::value& part : *parts) {
      if (!reply.thinking) reply.thinking.emplace();
      *reply.thinking += text_member(part, "text").value_or("");
    }
  }
  if (const auto bytes = text_member(item, "encrypted_content"); bytes && !bytes->empty()) {
    reply.opaque.push_back({number, OpaquePart::Kind::EncryptedContent, std::string(*bytes)});
  }
}

void ResponsesFold::add_call_to(Reply& reply, const json::value& item, bool takes_text) const {
  ToolCall call{std::string(text_member(item, "call_id").value_or("")),
                std::string(text_member(item, "name").value_or("")), {}, {}, takes_text};
  if (const auto text = text_member(item, takes_text ? "input" : "arguments")) call.arguments_text = std::string(*text);
  if (!takes_text && call.arguments_text) call.arguments = read_arguments(*call.arguments_text);
  reply.tool_calls.push_back(std::move(call));
}

void ResponsesFold::add_item_to(Reply& reply, const json::value& item, std::size_t number) const {
  const std::string_view type = text_member(item, "type").value_or("");
  reply.items.emplace_back(type);
  if (type == "message") add_message_to(reply, item);
  if (type == "reasoning") add_reasoning_to(reply, item, number);
  if (type == "function_call") add_call_to(reply, item, false);
  if (type == "custom_tool_call") add_call_to(reply, item, true);
  reply.content.push_back(item);
}

std::optional<TokenUsage> ResponsesFold::counted(const json::value* usage) {
  if (usage == nullptr || !usage->is_object()) return std::nullopt;
  TokenUsage counts;
  counts.input = integer_member(*usage, "input_tokens");
  counts.output = integer_member(*usage, "output_tokens");
  if (const json::value* const in = object_member(*usage, "input_tokens_details")) {
    counts.cached = integer_member(*in, "cached_tokens");
    counts.cache_written = integer_member(*in, "cache_write_tokens");
  }
  if (const json::value* const out = object_member(*usage, "output_tokens_details")) {
    counts.reasoning = integer_member(*out, "reasoning_tokens");
  }
  return counts;
}

Reply ResponsesFold::finish(bool) {
  if (is_stream_ && end_.empty()) {
    error_ = ReplyError{ReplyError::Kind::Cut, 0, {}, "the stream ended before response.completed", true, {}};
  }
  if (error_) {
    const bool is_cut = error_->kind == ReplyError::Kind::Cut;
    Reply failed = failed_reply(std::move(*error_), std::move(end_));
    if (is_cut) failed.usage = counted(member(response_, "usage"));
    return failed;
  }
  Reply reply;
  const json::array* const output = array_member(response_, "output");
  if (output != nullptr && !output->empty()) {
    for (std::size_t i = 0; i < output->size(); ++i) add_item_to(reply, (*output)[i], i);
  } else {
    for (std::size_t i = 0; i < items_.size(); ++i) add_item_to(reply, items_[i].second, i);
  }
  if (const auto status = text_member(response_, "status")) reply.stop = std::string(*status);
  if (const json::value* const details = object_member(response_, "incomplete_details")) {
    if (const auto reason = text_member(*details, "reason")) reply.stop_detail = *reason;
  }
  const json::value* const usage = member(response_, "usage");
  reply.usage = counted(usage);
  if (reply.usage) reply.usage_raw = *usage;
  reply.is_complete = reply.stop == "completed" || reply.stop == "incomplete";
  reply.end = std::move(end_);
  return reply;
}

}  // namespace

std::unique_ptr<ReplyFold> make_responses_fold(bool is_stream) { return std::make_unique<ResponsesFold>(is_stream); }

}  // namespace ptcvm::wire

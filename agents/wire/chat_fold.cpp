// Chat completions: whole replies (`chat.completion`) and chunks of a stream. Servers that speak like OpenAI differ:
// calls without an index or a type, content as a list, reasoning under two names, chunks without a delta.
#include <algorithm>
#include <map>
#include <utility>

#include "agents/wire/json_member.h"
#include "agents/wire/reply_fold.h"

namespace ptcvm::wire {

namespace {

namespace json = boost::json;

struct ChatCall {
  std::optional<std::int64_t> index;
  std::string id, name, type;
  std::optional<std::string> arguments;
};

class ChatFold : public ReplyFold {
 public:
  explicit ChatFold(bool is_stream) : is_stream_(is_stream) {}
  void take_document(const json::value& document) override;
  void take_event(std::string_view name, const json::value& data) override;
  void take_done() override { done_ = true; }
  bool is_over() const override { return done_ || error_; }
  Reply finish(bool ended_properly) override;
  std::string_view text() const override { return reply_.text; }

 private:
  void take_error(const json::value& error);
  void take_choices(const json::value& data, std::string_view message_name);
  void take_message(const json::value& message);
  void take_content(const json::value& content);
  void take_content_part(const json::value& part);
  void take_call(const json::value& call);
  ChatCall& call_of(const json::value& call);
  void think(std::string_view text);
  void take_usage(const json::value* usage);
  void add_items_and_content();

  Reply reply_;
  std::vector<ChatCall> calls_;
  std::map<std::int64_t, std::size_t> place_of_index_;   // in calls_
  std::optional<ChatCall> function_call_;     // the form before there were tool calls
  const bool is_stream_;
  bool has_message_ = false, done_ = false;
  std::optional<ReplyError> error_;
};

void ChatFold::take_error(const json::value& error) {
  ReplyError taken{ReplyError::Kind::InStream, 0, {}, {}, false, {}};
  taken.code = first_member(error, "type", "code");
  taken.message = text_member(error, "message").value_or("the server sent an error");
  error_ = std::move(taken);
}

void ChatFold::take_usage(const json::value* usage) {
  if (usage == nullptr || !usage->is_object()) return;
  reply_.usage_raw = *usage;
  const json::value* const in = member(*usage, "prompt_tokens_details");
  const json::value* const out = member(*usage, "completion_tokens_details");
  TokenUsage counts;
  counts.input = integer_member(*usage, "prompt_tokens");
  counts.output = integer_member(*usage, "completion_tokens");
  if (in != nullptr) {
    counts.cached = integer_member(*in, "cached_tokens");
    counts.cache_written = integer_member(*in, "cache_write_tokens");
  }
  if (out != nullptr) counts.reasoning = integer_member(*out, "reasoning_tokens");
  reply_.usage = counts;
}

void ChatFold::think(std::string_view text) {
  if (!reply_.thinking) reply_.thinking.emplace();
  *reply_.thinking += text;
}

void ChatFold::take_content_part(const json::value& part) {
  const std::string_view type = text_member(part, "type").value_or("");
  if (type == "text") {
    reply_.text += text_member(part, "text").value_or("");
  } else if (type == "thinking") {
    const json::array* const thoughts = array_member(part, "thinking");
    if (thoughts == nullptr) return think(text_member(part, "thinking").value_or(""));
    for (const json::value& thought : *thoughts) think(text_member(thought, "text").value_or(""));
  }
}

void ChatFold::take_content(const json::value& content) {
  if (content.is_string()) reply_.text += std::string_view(content.get_string());
  if (const json::array* const parts = content.if_array()) {
    for (const json::value& part : *parts) take_content_part(part);
  }
}

// A call without an index continues the last one, unless it has an id of its own.
ChatCall& ChatFold::call_of(const json::value& call) {
  const std::optional<std::int64_t> index = integer_member(call, "index");
  const std::string_view id = text_member(call, "id").value_or("");
  if (index) {
    const auto [known, is_new] = place_of_index_.try_emplace(*index, calls_.size());
    if (!is_new) return calls_[known->second];
  } else if (!calls_.empty() && (id.empty() || id == calls_.back().id)) {
    return calls_.back();
  }
  calls_.push_back({index, {}, {}, {}, {}});
  return calls_.back();
}

void ChatFold::take_call(const json::value& call) {
  ChatCall& known = call_of(call);
  if (const auto id = text_member(call, "id"); id && !id->empty()) known.id = *id;
  if (const auto type = text_member(call, "type"); type && !type->empty()) known.type = *type;
  const bool is_custom = known.type == "custom";
  const json::value* const function = member(call, is_custom ? "custom" : "function");
  if (function == nullptr) return;
  if (const auto name = text_member(*function, "name")) known.name += *name;
  if (const auto text = text_member(*function, is_custom ? "input" : "arguments")) {
    if (!known.arguments) known.arguments.emplace();
    *known.arguments += *text;
  }
}

void ChatFold::take_message(const json::value& message) {
  has_message_ = true;
  if (const json::value* const content = member(message, "content")) take_content(*content);
  for (const std::string_view name : {"reasoning_content", "reasoning"}) {
    const auto text = text_member(message, name);
    if (!text || text->empty()) continue;
    think(*text);
    break;
  }
  if (const auto refusal = text_member(message, "refusal"); refusal && !refusal->empty()) {
    if (!reply_.refusal) reply_.refusal.emplace();
    *reply_.refusal += *refusal;
  }
  if (const json::array* const calls = array_member(message, "tool_calls")) {
    for (const json::value& call : *calls) take_call(call);
  }
  if (const json::value* const call = object_member(message, "function_call")) {
    if (!function_call_) function_call_.emplace();
    function_call_->name += text_member(*call, "name").value_or("");
    if (!function_call_->arguments) function_call_->arguments.emplace();
    *function_call_->arguments += text_member(*call, "arguments").value_or("");
  }
}

void ChatFold::take_choices(const json::value& data, std::string_view message_name) {
  const json::array* const choices = array_member(data, "choices");
  if (choices == nullptr) return;
  for (const json::value& choice : *choices) {
    const std::int64_t index = integer_member(choice, "index").value_or(0);
    if (index >= 0) reply_.choices = std::max(reply_.choices, static_cast<std::size_t>(index) + 1);
    if (index != 0) continue;
    const json::value* const message = member(choice, message_name);
    if (message != nullptr && message->is_object()) take_message(*message);
    if (const auto reason = text_member(choice, "finish_reason")) reply_.stop = std::string(*reason);
    if (is_stream_) take_usage(member(choice, "usage"));
  }
}

void ChatFold::take_document(const json::value& document) {
  if (const json::value* const error = member(document, "error"); has_value(error)) return take_error(*error);
  take_choices(document, "message");
  take_usage(member(document, "usage"));
}

void ChatFold::take_event(std::string_view name, const json::value& data) {
  const json::value* const error = member(data, "error");
  if (has_value(error)) return take_error(*error);
  if (name == "error") return take_error(data);
  take_choices(data, "delta");
  take_usage(member(data, "usage"));
}

void ChatFold::add_items_and_content() {
  if (!has_message_) return;
  reply_.items.emplace_back("message");
  json::object message{{"role", "assistant"}, {"content", reply_.text}};
  json::array calls;
  for (ChatCall& call : calls_) {
    ToolCall made{std::move(call.id), std::move(call.name), std::move(call.arguments), {}, call.type == "custom"};
    if (made.arguments_text && !made.takes_text) made.arguments = read_arguments(*made.arguments_text);
    reply_.items.push_back(!call.type.empty() ? call.type : is_stream_ ? "function" : "(no type)");
    const char* const type = made.takes_text ? "custom" : "function";
    const char* const argument = made.takes_text ? "input" : "arguments";
    calls.push_back({{"id", made.id},
                     {"type", type},
                     {type, {{"name", made.name}, {argument, made.arguments_text.value_or("")}}}});
    reply_.tool_calls.push_back(std::move(made));
  }
  if (function_call_) reply_.items.emplace_back("function_call");
  if (!calls.empty()) message["tool_calls"] = std::move(calls);
  if (reply_.refusal) message["refusal"] = *reply_.refusal;
  reply_.content.push_back(std::move(message));
}

Reply ChatFold::finish(bool ended_properly) {
  const bool has_stop = reply_.stop && !reply_.stop->empty();
  std::string end;
  if (is_stream_) {
    end = error_ ? "error" : done_ ? (has_stop ? "finish_reason+[DONE]" : "[DONE]") : has_stop ? "finish_reason" : "";
    if (!error_ && !has_stop && done_) {
      error_ = ReplyError{ReplyError::Kind::Violation, 0, {}, "missing finish_reason for choice 0", false, {}};
    } else if (!error_ && !(done_ || (has_stop && ended_properly))) {
      error_ = ReplyError{ReplyError::Kind::Cut, 0, {}, "the stream ended before its end was told", true, {}};
    }
  }
  if (error_) {
    const bool is_cut = error_->kind == ReplyError::Kind::Cut;
    Reply failed = failed_reply(std::move(*error_), std::move(end));
    if (is_cut) failed.usage = reply_.usage;
    return failed;
  }
  std::stable_sort(calls_.begin(), calls_.end(), [](const ChatCall& a, const ChatCall& b) {
    return a.index.value_or(INT64_MAX) < b.index.value_or(INT64_MAX);
  });
  add_items_and_content();
  reply_.end = std::move(end);
  reply_.is_complete = has_stop;
  return std::move(reply_);
}

}  // namespace

std::unique_ptr<ReplyFold> make_chat_fold(bool is_stream) { return std::make_unique<ChatFold>(is_stream); }

}  // namespace ptcvm::wire

// What a model server answered, the same for all protocols. Everything is owned; nothing refers to the bytes that were
// read. agents/wire has no socket, no clock and no state outside of its objects.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::wire {

enum class Protocol {
  Chat,        // chat completions: OpenAI, and the servers that speak like it
  Responses,   // responses: OpenAI
  Messages,    // messages: Anthropic
};

// Names a protocol: "chat", "responses" or "messages". Parsing gives nullopt for every other name.
std::string_view protocol_name(Protocol protocol);
std::optional<Protocol> parse_protocol(std::string_view name);

// A call that the host has to make. Calls that the server makes itself are only in Reply::content.
struct ToolCall {
  std::string id;
  std::string name;
  std::optional<std::string> arguments_text;        // as the server wrote it; nullopt where it sent no text
  std::optional<boost::json::value> arguments;      // nullopt when the text is no JSON
  bool takes_text = false;                          // the argument is free text (a custom tool), not JSON
};

// Tokens that the server counted; nullopt where it sent no number. OpenAI's input contains what was cached, Anthropic's
// input does not.
struct TokenUsage {
  std::optional<std::int64_t> input, cached, cache_written, output, reasoning;
  friend bool operator==(const TokenUsage&, const TokenUsage&) = default;
};

// Data that the provider signed or encrypted. It goes back to the same provider unchanged.
struct OpaquePart {
  enum class Kind { Signature, Redacted, EncryptedContent };
  std::size_t item;      // index in Reply::items
  Kind kind;
  std::string bytes;
};

struct ReplyError {
  enum class Kind {
    Status,      // the server refused the request with an HTTP status
    InStream,    // an error event, or an error object inside of a reply with status 200
    Violation,   // the reply breaks the rules of its protocol
    Cut,         // the reply ended before its terminal event
    TooLong,     // the reply is longer than the reader takes
  };
  Kind kind;
  int status = 0;                                   // 0 unless kind is Status
  boost::json::value code;                          // the server's word or number for it, or null
  std::string message;
  bool is_retryable = false;
  std::optional<std::int64_t> retry_wait_ms;        // what the server asks for; the caller puts a cap on it
};

struct Reply {
  // The terminal event came, and it was no error. Nothing of a reply that is not complete may be executed.
  bool is_complete = false;
  std::optional<ReplyError> error;                  // with an error only `end` and, when cut, the usage are there
  std::string end;                                  // the event that ended a stream, as docs/agents.md names them

  std::string text;                                 // parts joined
  std::optional<std::string> thinking, refusal;     // parts joined; nullopt when there was no such part
  std::vector<ToolCall> tool_calls;
  std::optional<std::string> stop;                  // the reason why the model stopped, as the server sent it
  boost::json::value stop_detail;
  std::optional<TokenUsage> usage;
  boost::json::value usage_raw;
  std::vector<std::string> items;                   // types of content blocks or output items, in order
  std::vector<OpaquePart> opaque;
  boost::json::array content;                       // what goes back to this provider as the reply, unchanged
  std::size_t choices = 0;                          // chat completions: how many choices came; only the first is read
};

}  // namespace ptcvm::wire

// What calls of a model have cost, replies that carry it in logs, and requests that were refused in their place.
#pragma once
#include <boost/json/value.hpp>
#include <cstdint>
#include <string>

namespace ptcvm::chain {

struct ModelUsage {
  std::int64_t input_tokens = 0, output_tokens = 0;   // as the server counted; 0: it said nothing
  std::uint32_t calls = 1;        // requests for the answer: an agent may need several
  std::uint32_t tool_calls = 0;   // calls of tools that an agent made on its way
  bool is_known() const { return input_tokens != 0 || output_tokens != 0; }
};

// Returns [input output], or null when nothing is known.
boost::json::value usage_json(const ModelUsage& usage);
// Returns the same with the number of requests behind it, [input output calls], when it is not one.
boost::json::value reply_usage_json(const ModelUsage& usage);
// Reads either; anything else is no usage.
ModelUsage read_usage(const boost::json::value* value);

// Returns the value under which a log keeps a reply: the text, or {"text" t "tokens" […]}.
boost::json::value kept_reply(std::string text, const ModelUsage& usage);
// Returns the value under which a log keeps that nobody was asked, and why: {"refused" error}.
boost::json::value kept_refusal(std::string error);
// Returns the text of a reply; "" for a refusal.
std::string reply_text(const boost::json::value& kept);
// Returns why nobody was asked; "" for a reply.
std::string reply_refusal(const boost::json::value& kept);
ModelUsage reply_usage(const boost::json::value& kept);

}  // namespace ptcvm::chain

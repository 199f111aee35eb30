// Folds the JSON that one protocol sends into a reply. Each protocol has one fold. The JSON that a fold is given lives
// in memory that is used again: a fold copies what it keeps with storage of its own, because copies of Boost.JSON share
// the storage of the original.
#pragma once
#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agents/wire/reply.h"

namespace ptcvm::wire {

class ReplyFold {
 public:
  virtual ~ReplyFold() = default;
  // Takes a whole reply that was not streamed.
  virtual void take_document(const boost::json::value& document) = 0;
  // Takes the data of one event of a stream, read as JSON.
  virtual void take_event(std::string_view name, const boost::json::value& data) = 0;
  // Takes the marker `[DONE]`, which is no JSON.
  virtual void take_done() {}
  // Returns whether nothing of the stream that follows can change the reply.
  virtual bool is_over() const = 0;
  // Returns the reply. `ended_properly` says that the HTTP message came whole. The fold is empty afterwards.
  virtual Reply finish(bool ended_properly) = 0;

  // Returns the text for people so far, which grows with each event.
  virtual std::string_view text() const = 0;
};

std::unique_ptr<ReplyFold> make_chat_fold(bool is_stream);
std::unique_ptr<ReplyFold> make_messages_fold(bool is_stream);
std::unique_ptr<ReplyFold> make_responses_fold(bool is_stream);

// Reads the argument text of a tool call: the JSON, or nullopt when the text is no JSON.
std::optional<boost::json::value> read_arguments(std::string_view text);
// Returns a reply that says only what went wrong.
Reply failed_reply(ReplyError error, std::string end);

}  // namespace ptcvm::wire

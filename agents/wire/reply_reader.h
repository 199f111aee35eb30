// Reads the answer to one request, as its bytes come: a document of JSON, a stream of events, or a refusal. One thread
// at a time uses a reader.
//
//   ReplyReader reader({.protocol = Protocol::Chat, .is_stream = true, .status = 200, .headers = headers});
//   while (…) { reader.feed(bytes); show(reader.new_text()); }
//   const Reply reply = reader.finish(ReplyReader::End::Proper, now);
#pragma once
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parser.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/wire/event_stream.h"
#include "agents/wire/refusal.h"
#include "agents/wire/reply.h"
#include "agents/wire/reply_fold.h"

namespace ptcvm::wire {

constexpr std::size_t kMostReplyBytes = 16u << 20;

class ReplyReader {
 public:
  struct Answer {
    Protocol protocol = Protocol::Chat;
    // What the request asked for. A body that begins with "{" is no stream, and with a status other than 200 none is.
    bool is_stream = false;
    int status = 200;
    Headers headers = {};
    std::size_t most_bytes = kMostReplyBytes;   // a longer body ends in ReplyError::Kind::TooLong
  };
  enum class End {
    Proper,   // the HTTP message came whole
    Cut,      // the connection ended before
  };

  explicit ReplyReader(Answer answer);
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  void feed(std::string_view bytes);
  // Returns whether nothing that follows can change the reply, so that the host need not wait for more bytes.
  bool is_over() const;
  // Returns the text for people that came since the last call. Text of a reply that turns out to be cut came, too.
  std::string_view new_text();
  // Returns the reply. `now_unix_ms` is the time of the host, which a date in `retry-after` needs. Call it once.
  Reply finish(End end, std::int64_t now_unix_ms);

 private:
  void take_events();
  void take_event(const ServerSentEvent& event);
  Reply finish_document(End end);
  bool is_stream() const { return answer_.is_stream && answer_.status == 200; }

  Answer answer_;
  std::unique_ptr<ReplyFold> fold_;
  EventStreamReader events_;
  std::string body_;               // the document so far
  std::size_t read_bytes_ = 0, told_text_ = 0;
  bool is_too_long_ = false;
  std::optional<ReplyError> violation_;
  std::vector<unsigned char> scratch_;
  boost::json::monotonic_resource memory_;
  boost::json::parser parser_;
};

}  // namespace ptcvm::wire

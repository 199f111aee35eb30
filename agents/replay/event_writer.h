// Writes server-sent events, and the parts that the replies of all protocols share.
#pragma once
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "agents/replay/reply_bytes.h"

namespace ptcvm::replay {

class EventWriter {
 public:
  // Appends an event with a line `event: NAME`; an empty name leaves the line out.
  void add(std::string_view name, const boost::json::object& data);
  void add_done();
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Returns the text in pieces of a few characters, as models send it. No character of UTF-8 is cut.
std::vector<std::string_view> text_pieces(std::string_view text);
// Puts the count into the object when there is one.
void put_count(boost::json::object& object, std::string_view name, const std::optional<std::int64_t>& count);

std::string chat_document(const SaidReply& reply);
std::string chat_stream(const SaidReply& reply, bool is_cut);
std::string messages_document(const SaidReply& reply);
std::string messages_stream(const SaidReply& reply, bool is_cut);
std::string responses_document(const SaidReply& reply);
std::string responses_stream(const SaidReply& reply, bool is_cut);

}  // namespace ptcvm::replay

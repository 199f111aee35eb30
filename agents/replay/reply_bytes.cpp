#include "agents/replay/reply_bytes.h"

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "agents/replay/event_writer.h"

namespace ptcvm::replay {

void EventWriter::add(std::string_view name, const boost::json::object& data) {
  if (!name.empty()) bytes_.append("event: ").append(name).append("\n");
  bytes_.append("data: ").append(boost::json::serialize(data)).append("\n\n");
}

void EventWriter::add_done() { bytes_ += "data: [DONE]\n\n"; }

std::vector<std::string_view> text_pieces(std::string_view text) {
  constexpr std::size_t kPieceBytes = 24;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; };
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    std::size_t bytes = std::min(kPieceBytes, text.size());
    while (bytes < text.size() && continues(text[bytes])) ++bytes;
    pieces.push_back(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return pieces;
}

void put_count(boost::json::object& object, std::string_view name, const std::optional<std::int64_t>& count) {
  if (count) object[name] = *count;
}

std::string reply_document(wire::Protocol protocol, const SaidReply& reply) {
  switch (protocol) {
    case wire::Protocol::Chat: return chat_document(reply);
    case wire::Protocol::Responses: return responses_document(reply);
    case wire::Protocol::Messages: return messages_document(reply);
  }
  return {};
}

namespace {

std::string stream_of(wire::Protocol protocol, const SaidReply& reply, bool is_cut) {
  switch (protocol) {
    case wire::Protocol::Chat: return chat_stream(reply, is_cut);
    case wire::Protocol::Responses: return responses_stream(reply, is_cut);
    case wire::Protocol::Messages: return messages_stream(reply, is_cut);
  }
  return {};
}

}  // namespace

std::string reply_stream(wire::Protocol protocol, const SaidReply& reply) { return stream_of(protocol, reply, false); }

std::string cut_reply_stream(wire::Protocol protocol, const SaidReply& reply) {
  return stream_of(protocol, reply, true);
}

}  // namespace ptcvm::replay

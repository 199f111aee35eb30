#include "agents/wire/reply_fold.h"

#include <boost/json/parse.hpp>

namespace ptcvm::wire {

std::optional<boost::json::value> read_arguments(std::string_view text) {
  boost::system::error_code error;
  boost::json::value value = boost::json::parse(text, error);
  if (error) return std::nullopt;
  return value;
}

Reply failed_reply(ReplyError error, std::string end) {
  Reply reply;
  reply.error = std::move(error);
  reply.end = std::move(end);
  return reply;
}

}  // namespace ptcvm::wire

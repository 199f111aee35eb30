// A room as an agent that others talk to by A2A.
#include <boost/json.hpp>

#include "tools/ptcvm/harness/harness_room.h"
#include "tools/ptcvm/harness/harness_web_reply.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {

namespace json = boost::json;

namespace {

std::string frame(const json::value& id, json::value result) {
  return "data: " + json::serialize(a2a::rpc_result(id, std::move(result))) + "\n\n";
}

}  // namespace

void HarnessRoom::answer_rpc(const a2a::RpcRequest& request, const std::string& by,
                             const std::shared_ptr<drivers::WebExchange>& exchange) {
  auto served = a2a::serve_task(conversation_, request, {now_millis(), by});
  if (const auto* const failure = std::get_if<a2a::RpcFailure>(&served)) {
    return exchange->reply(json_reply(a2a::rpc_error(request.id, *failure)));
  }
  json::object& task = std::get<json::object>(served);
  if (a2a::is_streaming(request.method)) {
    const harness::ConversationView& view = conversation_.view();
    exchange->stream({200, "text/event-stream", frame(request.id, std::move(task)), page_headers()});
    followers_.push_back({exchange, request.id, {view.log_seq(), view.generation()}});
    if (a2a::is_final(a2a::state_of_client(view.status()))) {
      exchange->end();
      followers_.pop_back();
    }
  } else {
    exchange->reply(json_reply(a2a::rpc_result(request.id, std::move(task))));
  }
  tell();
  wake();
}

void HarnessRoom::tell_followers() {
  std::erase_if(followers_, [this](Follower& follower) {
    if (follower.exchange->is_gone()) return true;
    a2a::StreamNews news = a2a::news_after(conversation_.view(), conversation_.log().id(), follower.place);
    for (json::value& update : news.frames) follower.exchange->write(frame(follower.id, std::move(update)));
    if (news.is_final) follower.exchange->end();
    return news.is_final;
  });
}

}  // namespace ptcvm::cli

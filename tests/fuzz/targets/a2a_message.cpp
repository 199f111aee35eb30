// Any bytes as a request of A2A, and as the answer of a server: the request is answered, and the same request again
// adds no message; what a server answers becomes facts that the journal takes or refuses.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>

#include "agents/a2a/a2a_transport.h"
#include "agents/a2a/task_server.h"
#include "agents/harness/conversation/ingestion.h"
#include "fuzz/fuzz_target.h"

namespace {

using ptc::fuzz::promise;
namespace a2a = ptcvm::a2a;
namespace harness = ptcvm::harness;
namespace json = boost::json;

harness::Conversation conversation_in(const ptcvm::Store& store) {
  return harness::Conversation::open(ptcvm::HostLog::of(store, "c")).value();
}

std::size_t messages_in(const harness::Conversation& conversation) {
  std::size_t count = 0;
  for (const harness::Fact& fact : conversation.view().facts()) {
    if (fact.type == harness::FactType::message_received) ++count;
  }
  return count;
}

void try_request(std::string_view body) {
  const auto rpc = a2a::read_rpc(body);
  if (const auto* const refused = std::get_if<json::object>(&rpc)) {
    promise(refused->contains("error"), "a request is refused without an error");
    return;
  }
  const auto& request = std::get<a2a::RpcRequest>(rpc);
  harness::Conversation conversation = conversation_in(ptcvm::Store::in_memory());
  const auto first = a2a::serve_task(conversation, request, {1, "client"});
  const std::size_t messages = messages_in(conversation);
  const auto second = a2a::serve_task(conversation, request, {2, "client"});
  promise(messages_in(conversation) == messages && messages <= 1, "a message is there twice");
  promise(first.index() == second.index(), "the same request is answered in another way");
  if (const auto* const task = std::get_if<json::object>(&first)) {
    harness::facts_of_task(json::parse(json::serialize(*task)).as_object());
  }
}

void try_answer(const std::string& body) {
  harness::Conversation conversation = conversation_in(ptcvm::Store::in_memory());
  a2a::A2aTransport transport(
      conversation, [&body](const std::string&) -> ptcvm::Result<std::string> { return body; },
      []() -> ptcvm::Result<json::object> { return json::object{}; }, [] { return std::int64_t{1}; });
  const json::object message{
      {"messageId", "m"}, {"role", "user"}, {"parts", json::array{json::object{{"kind", "text"}, {"text", "t"}}}}};
  const auto task = transport.send(message);
  if (!task) return promise(!task.error().message.empty(), "an answer is refused without a reason");
  const auto written = conversation.observe(harness::facts_of_task(*task), {1, "server"});
  const bool is_refused = !written && (written.error().code == ptcvm::Errc::invalid_value ||
                                       written.error().code == ptcvm::Errc::store_failed);
  promise(written || is_refused, "the facts of an answer are refused in another way");
  transport.task().has_value();
  transport.arrived("m").has_value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > harness::kMostBodyBytes) return 0;
  const std::string_view text = ptc::fuzz::text_of(data, size);
  try_request(text);
  try_answer(std::string(text));
  return 0;
}

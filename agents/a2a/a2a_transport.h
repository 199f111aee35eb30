// The client side of A2A as a transport: the messages of a conversation go to a server. The host has the network. The
// conversation keeps the id of the task, so another process goes on with it.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "agents/harness/sending/outbox.h"

namespace ptcvm::a2a {

// Posts a JSON-RPC request, and returns the body of the answer. An error has the detail harness::kNotReached or
// harness::kMayBeSent.
using PostRpc = std::function<Result<std::string>(const std::string& body)>;
// Returns the card of the server.
using FetchCard = std::function<Result<boost::json::object>()>;

// See the top of this file. Belongs to the thread of the conversation, which must outlive it.
class A2aTransport final : public harness::Transport {
 public:
  // `address` is the URL of the server, which the conversation keeps; "" keeps none.
  A2aTransport(harness::Conversation& conversation, PostRpc post, FetchCard fetch_card,
               std::function<std::int64_t()> clock, std::string address = {})
      : conversation_(conversation),
        post_(std::move(post)),
        fetch_card_(std::move(fetch_card)),
        clock_(std::move(clock)),
        address_(std::move(address)) {}

  Result<boost::json::object> send(const boost::json::object& message) override;
  Result<std::optional<boost::json::object>> task() override;
  Result<std::optional<bool>> arrived(std::string_view message_id) override;
  // Asks for the card of the server until there is one.
  bool takes_each_id_once() const override;
  std::string place() const override { return address_.substr(0, address_.find_last_not_of('/') + 1); }
  // Ends the task on the other side, and takes it in.
  Result<std::optional<boost::json::object>> cancel();

 private:
  Result<boost::json::object> call(std::string_view method, boost::json::object params);
  Result<std::optional<boost::json::object>> call_task(std::string_view method);

  harness::Conversation& conversation_;
  PostRpc post_;
  FetchCard fetch_card_;
  std::function<std::int64_t()> clock_;
  std::string address_;
  std::uint64_t calls_ = 0;   // also the id of the last request
  mutable std::optional<bool> is_once_;
};

}  // namespace ptcvm::a2a

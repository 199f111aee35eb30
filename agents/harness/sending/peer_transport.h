// Two conversations that talk to each other, in one store or in two: the transport of one side writes into the journal
// of the other. A message is in the journal of the other side before send() returns, once for each messageId, so two
// processes and a process that died may send it again.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "agents/harness/sending/outbox.h"
#include "ptcvm/store.hpp"

namespace ptcvm::harness {

// Returns the error of a conversation that names itself as its other side: invalid_value.
Error error_of_own_peer(std::string_view id);

// See the top of this file. Belongs to the thread of the conversation that sends.
class PeerTransport final : public Transport {
 public:
  // `clock` gives ms since 1970; `by` is who the other side sees as the writer. `own` is the conversation that sends;
  // it must outlive the transport. With it an answer never comes before the message that it answers.
  PeerTransport(Conversation peer, std::function<std::int64_t()> clock, std::string by,
                const Conversation* own = nullptr)
      : peer_(std::move(peer)), clock_(std::move(clock)), by_(std::move(by)), own_(own) {}

  // Opens the conversation of the other side in the store of `own`. Errors: as Conversation::open(); invalid_value when
  // `peer` names `own`.
  static Result<std::unique_ptr<PeerTransport>> open(const Store& store, const std::string& peer,
                                                     std::function<std::int64_t()> clock, const Conversation& own);

  // Error: wrong_state when the conversation of the other side has ended, or has another message of this id.
  Result<boost::json::object> send(const boost::json::object& message) override;
  Result<std::optional<boost::json::object>> task() override;
  Result<std::optional<bool>> arrived(std::string_view message_id) override;
  bool takes_each_id_once() const override { return true; }
  std::string place() const override { return "peer:" + peer_.log().id(); }

 private:
  Result<void> settle_sends();
  Conversation peer_;
  std::function<std::int64_t()> clock_;
  std::string by_;
  const Conversation* own_;
};

}  // namespace ptcvm::harness

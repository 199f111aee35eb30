// The transport of a conversation whose other side reads the log itself, as clients of a server do: a message is sent
// as soon as it is in the log.
#pragma once
#include "agents/harness/sending/outbox.h"

namespace ptcvm::harness {

// See the top of this file.
class LogTransport final : public Transport {
 public:
  Result<boost::json::object> send(const boost::json::object& message) override;
  Result<std::optional<boost::json::object>> task() override { return std::optional<boost::json::object>{}; }
  // The log has no message that is still in flight.
  Result<std::optional<bool>> arrived(std::string_view) override { return std::optional<bool>{false}; }
  // Writing a message again changes nothing.
  bool takes_each_id_once() const override { return true; }
  std::string place() const override { return "log"; }
};

}  // namespace ptcvm::harness

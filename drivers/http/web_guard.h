// Says who may ask a server: the header Host names the server itself, the header Origin (which browsers send) names a
// page of the server, and a token names a person or an agent. Belongs to one thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "drivers/http/web_exchange.h"

namespace ptcvm::drivers {

// A secret of a person, or of an agent, which may do less.
struct WebToken {
  std::string name;      // what the visitor is called in logs; "" for somebody
  std::string secret;
  bool is_of_agent = false;
};

// Returns a new secret of 128 random bits.
std::string random_secret();

// See the top of this file.
class WebGuard {
 public:
  // `hosts` are names besides 127.0.0.1, localhost and [::1], with the port when it is written in addresses.
  WebGuard(std::vector<WebToken> tokens, std::vector<std::string> hosts);
  // Says which port the server listens on.
  void set_port(std::uint16_t port);

  // Returns the refusal when Host or Origin names another place, or nullopt.
  std::optional<WebReply> refuse_place(const WebRequest& request) const;
  // Returns the name of the person whose token the request has, or the refusal. A request that changes something and
  // has its token in a cookie must say its origin.
  std::variant<std::string, WebReply> person_of(const WebRequest& request) const;
  // Does the same for places that are open to agents, too.
  std::variant<std::string, WebReply> visitor_of(const WebRequest& request) const;
  // Returns the header Set-Cookie for a token, or nullopt when no person has this token.
  std::optional<std::string> cookie_of(std::string_view secret) const;

 private:
  const WebToken* token_of(std::string_view secret) const;
  std::variant<const WebToken*, WebReply> known_token(const WebRequest& request) const;
  bool is_own_host(std::string_view host) const;
  std::string cookie_name() const { return "ptcvm_" + std::to_string(port_); }

  std::vector<WebToken> tokens_;
  std::vector<std::string> hosts_;
  std::uint16_t port_ = 0;
};

}  // namespace ptcvm::drivers

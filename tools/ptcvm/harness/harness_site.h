// The site of `ptcvm harness serve`: the page, the conversations as JSON and as events, and what people do. Belongs to
// the thread that runs the context.
#pragma once
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "drivers/http/web_guard.h"
#include "tools/ptcvm/harness/harness_room.h"

namespace ptcvm::cli {

// See the top of this file.
class HarnessSite {
 public:
  // `only` names the conversations that are served; without one, all of the store are. `guard` and `house` must outlive
  // the site.
  HarnessSite(const RoomHouse& house, drivers::WebGuard& guard, std::vector<std::string> only);

  // Opens the conversations that were named. Error: the first one that cannot be opened.
  Result<void> open_named();
  // Looks at every open conversation from time to time, from now on.
  void watch();
  void handle(const drivers::WebRequest& request, const std::shared_ptr<drivers::WebExchange>& exchange);

 private:
  void answer_api(const drivers::WebRequest& request, const std::string& by,
                  const std::shared_ptr<drivers::WebExchange>& exchange);
  void answer_room(const drivers::WebRequest& request, const std::string& by, HarnessRoom& room,
                   const std::shared_ptr<drivers::WebExchange>& exchange);
  void answer_rpc(const drivers::WebRequest& request, const std::shared_ptr<drivers::WebExchange>& exchange);
  drivers::WebReply login(std::string_view secret, bool is_address) const;
  drivers::WebReply list();
  static drivers::WebReply journal(const HarnessRoom& room);
  static drivers::WebReply attachment(const HarnessRoom& room, const std::string& name);
  Result<std::shared_ptr<HarnessRoom>> room(const std::string& id);
  bool is_served(const std::string& id) const;
  Result<std::vector<std::string>> stored() const;

  const RoomHouse& house_;
  drivers::WebGuard& guard_;
  std::vector<std::string> only_;
  std::map<std::string, std::shared_ptr<HarnessRoom>> rooms_;
  boost::asio::steady_timer timer_;
  std::uint64_t looks_ = 0;
};

}  // namespace ptcvm::cli

#include "drivers/curl/asio_calls.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <map>

namespace ptcvm::drivers {

namespace asio = boost::asio;

class AsioCalls::Host : public EventHost {
 public:
  explicit Host(asio::io_context& context) : context_(context), timer_(context), calls_(*this) {}
  CurlCalls& calls() { return calls_; }

  void watch(int socket, bool wants_read, bool wants_write) override {
    if (!wants_read && !wants_write) {
      forget(socket);
      return;
    }
    auto& watched = sockets_[socket];
    if (watched == nullptr) watched = std::make_shared<Watched>(context_, socket);
    watched->wants_read = wants_read;
    watched->wants_write = wants_write;
    wait(watched, socket);
  }

  void set_timer(std::optional<std::uint32_t> after_ms) override {
    timer_.cancel();
    if (!after_ms) return;
    timer_.expires_after(std::chrono::milliseconds(*after_ms));
    timer_.async_wait([this, alive = std::weak_ptr<int>(alive_)](const boost::system::error_code& error) {
      if (!error && !alive.expired()) calls_.timer_fired();
    });
  }

 private:
  // The socket is libcurl's: it is released, never closed.
  struct Watched {
    Watched(asio::io_context& context, int socket) : descriptor(context, socket) {}
    ~Watched() { descriptor.release(); }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    asio::posix::stream_descriptor descriptor;
    bool wants_read = false, wants_write = false, waits_read = false, waits_write = false;
  };

  void forget(int socket) {
    const auto found = sockets_.find(socket);
    if (found == sockets_.end()) return;
    const auto watched = found->second;
    sockets_.erase(found);
    watched->wants_read = watched->wants_write = false;
    watched->descriptor.release();
  }

  void wait(const std::shared_ptr<Watched>& watched, int socket) {
    using Descriptor = asio::posix::stream_descriptor;
    if (watched->wants_read && !watched->waits_read) {
      watched->waits_read = true;
      watched->descriptor.async_wait(Descriptor::wait_read, ready(watched, socket, true));
    }
    if (watched->wants_write && !watched->waits_write) {
      watched->waits_write = true;
      watched->descriptor.async_wait(Descriptor::wait_write, ready(watched, socket, false));
    }
  }

  std::function<void(const boost::system::error_code&)> ready(std::weak_ptr<Watched> weak, int socket, bool is_read) {
    return [this, weak = std::move(weak), socket, is_read](const boost::system::error_code& error) {
      const auto watched = weak.lock();
      if (watched == nullptr) return;
      (is_read ? watched->waits_read : watched->waits_write) = false;
      if (error == asio::error::operation_aborted || !(is_read ? watched->wants_read : watched->wants_write)) return;
      calls_.socket_is_ready(socket, is_read && !error, !is_read && !error, static_cast<bool>(error));
      const auto found = sockets_.find(socket);
      if (found != sockets_.end() && found->second == watched) wait(watched, socket);
    };
  }

  asio::io_context& context_;
  asio::steady_timer timer_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
  std::map<int, std::shared_ptr<Watched>> sockets_;
  CurlCalls calls_;   // last: its end tells the host to forget sockets
};

AsioCalls::AsioCalls(asio::io_context& context) : host_(std::make_unique<Host>(context)) {}
AsioCalls::~AsioCalls() = default;
CurlCalls& AsioCalls::calls() { return host_->calls(); }

}  // namespace ptcvm::drivers

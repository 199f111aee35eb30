// The part of a host's event loop that CurlCalls needs: sockets that are watched, and one timer.
#pragma once
#include <cstdint>
#include <optional>

namespace ptcvm::drivers {

class EventHost {
 public:
  virtual ~EventHost() = default;
  // Watches a socket from now on for what is wanted; for neither: forgets the socket, which closes soon afterwards. The
  // host does not own the socket. It calls CurlCalls::socket_is_ready() each time the socket is ready.
  virtual void watch(int socket, bool wants_read, bool wants_write) = 0;
  // Sets the only timer, or takes it back. When the time is over, the host calls CurlCalls::timer_fired(), never from
  // within this function.
  virtual void set_timer(std::optional<std::uint32_t> after_ms) = 0;
};

}  // namespace ptcvm::drivers

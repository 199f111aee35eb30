// Many HTTP calls in flight at the same time, by the multi interface of libcurl and without a thread. The calls share
// connections. TLS certificates are always verified.
//
// In a plain loop:                            In an event loop of the host (asio: asio_calls.h):
//   CurlCalls calls;                            CurlCalls calls(host);
//   calls.start(request, receiver);             calls.start(request, receiver);
//   while (calls.in_flight() > 0)               // the host calls socket_is_ready() and timer_fired()
//     calls.poll(1000);
//
// One thread at a time uses an object; a receiver may start, resume and cancel calls. No function throws except for a
// lack of memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "drivers/curl/event_host.h"
#include "drivers/curl/http_exchange.h"

namespace ptcvm::drivers {

using CallId = std::uint64_t;   // 0 names no call

class CurlCalls {
 public:
  CurlCalls();
  explicit CurlCalls(EventHost& host);   // the host outlives the calls
  ~CurlCalls();                          // ends calls in flight without telling their receivers
  CurlCalls(const CurlCalls&) = delete;
  CurlCalls& operator=(const CurlCalls&) = delete;

  // Begins a call. A request that cannot be sent ends with BadRequest, like every other failure through the receiver.
  CallId start(HttpRequest request, std::shared_ptr<HttpReceiver> receiver);
  // Lets a paused call go on. A call that is over or goes on already is left alone.
  void resume(CallId call);
  // Ends a call with Cancelled. A call that is over is left alone.
  void cancel(CallId call);
  // Returns the number of calls whose end was not told.
  std::size_t in_flight() const;

  // Waits at most so long for something to do, and does it. For calls without a host.
  void poll(std::uint32_t most_ms);
  // Ends the wait of a poll() that another thread is in. The only function that another thread may call.
  void wake();

  // Called by the host.
  void socket_is_ready(int socket, bool can_read, bool can_write, bool has_error);
  void timer_fired();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ptcvm::drivers

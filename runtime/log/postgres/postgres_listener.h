// Listens for jobs that become ready: a thread with a connection of its own calls back when the database tells of one.
//
// A notification is a hint. Notifications that come together are one call. Those that are sent while the connection is
// lost are lost, so each new connection begins with a call. A caller who also looks by itself now and then misses
// nothing.
//
// Behind a pooler in transaction mode LISTEN is answered, and no notification comes. So each new connection first hears
// a notification that another connection of the listener sends. When it does not come, nobody listens for a while.
#pragma once
#include <libpq-fe.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "runtime/log/run_queue.h"

namespace ptc {

class PostgresListener final : public WakeHints {
 public:
  // Listens until the destructor returns. `on_hint` is called by the thread of the listener.
  PostgresListener(std::string url, std::span<const std::string> queues, std::function<void()> on_hint);
  ~PostgresListener() override;
  bool is_listening() const override { return is_listening_; }
  bool is_deaf() const override { return is_deaf_; }

 private:
  using Connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;
  using Span = std::chrono::milliseconds;

  void listen_until_over();
  Connection connected();              // null when that failed
  bool listen(PGconn* connection);     // until the connection breaks; returns whether it has listened
  bool has_done(PGconn* connection, const std::string& sql);   // one statement
  bool hears_itself(PGconn* connection);
  // Waits for notifications, and calls back. Returns false when the connection is broken, or the time is over.
  bool take_notices(PGconn* connection, Span longest);
  bool is_over() const;
  // Waits for the socket, the end, or the time. Returns whether the socket is ready.
  bool wait_for(PGconn* connection, short what, Span longest);

  const std::string url_;
  std::vector<std::string> payloads_;  // the names of the queues, as the database writes them
  const std::function<void()> on_hint_;
  std::string hello_;                  // what the listener sends to itself; "": it has come
  std::atomic<bool> is_listening_{false}, is_deaf_{false};
  const int over_;                     // an eventfd that is written once
  std::thread thread_;
};

}   // namespace ptc

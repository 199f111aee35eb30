#include "runtime/log/postgres/postgres_listener.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "runtime/log/postgres/postgres_rows.h"
#include "schema/ascii.h"

namespace ptc {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kConnectPatience{10'000}, kShortestRest{250}, kLongestRest{30'000}, kForEver{-1};
// How long the notification may take that a listener sends to itself.
constexpr milliseconds kHelloPatience{5'000};

}  // namespace

PostgresListener::PostgresListener(std::string url, std::span<const std::string> queues, std::function<void()> on_hint)
    : url_(std::move(url)), on_hint_(std::move(on_hint)), over_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  // What the database sends for a queue (queue_functions.sql).
  for (const std::string& queue : queues) append_hex(payloads_.emplace_back(), queue);
  if (over_ >= 0) thread_ = std::thread([this] { listen_until_over(); });   // else nobody could end it
}

PostgresListener::~PostgresListener() {
  if (over_ < 0) return;
  eventfd_write(over_, 1);
  thread_.join();
  close(over_);
}

void PostgresListener::listen_until_over() {
  for (milliseconds rest = kShortestRest;;) {
    const Connection connection = connected();
    const bool has_listened = connection != nullptr && listen(connection.get());
    rest = has_listened ? kShortestRest : std::min(2 * rest, kLongestRest);
    pollfd over{over_, POLLIN, 0};
    if (poll(&over, 1, static_cast<int>(rest.count())) > 0) return;
  }
}

// Dead peers are noticed within a minute. What the URL says wins over the words before it.
PostgresListener::Connection PostgresListener::connected() {
  const char* const words[] = {"fallback_application_name", "keepalives_idle", "keepalives_interval",
                               "keepalives_count", "dbname", nullptr};
  const char* const values[] = {"ptcvm listener", "30", "10", "3", url_.c_str(), nullptr};
  Connection out(PQconnectStartParams(words, values, 1), &PQfinish);
  if (out == nullptr || PQstatus(out.get()) == CONNECTION_BAD) return {nullptr, &PQfinish};
  PQsetNoticeProcessor(
      out.get(), [](void*, const char*) {}, nullptr);
  for (PostgresPollingStatusType next = PGRES_POLLING_WRITING; next != PGRES_POLLING_OK;) {
    const short what = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    if (!wait_for(out.get(), what, kConnectPatience)) return {nullptr, &PQfinish};
    next = PQconnectPoll(out.get());
    if (next == PGRES_POLLING_FAILED) return {nullptr, &PQfinish};
  }
  return out;
}

// From the answer on nothing is missed, and what came before is not known.
bool PostgresListener::listen(PGconn* connection) {
  if (!has_done(connection, "LISTEN ptcvm_ready")) return false;
  on_hint_();
  is_deaf_ = !hears_itself(connection) && PQstatus(connection) == CONNECTION_OK && !is_over();
  is_listening_ = hello_.empty();
  if (is_deaf_) on_hint_();   // somebody may want to say so
  const bool has_listened = is_listening_;
  while (is_listening_) is_listening_ = take_notices(connection, kForEver);
  return has_listened;
}

bool PostgresListener::has_done(PGconn* connection, const std::string& sql) {
  if (PQsendQuery(connection, sql.c_str()) == 0) return false;
  while (PQisBusy(connection) != 0) {
    if (!wait_for(connection, POLLIN, kConnectPatience) || PQconsumeInput(connection) == 0) return false;
  }
  bool is_good = false;
  while (PGresult* const result = PQgetResult(connection)) {
    is_good = PQresultStatus(result) == PGRES_COMMAND_OK || PQresultStatus(result) == PGRES_TUPLES_OK;
    PQclear(result);
  }
  return is_good;
}

// Without another connection nothing can be found out: then the listener is taken for one that hears.
bool PostgresListener::hears_itself(PGconn* connection) {
  hello_ = "hello-" + std::to_string(fresh_op());   // no name of a queue is written so
  const Connection other = connected();
  if (other == nullptr || !has_done(other.get(), "SELECT pg_notify('ptcvm_ready', '" + hello_ + "')")) hello_.clear();
  const auto until = std::chrono::steady_clock::now() + kHelloPatience;
  while (!hello_.empty()) {
    const auto left = std::chrono::duration_cast<milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !take_notices(connection, left)) return false;
  }
  return true;
}

bool PostgresListener::take_notices(PGconn* connection, Span longest) {
  if (!wait_for(connection, POLLIN, longest) || PQconsumeInput(connection) == 0) return false;
  bool is_hint = false;
  while (PGnotify* const told = PQnotifies(connection)) {
    const std::string_view payload = told->extra;
    if (payload == hello_) hello_.clear();
    is_hint = is_hint || std::ranges::count(payloads_, payload) > 0;
    PQfreemem(told);
  }
  if (is_hint) on_hint_();
  return true;
}

bool PostgresListener::is_over() const {
  pollfd over{over_, POLLIN, 0};
  return poll(&over, 1, 0) > 0;
}

bool PostgresListener::wait_for(PGconn* connection, short what, Span longest) {
  std::array<pollfd, 2> places{{{PQsocket(connection), what, 0}, {over_, POLLIN, 0}}};
  int count = 0;
  do {
    count = poll(places.data(), places.size(), static_cast<int>(longest.count()));
  } while (count < 0 && errno == EINTR);
  return count > 0 && places[1].revents == 0 && places[0].revents != 0;
}

}   // namespace ptc

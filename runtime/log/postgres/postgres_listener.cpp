#include "runtime/log/postgres/postgres_listener.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "schema/ascii.h"

namespace ptc {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kConnectPatience{10'000}, kShortestRest{250}, kLongestRest{30'000}, kForEver{-1};

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

bool PostgresListener::listen(PGconn* connection) {
  bool has_listened = false;
  if (PQsendQuery(connection, "LISTEN ptcvm_ready") == 0) return false;
  while (wait_for(connection, POLLIN, has_listened ? kForEver : kConnectPatience)) {
    bool is_hint = false;
    if (PQconsumeInput(connection) == 0 || !take_results(connection, is_hint)) break;
    // From now on nothing is missed, and what came before is not known.
    if (is_hint) is_listening_ = has_listened = true;
    is_hint = take_notices(connection) || is_hint;
    if (is_hint) on_hint_();
  }
  is_listening_ = false;
  return has_listened;
}

// Sets `is_hint` when the database has begun to tell. Returns false when it refuses.
bool PostgresListener::take_results(PGconn* connection, bool& is_hint) {
  while (PQisBusy(connection) == 0) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQgetResult(connection), &PQclear);
    if (result == nullptr) return true;
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) return false;
    is_hint = true;
  }
  return true;
}

bool PostgresListener::take_notices(PGconn* connection) {
  bool is_hint = false;
  while (PGnotify* const told = PQnotifies(connection)) {
    is_hint = is_hint || std::ranges::count(payloads_, std::string_view(told->extra)) > 0;
    PQfreemem(told);
  }
  return is_hint;
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

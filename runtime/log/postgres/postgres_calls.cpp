#include "runtime/log/postgres/postgres_calls.h"

#include <algorithm>
#include <thread>

namespace ptc {
namespace {

using Kind = StoreError::Kind;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kFirstPause{10}, kLongestPause{500};

StoreError unknown(const StoreError& error) {
  return {Kind::Unknown, "the connection broke during a write, and its fate was not found out: " + error.message};
}

}   // namespace

std::variant<PostgresCalls::Connection, StoreError> PostgresCalls::take() {
  {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [this] { return !idle_.empty() || count_ < most_; });
    if (!idle_.empty()) {
      Connection out = std::move(idle_.back());
      idle_.pop_back();
      return out;
    }
    ++count_;
  }
  auto opened = PostgresConnection::open(url_);
  if (auto* error = std::get_if<StoreError>(&opened)) {
    give_back(nullptr);
    return std::move(*error);
  }
  return std::get<Connection>(std::move(opened));
}

void PostgresCalls::give_back(Connection connection) {
  {
    const std::lock_guard lock(mutex_);
    if (connection != nullptr && !connection->is_broken()) {
      idle_.push_back(std::move(connection));
    } else {
      if (connection != nullptr) ++reconnects_;
      --count_;
    }
  }
  freed_.notify_one();
}

std::optional<StoreError> PostgresCalls::connect() {
  auto taken = take();
  if (auto* error = std::get_if<StoreError>(&taken)) return std::move(*error);
  give_back(std::get<Connection>(std::move(taken)));
  return std::nullopt;
}

template <class Attempt>
StoreResult<PostgresRows> PostgresCalls::until_known(bool is_write, Attempt attempt) {
  const auto give_up = Clock::now() + patience_;
  auto pause = kFirstPause;
  bool may_be_done = false;
  for (;;) {
    auto taken = take();
    auto* const error = std::get_if<StoreError>(&taken);
    std::optional<StoreError> last;
    if (error != nullptr) {
      last = std::move(*error);
    } else {
      auto connection = std::get<Connection>(std::move(taken));
      auto answer = attempt(*connection, may_be_done);
      give_back(std::move(connection));
      if (auto* rows = std::get_if<PostgresRows>(&answer)) return std::move(*rows);
      auto& failure = std::get<PostgresFailure>(answer);
      if (failure.fate == PostgresFate::Refused) return may_be_done ? unknown(failure.error) : failure.error;
      may_be_done = may_be_done || (is_write && failure.fate == PostgresFate::Unknown);
      last = std::move(failure.error);
    }
    if (Clock::now() + pause >= give_up) {
      return may_be_done ? unknown(*last) : *last;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
}

StoreResult<PostgresRows> PostgresCalls::ask(const char* sql, const Parameters& parameters) {
  return until_known(true, [&](PostgresConnection& connection, bool again) {
    PostgresParameters given = parameters(again);
    return connection.ask(sql, given);
  });
}

StoreResult<PostgresRows> PostgresCalls::look(const char* sql, const PostgresParameters& parameters) {
  return until_known(false, [&](PostgresConnection& connection, bool) { return connection.look(sql, parameters); });
}

StoreResult<PostgresRows> PostgresCalls::look_each(const char* sql, const PostgresParameters& parameters,
                                                   const std::function<void()>& begin,
                                                   const PostgresConnection::EachRow& each) {
  return until_known(false, [&](PostgresConnection& connection, bool) {
    begin();
    return connection.look_each(sql, parameters, each);
  });
}

void PostgresCalls::tell_of(const PostgresRows& rows, int column) {
  if (rows.count() == 0 || rows.null_at(0, column)) return;
  const std::string_view queues = rows.bytes_at(0, column);
  if (!queues.empty()) teller_.add(queues);
}

void PostgresCalls::tell(const std::string& queues) {
  auto taken = take();
  auto* const connection = std::get_if<Connection>(&taken);
  if (connection == nullptr) return;
  PostgresParameters parameters;
  parameters.bytes(queues);
  (void)(*connection)->look("SELECT ptcvm.tell_of($1)", parameters);
  give_back(std::move(*connection));
}

std::uint64_t PostgresCalls::reconnects() const {
  const std::lock_guard lock(mutex_);
  return reconnects_;
}

}   // namespace ptc

// Makes calls of one database over a few connections, for any number of threads. A call whose connection breaks is made
// again over another connection, until the patience is over: a server that restarts costs time and no call.
#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/log/postgres/postgres_connection.h"
#include "runtime/log/postgres/postgres_teller.h"

namespace ptc {

class PostgresCalls {
 public:
  PostgresCalls(std::string url, std::size_t most_connections, std::chrono::milliseconds patience)
      : url_(std::move(url)), most_(most_connections == 0 ? 1 : most_connections), patience_(patience),
        teller_([this](const std::string& queues) { tell(queues); }) {}
  PostgresCalls(const PostgresCalls&) = delete;
  PostgresCalls& operator=(const PostgresCalls&) = delete;

  // Opens the first connection, without patience.
  std::optional<StoreError> connect();

  // Gives the parameters of an attempt. `again` is true when an attempt before may have been committed: the statement
  // must find out.
  using Parameters = std::function<PostgresParameters(bool again)>;
  // Runs the statement until its fate is known. Error: Unknown, when patience was over before that.
  StoreResult<PostgresRows> ask(const char* sql, const Parameters& parameters);
  // Runs a statement that changes nothing.
  StoreResult<PostgresRows> look(const char* sql, const PostgresParameters& parameters);
  // Hands out each row alone (PostgresConnection::look_each). `begin` is called before the first row of each attempt.
  StoreResult<PostgresRows> look_each(const char* sql, const PostgresParameters& parameters,
                                      const std::function<void()>& begin, const PostgresConnection::EachRow& each);

  // Has workers told of the queues that this column of the first row names, in the words of keep_ready()
  // (queue_functions.sql). A failure is nobody's: these are hints.
  void tell_of(const PostgresRows& rows, int column);

  std::uint64_t reconnects() const;   // connections that broke since the beginning
  const std::string& url() const { return url_; }

 private:
  using Connection = std::unique_ptr<PostgresConnection>;
  std::variant<Connection, StoreError> take();
  void give_back(Connection connection);   // a broken one, or null, frees its place
  void tell(const std::string& queues);
  template <class Attempt>
  StoreResult<PostgresRows> until_known(bool is_write, Attempt attempt);

  const std::string url_;
  const std::size_t most_;
  const std::chrono::milliseconds patience_;
  mutable std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<Connection> idle_;
  std::size_t count_ = 0;   // of connections, idle or in use
  std::uint64_t reconnects_ = 0;
  PostgresTeller teller_;   // the last one: it tells what is left
};

}   // namespace ptc

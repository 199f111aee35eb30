// Starts a PostgreSQL server of its own for tests: a new cluster in a temporary folder, reached over a socket there and
// nowhere else. The server ends with the object, or with the process. A test that runs as root gives the server to the
// user nobody, because PostgreSQL does not run as root.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace ptc::test {

class PostgresServer {
 public:
  // Ends the process with a message when PostgreSQL is not installed or does not start. `settings` are words like
  // "fsync=on". Without them the server does not wait for the disk. "port=N" is for a server that listens, too.
  explicit PostgresServer(std::vector<std::string> settings = {"fsync=off"});
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // Returns a URL of a database of the cluster, for the owner of the cluster or for another role.
  std::string url(const std::string& database = "postgres", const std::string& role = "ptc") const;
  std::string socket() const;   // the path of the socket
  const std::string& folder() const { return folder_; }
  // Makes an empty database and returns its URL.
  std::string new_database(const std::string& name) const;
  // Runs statements as the owner of the cluster. Ends the process when one of them fails.
  void run(const std::string& sql, const std::string& database = "postgres") const;

  void crash();   // as a crash of the machine: nothing is finished
  void start();   // again, after crash()

  // Starts a program as the user of the server. It ends with this process, at the latest. What it prints goes to the
  // file folder() + output.
  pid_t spawn(const std::vector<std::string>& words, const std::string& output) const;

 private:
  void finish(pid_t child, const char* what) const;
  void wait_until_ready() const;

  const std::vector<std::string> settings_;
  std::string binaries_, folder_, port_ = "5432";
  pid_t server_ = -1;
};

}   // namespace ptc::test

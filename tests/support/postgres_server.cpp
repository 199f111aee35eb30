#include "tests/support/postgres_server.h"

#include <fcntl.h>
#include <grp.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ptc::test {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void give_up(const std::string& message) {
  std::fprintf(stderr, "postgres_server: %s\n", message.c_str());
  std::exit(1);
}

// Debian keeps each version in a folder of its own.
std::string find_binaries() {
  std::string best;
  std::error_code ignored;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    const std::string folder = version.path() / "bin";
    if (fs::exists(folder + "/postgres", ignored) && folder > best) best = folder;
  }
  if (best.empty()) give_up("there is no /usr/lib/postgresql/*/bin/postgres: run tools/install-dependencies");
  return best;
}

void become_nobody() {
  const passwd* const nobody = getpwnam("nobody");
  if (nobody == nullptr || setgroups(0, nullptr) != 0 || setgid(nobody->pw_gid) != 0 || setuid(nobody->pw_uid) != 0) {
    _exit(126);
  }
}

}   // namespace

PostgresServer::PostgresServer(std::vector<std::string> settings)
    : settings_(std::move(settings)), binaries_(find_binaries()) {
  for (const std::string& setting : settings_) {
    if (setting.starts_with("port=")) port_ = setting.substr(5);
  }
  std::string pattern = fs::is_directory("/dev/shm") ? "/dev/shm/ptc_pg_XXXXXX" : "/tmp/ptc_pg_XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) give_up("no temporary folder");
  folder_ = pattern;
  if (getuid() == 0) {
    const passwd* const nobody = getpwnam("nobody");
    if (nobody == nullptr || chown(folder_.c_str(), nobody->pw_uid, nobody->pw_gid) != 0) give_up("no user nobody");
  }
  const std::vector<std::string> make{
      binaries_ + "/initdb", "-D", folder_ + "/data", "-U", "ptc", "-A", "trust", "-N", "--locale=C", "-E", "UTF8"};
  finish(spawn(make, "/initdb.log"), "initdb");
  start();
}

PostgresServer::~PostgresServer() {
  crash();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

pid_t PostgresServer::spawn(const std::vector<std::string>& words, const std::string& output) const {
  const std::string log = folder_ + output;
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = getpid(), child = fork();
  if (child != 0) return child;
  if (getuid() == 0) become_nobody();
  prctl(PR_SET_PDEATHSIG, SIGQUIT);   // PostgreSQL ends at once; the parent may be gone already
  if (getppid() != parent || chdir("/") != 0) _exit(126);
  const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  setsid();
  execv(arguments[0], arguments.data());
  _exit(127);
}

void PostgresServer::finish(pid_t child, const char* what) const {
  int status = 0;
  waitpid(child, &status, 0);
  if (status == 0) return;
  std::ifstream log(folder_ + "/" + what + ".log");
  give_up(std::string(what) + " failed: " + std::string(std::istreambuf_iterator<char>(log), {}));
}

void PostgresServer::start() {
  std::vector<std::string> words{binaries_ + "/postgres", "-D", folder_ + "/data", "-k", folder_};
  const std::vector<std::string> always{"listen_addresses=", "shared_buffers=32MB", "max_connections=40"};
  for (const auto* settings : {&always, &settings_}) {
    for (const std::string& setting : *settings) {
      words.emplace_back("-c");
      words.push_back(setting);
    }
  }
  server_ = spawn(words, "/server.log");
  wait_until_ready();
}

void PostgresServer::wait_until_ready() const {
  while (PQping(url().c_str()) != PQPING_OK) {
    if (waitpid(server_, nullptr, WNOHANG) != 0) {
      std::ifstream log(folder_ + "/server.log");
      give_up("the server ended: " + std::string(std::istreambuf_iterator<char>(log), {}));
    }
    usleep(5'000);
  }
}

void PostgresServer::crash() {
  if (server_ <= 0) return;
  kill(server_, SIGQUIT);
  waitpid(server_, nullptr, 0);
  server_ = -1;
}

std::string PostgresServer::url(const std::string& database, const std::string& role) const {
  return "postgresql://" + role + "@/" + database + "?host=" + folder_ + "&port=" + port_;
}

std::string PostgresServer::socket() const { return folder_ + "/.s.PGSQL." + port_; }

std::string PostgresServer::new_database(const std::string& name) const {
  run("CREATE DATABASE " + name);
  return url(name);
}

void PostgresServer::run(const std::string& sql, const std::string& database) const {
  PGconn* const connection = PQconnectdb(url(database).c_str());
  PGresult* const result = PQexec(connection, sql.c_str());
  const ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) give_up(PQerrorMessage(connection));
  PQclear(result);
  PQfinish(connection);
}

}   // namespace ptc::test

// The store in PostgreSQL over TLS, and through PgBouncer in transaction mode.
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>

#include "ptcvm/postgres.hpp"
#include "ptcvm/ptcvm.hpp"
#include "ptcvm/worker.hpp"
#include "runtime/log/postgres/postgres_schema.h"
#include "runtime/log/postgres/postgres_store.h"
#include "runtime/log/run_queue.h"
#include "tests/store/conformance.h"
#include "tests/store/store_facts.h"
#include "tests/support/postgres_server.h"

namespace ptc {
namespace {

namespace fs = std::filesystem;

// A port of 127.0.0.1 that nobody listens at.
std::string free_port() {
  const int socket_of_test = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(bind(socket_of_test, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(socket_of_test, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(socket_of_test);
  return std::to_string(ntohs(address.sin_port));
}

// A certificate for "localhost" that signs itself, and another one, which the server does not have.
class Certificates {
 public:
  Certificates() {
    std::string pattern = (fs::temp_directory_path() / "ptc_tls_XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    fs::permissions(folder_, fs::perms::owner_all | fs::perms::others_exec | fs::perms::group_exec);
    for (const char* const name : {"own", "other"}) make(name);
    fs::permissions(key(), fs::perms::owner_read);
    if (const passwd* const nobody = getpwnam("nobody"); getuid() == 0 && nobody != nullptr) {
      EXPECT_EQ(chown(key().c_str(), nobody->pw_uid, nobody->pw_gid), 0);   // PostgreSQL wants to own its key
    }
  }
  ~Certificates() { fs::remove_all(folder_); }
  std::string key() const { return folder_ + "/own.key"; }
  std::string certificate(const std::string& name) const { return folder_ + "/" + name + ".crt"; }

 private:
  void make(const std::string& name) const {
    const std::string command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
                                "-subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout " + folder_ + "/" +
                                name + ".key -out " + certificate(name) + " 2> " + folder_ + "/log";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
  std::string folder_;
};

// A server that takes TLS at 127.0.0.1, with a store.
struct TlsServer {
  Certificates certificates;
  std::string port = free_port();
  test::PostgresServer server{{"fsync=off", "listen_addresses=127.0.0.1", "port=" + port, "ssl=on",
                               "ssl_cert_file=" + certificates.certificate("own"),
                               "ssl_key_file=" + certificates.key()}};
  TlsServer() { taken(migrate_postgres(server.new_database("store"))); }
  std::string url(const std::string& host, const std::string& root) const {
    return "postgresql://ptc@" + host + ":" + port + "/store?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert=" +
           certificates.certificate(root);
  }
};

TEST(PostgresTls, IsCheckedAgainstTheRootAndTheNameOfTheServer) {
  const TlsServer tls;
  const auto opened = PostgresStore::open(tls.url("localhost", "own"));
  ASSERT_TRUE(std::holds_alternative<std::unique_ptr<PostgresStore>>(opened)) << std::get<StoreError>(opened).message;
  const auto& store = std::get<std::unique_ptr<PostgresStore>>(opened);
  EXPECT_TRUE(put_one(*store, "a", 0, outside_fact("k")).mine);

  const auto other_root = PostgresStore::open(tls.url("localhost", "other"));
  ASSERT_EQ(error_of(other_root), "store_io");
  EXPECT_NE(std::get<StoreError>(other_root).message.find("certificate verify failed"), std::string::npos)
      << std::get<StoreError>(other_root).message;
  const auto other_name = PostgresStore::open(tls.url("db.example", "own"));
  ASSERT_EQ(error_of(other_name), "store_io");
  EXPECT_NE(std::get<StoreError>(other_name).message.find("does not match host name \"db.example\""),
            std::string::npos)
      << std::get<StoreError>(other_name).message;

  std::promise<void> heard;
  std::atomic<int> hints{0};
  const std::vector<std::string> queues{"default"};
  const auto listener = store->queue()->listen(queues, [&] {
    if (++hints == 2) heard.set_value();   // the first one: it listens now
  });
  while (hints == 0) std::this_thread::yield();
  Job job;
  job.log = "b";
  job.start = start_fact();
  taken(store->queue()->enqueue({&job, 1}, 0));
  EXPECT_EQ(heard.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
}

constexpr char kPgBouncer[] = "/usr/sbin/pgbouncer";

// Two connections to the server for all clients, each for one transaction.
class Pooler {
 public:
  Pooler() {
    taken(migrate_postgres(server_.new_database("store")));
    std::ofstream(server_.folder() + "/users.txt") << "\"ptc\" \"\"\n";
    const std::string settings = server_.folder() + "/pgbouncer.ini";
    std::ofstream(settings) << "[databases]\n* = host=" << server_.folder() << "\n[pgbouncer]\nlisten_port = 6543\n"
                            << "unix_socket_dir = " << server_.folder() << "\nauth_type = trust\nauth_file = "
                            << server_.folder() << "/users.txt\npool_mode = transaction\ndefault_pool_size = 2\n";
    process_ = server_.spawn({kPgBouncer, settings}, "/pgbouncer.log");
    while (std::holds_alternative<StoreError>(PostgresStore::open(url()))) {
      if (waitpid(process_, nullptr, WNOHANG) != 0) {
        std::ifstream log(server_.folder() + "/pgbouncer.log");
        ADD_FAILURE() << "PgBouncer ended: " << std::string(std::istreambuf_iterator<char>(log), {});
        process_ = -1;
        return;
      }
      usleep(5'000);
    }
  }
  ~Pooler() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Pooler(const Pooler&) = delete;
  Pooler& operator=(const Pooler&) = delete;
  std::string url() const { return "postgresql://ptc@/store?port=6543&host=" + server_.folder(); }
  void empty_store() const {
    server_.run("TRUNCATE ptcvm.dependent, ptcvm.schedule, ptcvm.run, ptcvm.fact, ptcvm.open_call, ptcvm.parked, "
                "ptcvm.waiting, ptcvm.node, ptcvm.queue, ptcvm.job RESTART IDENTITY", "store");
  }

 private:
  test::PostgresServer server_;
  pid_t process_ = -1;
};

Pooler& pooler() {
  static Pooler one;
  return one;
}

std::unique_ptr<FactStore> pooled_store() {
  PostgresOptions options;
  options.clock = PostgresClock::Caller;
  pooler().empty_store();
  auto opened = PostgresStore::open(pooler().url(), options);
  if (auto* good = std::get_if<std::unique_ptr<PostgresStore>>(&opened)) return std::move(*good);
  ADD_FAILURE() << std::get<StoreError>(opened).message;
  return nullptr;
}

[[maybe_unused]] const bool kConformsThroughAPooler =
    fs::exists(kPgBouncer) && store_conformance("PostgresPooled", pooled_store);

// Ten runs of several calls, while a pooler gives each transaction another connection and lets no notification through.
TEST(PostgresPooledWorker, DoesWhatIsInTheQueue) {
  if (!fs::exists(kPgBouncer)) GTEST_SKIP() << "there is no PgBouncer";
  pooler().empty_store();
  const ptcvm::Engine engine;
  const ptcvm::Store store = ptcvm::open_postgres(pooler().url()).value();
  ptcvm::Tools tools;
  ASSERT_TRUE(tools.add("add", "(a :int, b :int) -> :int", [](std::int64_t a, std::int64_t b) { return a + b; }));
  std::vector<ptcvm::QueuedJob> jobs(10);
  for (std::size_t n = 0; n < jobs.size(); ++n) {
    jobs[n].id = "r" + std::to_string(n);
    jobs[n].source = "(task \"twice\" (tool/add {:a 1 :b (tool/add {:a 1 :b " + std::to_string(n) + "})}))";
  }
  ASSERT_TRUE(ptcvm::enqueue(engine, store, jobs));
  ptcvm::WorkerOptions options;
  options.threads = 4;
  options.until_empty = true;
  ptcvm::Worker worker(engine, store, tools, options);
  ASSERT_TRUE(worker.run());
  EXPECT_EQ(worker.stats().ended, jobs.size());
  EXPECT_EQ(store.journal("r7").value().tasks.size(), 1u);
}

TEST(PostgresPooledWorker, SaysThatNothingIsTold) {
  if (!fs::exists(kPgBouncer)) GTEST_SKIP() << "there is no PgBouncer";
  pooler().empty_store();
  const ptcvm::Engine engine;
  const ptcvm::Store store = ptcvm::open_postgres(pooler().url()).value();
  std::vector<std::string> said;
  ptcvm::Worker* at_work = nullptr;
  ptcvm::WorkerOptions options;
  options.poll = std::chrono::milliseconds(20);
  options.on_event = [&](const ptcvm::WorkerEvent& event) {
    if (event.kind != ptcvm::WorkerEventKind::NotTold) return;
    said.emplace_back(event.text);
    at_work->drain();
  };
  ptcvm::Worker worker(engine, store, ptcvm::Tools(), options);
  at_work = &worker;
  ASSERT_TRUE(worker.run());
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("looks every 20 ms"), std::string::npos) << said[0];
  EXPECT_FALSE(worker.stats().is_listening);
}

}   // namespace
}   // namespace ptc

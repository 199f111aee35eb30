// A worker in another process dies or stops in the middle of a tool, and this one goes on with its run.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>

#include "ptcvm/ptcvm.hpp"
#include "ptcvm/sqlite.hpp"
#include "ptcvm/worker.hpp"

namespace ptcvm {
namespace {

// This process must not lose its own lease on a busy machine.
constexpr std::chrono::milliseconds kLeaseOfOther{300}, kOwnLease{1'500};

WorkerOptions with_lease(std::chrono::milliseconds lease) {
  WorkerOptions out;
  out.lease = lease;
  out.poll = std::chrono::milliseconds(10);
  return out;
}

Tools tool_of(Effect effect, std::function<void()> called) {
  Tools tools;
  tools.add("act", "() -> :int", [called = std::move(called)](ToolCall& call) {
    called();
    return call.value(std::int64_t{7});
  }, {.effect = effect}).value();
  return tools;
}

// A file with one job, and a process whose worker is in its tool until the process gets a byte.
class OtherWorker {
 public:
  explicit OtherWorker(Effect effect) {
    std::string name = (std::filesystem::temp_directory_path() / "ptcvm-death-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    {
      QueuedJob job;
      job.id = "a";
      job.source = "(tool/act {})";
      EXPECT_TRUE(enqueue(Engine(), open(), job));
    }
    EXPECT_EQ(pipe(called_), 0);
    EXPECT_EQ(pipe(goes_on_), 0);
    child_ = fork();
    if (child_ == 0) _exit(work(effect));
    char byte = 0;
    EXPECT_EQ(::read(called_[0], &byte, 1), 1);
  }
  ~OtherWorker() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    std::filesystem::remove_all(folder_);
    for (const int end : {called_[0], called_[1], goes_on_[0], goes_on_[1]}) ::close(end);
  }
  std::string path() const { return (folder_ / "runs.db").string(); }
  Store open() const { return open_sqlite(path()).value(); }
  void send(int signal) const { kill(child_, signal); }
  // Stops the process between two of its transactions. In the middle of one it would keep SQLite's lock, and nobody
  // could write into the file.
  void stop() const {
    SqliteOptions soon;
    soon.busy_timeout = std::chrono::milliseconds(10);
    for (;;) {
      send(SIGSTOP);
      QueuedJob probe;
      probe.id = "probe";
      probe.queue = "nobody's";
      probe.source = "1";
      const auto file = open_sqlite(path(), soon);
      if (file && enqueue(Engine(), *file, probe)) return;
      send(SIGCONT);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  // Lets the tool return, and returns how many runs the worker could not give back.
  int lost() {
    EXPECT_EQ(::write(goes_on_[1], "x", 1), 1);
    int status = 0;
    waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  int work(Effect effect) {
    Worker* own = nullptr;
    const Tools tools = tool_of(effect, [&] {
      char byte = 'x';
      (void)!::write(called_[1], &byte, 1);
      (void)!::read(goes_on_[0], &byte, 1);
      own->drain();
    });
    Worker worker(Engine(), open(), tools, with_lease(kLeaseOfOther));
    own = &worker;
    (void)worker.run();
    return static_cast<int>(worker.stats().lost);
  }

  std::filesystem::path folder_;
  int called_[2] = {}, goes_on_[2] = {};
  pid_t child_ = 0;
};

// Works until the run has ended or is in doubt. Returns how often the tool was called here.
int taken_over(const OtherWorker& other, Effect effect) {
  const Store store = other.open();
  std::atomic<int> calls{0};
  Worker worker(Engine(), store, tool_of(effect, [&calls] { ++calls; }), with_lease(kOwnLease));
  std::jthread watch([&] {
    for (int i = 0; i < 3'000; ++i) {
      const auto detail = store.detail("a").value();
      if (detail.end_status == "ok" || detail.is_in_doubt) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    worker.drain();
  });
  EXPECT_TRUE(worker.run());
  EXPECT_EQ(worker.stats().rescued, 1u);
  return calls;
}

}  // namespace

TEST(WorkerDeath, AnIdempotentCallIsMadeAgain) {
  const OtherWorker other(Effect::Idempotent);
  other.send(SIGKILL);
  EXPECT_EQ(taken_over(other, Effect::Idempotent), 1);
  EXPECT_EQ(other.open().detail("a")->end_status, "ok");
}

TEST(WorkerDeath, AnUnsafeCallIsInDoubt) {
  const OtherWorker other(Effect::Unsafe);
  other.send(SIGKILL);
  EXPECT_EQ(taken_over(other, Effect::Unsafe), 0);
  EXPECT_TRUE(other.open().detail("a")->is_in_doubt);
}

TEST(WorkerDeath, AWorkerThatWasStoppedIsRefused) {
  OtherWorker other(Effect::Idempotent);
  other.stop();
  EXPECT_EQ(taken_over(other, Effect::Idempotent), 1);
  other.send(SIGCONT);
  EXPECT_EQ(other.lost(), 1);
  EXPECT_EQ(other.open().detail("a")->end_status, "ok");
}

}  // namespace ptcvm

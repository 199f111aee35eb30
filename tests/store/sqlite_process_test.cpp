// Several processes on one file, and processes that are killed. The children write numbers to a pipe and end with
// _exit; nothing of GoogleTest runs in them.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <set>
#include <thread>

#include "runtime/log/sqlite/sqlite_store.h"
#include "tests/store/store_facts.h"
#include "tests/store/store_file.h"
#include "tests/support/sweep.h"

namespace ptc {
namespace {

class Child {
 public:
  explicit Child(const std::function<int(int pipe)>& body) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    process_ = fork();
    if (process_ == 0) {
      close(ends[0]);
      _exit(body(ends[1]));
    }
    close(ends[1]);
    pipe_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { close(pipe_); }

  // The next number that it said, or nothing when it is gone.
  std::optional<std::uint32_t> said() const {
    std::uint32_t out = 0;
    return ::read(pipe_, &out, sizeof out) == sizeof out ? std::optional(out) : std::nullopt;
  }
  void kill_now() const { ::kill(process_, SIGKILL); }
  int ended() const {   // -1: not by itself
    int status = 0;
    EXPECT_EQ(waitpid(process_, &status, 0), process_);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t process_ = -1;
  int pipe_ = -1;
};

std::unique_ptr<SqliteStore> opened(const std::string& path, SqliteMode mode = SqliteMode::Sync) {
  SqliteOptions options;
  options.mode = mode;
  options.busy_timeout = std::chrono::minutes(2);   // others may have the machine
  auto store = SqliteStore::open(path, options);
  auto* good = std::get_if<std::unique_ptr<SqliteStore>>(&store);
  return good == nullptr ? nullptr : std::move(*good);
}

TEST(SqliteProcesses, WriteOneLogTogether) {
  constexpr std::uint32_t kChildren = 3, kFacts = 200;
  const StoreFile file;
  const auto body = [&](std::uint32_t mine) {
    return [&, mine](int) {   // all keys are wanted by two of them
      const auto store = opened(file.path(), mine == 2 ? SqliteMode::Group : SqliteMode::Sync);
      if (store == nullptr) return 1;
      for (std::uint32_t i = 0; i < kFacts; ++i) {
        const Fact fact = outside_fact("k" + std::to_string(mine == 2 ? i + kFacts / 2 : i), std::to_string(mine));
        if (std::holds_alternative<StoreError>(store->put("a", Cut::blind(), {&fact, 1}))) return 2;
        if (mine == 2 && i % 20 == 0 && std::holds_alternative<StoreError>(store->flush())) return 3;
      }
      return 0;
    };
  };
  {
    const Child first(body(0)), second(body(1)), third(body(2));   // the first process makes the file
    EXPECT_EQ(first.ended(), 0);
    EXPECT_EQ(second.ended(), 0);
    EXPECT_EQ(third.ended(), 0);
  }
  const auto store = opened(file.path());
  ASSERT_NE(store, nullptr);
  const auto facts = taken(store->read("a", 0, kChildren * kFacts));
  std::set<std::string> keys;
  for (const Fact& fact : facts) keys.insert(fact.key);
  EXPECT_EQ(facts.size(), kFacts + kFacts / 2);
  EXPECT_EQ(keys.size(), facts.size());
}

TEST(SqliteProcesses, OneOfTwoClaimsARun) {
  constexpr std::uint32_t kRounds = 100;
  const StoreFile file;
  ASSERT_NE(opened(file.path()), nullptr);
  const auto body = [&](int pipe) {
    const auto store = opened(file.path());
    if (store == nullptr) return 1;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      const auto claim = store->claim("run " + std::to_string(round), "process", kStoreNow, kStoreLease);
      const auto* good = std::get_if<Claim>(&claim);
      if (good == nullptr) return 2;
      const std::uint32_t won = good->granted ? 1 : 0;
      if (::write(pipe, &won, sizeof won) != sizeof won) return 3;
    }
    return 0;
  };
  const Child first(body), second(body);
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const auto one = first.said(), other = second.said();
    ASSERT_TRUE(one && other);
    EXPECT_EQ(*one + *other, 1u);
  }
  EXPECT_EQ(first.ended(), 0);
  EXPECT_EQ(second.ended(), 0);
}

TEST(SqliteProcesses, AnAnswerFromAnotherProcessWakes) {
  const StoreFile file;
  const auto body = [&](int) {
    const auto store = opened(file.path());
    const Fact fact = outside_fact("answer");
    return store != nullptr && std::holds_alternative<Written>(store->put("a", Cut::blind(), {&fact, 1})) ? 0 : 1;
  };
  std::uint64_t token = 0;
  {
    const auto store = opened(file.path());
    token = started(*store, "a");
    EXPECT_TRUE(is_parked(*store, "a", token, waiting_for({"answer"}, 1)));
  }
  EXPECT_EQ(Child(body).ended(), 0);
  EXPECT_EQ(taken(opened(file.path())->woken(kStoreNow, 9)), std::vector<std::string>{"a"});
}

// Writes facts and says the number of each when its put has returned.
int writes_until_killed(const std::string& path, SqliteMode mode, std::uint32_t from, int pipe) {
  const auto store = opened(path, mode);
  if (store == nullptr) return 1;
  for (std::uint32_t next = from;; ++next) {
    const Fact fact = outside_fact("k" + std::to_string(next), std::string(next % 7 * 300, 'x'));
    if (std::holds_alternative<StoreError>(store->put("a", Cut::blind(), {&fact, 1}))) return 2;
    if (::write(pipe, &next, sizeof next) != sizeof next) return 3;
  }
}

// One life: facts from `from` on, killed in the middle of what comes after the first `said`. The last that was said.
std::uint32_t live_and_die(const std::string& path, SqliteMode mode, std::uint32_t from, std::uint32_t said) {
  const Child child([&](int pipe) { return writes_until_killed(path, mode, from, pipe); });
  std::uint32_t last = from - 1;
  for (std::uint32_t i = 0; i < said; ++i) {
    if (const auto number = child.said()) last = *number;
  }
  std::this_thread::sleep_for(std::chrono::microseconds(from * 97 % 2'000));
  child.kill_now();
  EXPECT_EQ(child.ended(), -1) << "it ended before it was killed";
  while (const auto number = child.said()) last = *number;
  return last;
}

TEST(SqliteProcesses, KilledWritersLoseNothingThatWasSaid) {
  const StoreFile file;
  std::uint32_t next = 1;
  for (std::uint32_t life = 0; life < 100; life += kSweepStep) {
    const std::uint32_t last = live_and_die(file.path(), SqliteMode::Sync, next, life % 13);
    const auto store = opened(file.path());
    if (store == nullptr) continue;
    const std::uint64_t head = head_of(*store, "a");
    ASSERT_GE(head, last);
    ASSERT_LE(head, last + 1) << "what was not said is the one in the making";
    next = static_cast<std::uint32_t>(head) + 1;
    const auto facts = taken(store->read("a", 0, next));
    ASSERT_EQ(facts.size(), head);
    for (std::size_t i = 0; i < facts.size(); ++i) ASSERT_EQ(facts[i].key, "k" + std::to_string(i + 1));
  }
  EXPECT_GT(next, 100u / kSweepStep);
}

TEST(SqliteProcesses, KilledGroupWritersLoseATail) {
  const StoreFile file;
  std::uint32_t next = 1;
  for (std::uint32_t life = 0; life < 30; life += kSweepStep) {
    const std::uint32_t last = live_and_die(file.path(), SqliteMode::Group, next, life * 40);
    const auto store = opened(file.path());
    ASSERT_NE(store, nullptr);
    const std::uint64_t head = head_of(*store, "a");
    ASSERT_LE(head, last + 1);
    ASSERT_GE(head + 1, next) << "what an earlier life has left stays";
    next = static_cast<std::uint32_t>(head) + 1;
    const auto facts = taken(store->read("a", 0, next));
    for (std::size_t i = 0; i < facts.size(); ++i) ASSERT_EQ(facts[i].key, "k" + std::to_string(i + 1));
  }
}

}  // namespace
}  // namespace ptc

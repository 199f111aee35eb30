// The file of the SQLite store: what is in it after closing, what is refused, and that damage has a name.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>

#include "runtime/log/run_queue.h"
#include "runtime/log/sqlite/sqlite_store.h"
#include "tests/store/store_facts.h"
#include "tests/store/store_file.h"
#include "tests/support/sweep.h"

namespace ptc {
namespace {

#define PTC_DROP_QUEUES \
  "DROP TABLE node; DROP TABLE queue; DROP TABLE job; DROP TABLE dependent; DROP TABLE schedule;"

using Opened = StoreResult<std::unique_ptr<SqliteStore>>;

std::unique_ptr<SqliteStore> opened(const StoreFile& file, SqliteMode mode = SqliteMode::Sync,
                                    std::chrono::milliseconds window = std::chrono::hours(1)) {
  SqliteOptions options;
  options.mode = mode;
  options.group_window = window;
  options.busy_timeout = std::chrono::milliseconds(50);
  return taken(SqliteStore::open(file.path(), options));
}

// Runs statements past the store.
void tamper(const StoreFile& file, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.path().c_str(), &db), SQLITE_OK);
  char* why = nullptr;
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &why), SQLITE_OK) << why;
  sqlite3_free(why);
  sqlite3_close(db);
}

std::string refusal(const StoreFile& file) { return error_of(SqliteStore::open(file.path())); }

TEST(SqliteFile, KeepsEverythingWhenItIsOpenedAgain) {
  const StoreFile file;
  std::uint64_t token = 0;
  for (const SqliteMode mode : {SqliteMode::Sync, SqliteMode::Group}) {
    const std::string log = mode == SqliteMode::Sync ? "sync" : "group";
    {
      const auto store = opened(file, mode);
      token = started(*store, log);
      Parked run = waiting_for({"k1", "k2"}, 1);
      run.deadline_ms = kStoreNow + 9;
      EXPECT_TRUE(is_parked(*store, log, token, run));
      put_one(*store, log, 0, outside_fact("k2"));
    }
    const auto store = opened(file, mode);
    EXPECT_EQ(head_of(*store, log), 2u);
    EXPECT_EQ(taken(store->parked(log))->wait_keys, (std::vector<std::string>{"k1", "k2"}));
    EXPECT_TRUE(taken(store->info(log))->woken);
    EXPECT_FALSE(taken(store->claim(log, "other", kStoreNow, 1)).granted);
    EXPECT_FALSE(put_one(*store, log, 0, outside_fact("k2", "second")).mine);
    put_one(*store, log, token, task_fact("t"));
    taken(store->ended(log, Cut::blind(token), {}));
  }
}

TEST(SqliteFile, OfMemoryIsNotThere) {
  const StoreFile file;
  started(*opened(file, SqliteMode::Memory), "a");
  EXPECT_FALSE(std::filesystem::exists(file.path()));
}

TEST(SqliteFile, HoldsAGroupWhenItIsFlushed) {
  const StoreFile file;
  const auto writer = opened(file, SqliteMode::Group);   // its window does not end in this test
  const auto reader = opened(file);
  put_one(*writer, "a", 0, outside_fact("k"));
  EXPECT_TRUE(taken(writer->find("a", "k")));
  EXPECT_FALSE(taken(reader->find("a", "k"))) << "not durable yet";
  const Fact fact = outside_fact("k");
  EXPECT_EQ(error_of(reader->put("b", Cut::blind(), {&fact, 1})), "store_locked");
  taken(writer->flush());
  EXPECT_TRUE(taken(reader->find("a", "k")));
  put_one(*reader, "b", 0, fact);
  EXPECT_TRUE(taken(writer->find("b", "k")));
}

TEST(SqliteFile, HoldsAGroupWhenItsWindowIsOver) {
  const StoreFile file;
  const auto writer = opened(file, SqliteMode::Group, std::chrono::milliseconds(1));
  const auto reader = opened(file);
  for (int i = 0; i < 20; ++i) {
    put_one(*writer, "a", 0, outside_fact("k" + std::to_string(i)));
    while (!taken(reader->find("a", "k" + std::to_string(i)))) std::this_thread::yield();
  }
}

TEST(SqliteFile, RefusedCallsOfAGroupLeaveTheOthers) {
  const StoreFile file;
  {
    const auto store = opened(file, SqliteMode::Group);
    const std::uint64_t token = started(*store, "a");
    put_one(*store, "a", 0, outside_fact("o"));
    EXPECT_TRUE(decide_one(*store, "a", {token, 1}, step_fact("d")).conflict);
    EXPECT_EQ(error_of(store->ended("a", Cut::blind(token + 1), {})), "store_fenced");
    put_one(*store, "a", token, task_fact("t"));
  }
  EXPECT_EQ(head_of(*opened(file), "a"), 3u);
}

TEST(SqliteFile, OfANewerVersionIsRefused) {
  const StoreFile file;
  started(*opened(file), "a");
  tamper(file, "PRAGMA user_version = 8");
  EXPECT_EQ(refusal(file), "store_version");
  tamper(file, "PRAGMA user_version = 7");
  EXPECT_EQ(refusal(file), "");
}

// Version 1 did not say which facts are notable: all of them are, then. What outdates decisions it said.
TEST(SqliteFile, OfVersionOneIsTakenOver) {
  const StoreFile file;
  {
    const auto store = opened(file);
    const std::uint64_t token = started(*store, "a");
    put_one(*store, "a", token, task_fact("t"));
    put_one(*store, "a", 0, outside_fact("o"));
    store->release("a", token);
  }
  tamper(file,
         PTC_DROP_QUEUES
         "ALTER TABLE run DROP COLUMN seal; DROP TABLE open_call; DROP INDEX fact_notable;"
         "ALTER TABLE fact RENAME COLUMN rank TO outdates;"
         "UPDATE fact SET outdates = outdates = 2; CREATE INDEX fact_outdates ON fact (run, seq) WHERE outdates;"
         "PRAGMA user_version = 1");
  const auto store = opened(file);
  EXPECT_EQ(taken(store->read("a", 0, 9)).size(), 3u);
  EXPECT_EQ(taken(store->read_notable("a", 0, 9)).size(), 3u);
  const std::uint64_t token = claimed(*store, "a");
  EXPECT_EQ(decide_one(*store, "a", {token, 2}, step_fact("d")).conflict->key, "o");
  EXPECT_FALSE(decide_one(*store, "a", {token, 3}, step_fact("d")).conflict);
  put_one(*store, "a", token, task_fact("u"));
  EXPECT_EQ(taken(store->read_notable("a", 3, 9)).size(), 1u);
}

std::vector<std::string> open_calls_of(FactStore& store, const std::string& log) {
  std::vector<std::string> out;
  for (const Fact& intent : taken(store.open_calls(log))) {
    out.push_back(intent.idempotency_key + "#" + std::to_string(intent.number));
  }
  return out;
}

// The file was written by version 2, which kept no table of open calls, and is never made anew.
TEST(SqliteFile, OfVersionTwoIsTakenOver) {
  using Calls = std::vector<std::string>;
  const StoreFile file;
  std::filesystem::copy_file(PTC_STORE_FILES "/version-2.db", file.path());
  for (int opening = 0; opening < 2; ++opening) {
    const auto store = opened(file);
    EXPECT_EQ(taken(store->runs("", 9)).size(), 5u);
    EXPECT_EQ(taken(store->read("killed", 0, 99)).size(), 7u);
    EXPECT_EQ(open_calls_of(*store, "killed"), (Calls{"call-2#1", "call-3#1"}));
    EXPECT_EQ(open_calls_of(*store, "doubts"), Calls{"call-1#1"}) << "a person settled the other doubt";
    EXPECT_EQ(open_calls_of(*store, "retried"), Calls{"call-1#3"});
    EXPECT_EQ(open_calls_of(*store, "reset"), Calls{"call-2#1"});
    EXPECT_TRUE(open_calls_of(*store, "parked").empty());
    EXPECT_EQ(taken(store->parked("parked"))->wait_keys, (std::vector<std::string>{"resolved/op1", "other"}));
  }
  const auto store = opened(file);
  put_one(*store, "parked", 0, outside_fact("other"));
  EXPECT_TRUE(taken(store->info("parked"))->woken);
  const std::uint64_t token = taken(store->claim("killed", "new", kStoreNow, kStoreLease, 1)).token;
  Fact settled = fact_of(FactKind::EffectSettled, "effect/call-3#1");
  settled.idempotency_key = "call-3";
  settled.number = 1;
  settled.status = "committed";
  put_one(*store, "killed", token, settled);
  EXPECT_EQ(open_calls_of(*store, "killed"), Calls{"call-2#1"});
}

// A fact that cannot be read keeps no file from being opened: its own log says so.
TEST(SqliteFile, OfVersionTwoWithADamagedFactIsTakenOver) {
  const StoreFile file;
  std::filesystem::copy_file(PTC_STORE_FILES "/version-2.db", file.path());
  tamper(file, "UPDATE fact SET body = 'text' WHERE key = 'task/first#1'");
  const auto store = opened(file);
  EXPECT_EQ(error_of(store->read("killed", 0, 99)), "store_corrupt");
  EXPECT_EQ(open_calls_of(*store, "killed").size(), 2u);
}

// Version 4 had no queues, version 5 no orders of jobs and no schedules.
TEST(SqliteFile, OfVersionsFourAndFiveIsTakenOver) {
  const StoreFile file;
  started(*opened(file), "a");
  tamper(file, PTC_DROP_QUEUES " PRAGMA user_version = 4");
  EXPECT_TRUE(taken(opened(file)->queue()->queues()).empty());
  tamper(file, "DROP TABLE dependent; DROP TABLE schedule; DROP INDEX job_over; ALTER TABLE job DROP COLUMN blockers;"
               "PRAGMA user_version = 5");
  const auto store = opened(file);
  EXPECT_EQ(head_of(*store, "a"), 1u);
  EXPECT_TRUE(taken(store->queue()->schedules()).empty());
}

// Version 3 had no seals.
TEST(SqliteFile, OfVersionThreeIsTakenOver) {
  const StoreFile file;
  {
    const auto store = opened(file);
    const std::uint64_t token = started(*store, "a");
    EXPECT_TRUE(is_parked(*store, "a", token, waiting_for({"k"}, 1)));
    store->release("a", token);
  }
  tamper(file,
         PTC_DROP_QUEUES " ALTER TABLE run DROP COLUMN seal;"
         "PRAGMA user_version = 3");
  const auto store = opened(file);
  EXPECT_EQ(taken(store->read("a", 0, 9)).size(), 1u);
  EXPECT_EQ(taken(store->parked("a"))->wait_keys, std::vector<std::string>{"k"});
  put_one(*store, "a", claimed(*store, "a"), task_fact("t"));
  EXPECT_EQ(head_of(*store, "a"), 2u);
}

TEST(SqliteFile, HoldsAGroupWhenAWriteAsksForIt) {
  const StoreFile file;
  const auto writer = opened(file, SqliteMode::Group);   // its window does not end in this test
  const auto reader = opened(file);
  const Fact fact = outside_fact("k2");
  put_one(*writer, "a", 0, outside_fact("k1"));
  taken(writer->put("b", Cut::blind(), {&fact, 1}, Durability::Now));
  EXPECT_TRUE(taken(reader->find("a", "k1"))) << "what was written before";
  EXPECT_TRUE(taken(reader->find("b", "k2")));
  EXPECT_EQ(error_of(writer->put("b", Cut::blind(7), {&fact, 1}, Durability::Now)), "store_fenced");
  put_one(*writer, "a", 0, outside_fact("k3"));
  EXPECT_FALSE(taken(reader->find("a", "k3"))) << "the next window";
}

TEST(SqliteFile, ThatIsNoStoreIsRefusedAndKept) {
  const StoreFile other;
  tamper(other, "CREATE TABLE mine (x)");
  EXPECT_EQ(refusal(other), "store_corrupt");
  tamper(other, "INSERT INTO mine VALUES (1); PRAGMA user_version = 1");
  EXPECT_EQ(refusal(other), "store_corrupt");
  const StoreFile text;
  std::ofstream(text.path()) << std::string(5'000, 'x');
  EXPECT_EQ(refusal(text), "store_corrupt");
  EXPECT_EQ(std::filesystem::file_size(text.path()), 5'000u);
}

TEST(SqliteFile, ThatCannotBeThereIsRefused) {
  const StoreFile file;
  EXPECT_EQ(error_of(SqliteStore::open(file.folder() + "/none/facts.db")), "store_io");
  EXPECT_EQ(error_of(SqliteStore::open(file.folder())), "store_io");
  EXPECT_EQ(error_of(SqliteStore::open("")), "store_misuse");
  EXPECT_EQ(error_of(SqliteStore::open(":memory:")), "store_io") << "that would not be durable";
}

TEST(SqliteFile, WithADamagedFactSaysSo) {
  const StoreFile file;
  for (const char* key : {"k1", "k2", "k3"}) put_one(*opened(file), "a", 0, outside_fact(key));
  tamper(file, "UPDATE fact SET body = substr(body, 1, length(body) - 4) WHERE seq = 2");
  {
    const auto store = opened(file);
    EXPECT_EQ(error_of(store->find("a", "k2")), "store_corrupt");
    EXPECT_EQ(error_of(store->read("a", 0, 9)), "store_corrupt");
    const Fact fact = outside_fact("k2");
    EXPECT_EQ(error_of(store->put("a", Cut::blind(), {&fact, 1})), "store_corrupt");
    EXPECT_TRUE(taken(store->find("a", "k3"))) << "the others are there";
    EXPECT_TRUE(put_one(*store, "a", 0, outside_fact("k4")).mine);
  }
  tamper(file, "UPDATE fact SET body = 'text' WHERE seq = 1");
  EXPECT_EQ(error_of(opened(file)->find("a", "k1")), "store_corrupt");
  tamper(file, "UPDATE fact SET body = (SELECT body FROM fact WHERE seq = 4) WHERE seq = 3");
  EXPECT_EQ(error_of(opened(file)->find("a", "k3")), "store_corrupt") << "another fact's bytes";
}

TEST(SqliteFile, WithAFactMissingSaysSo) {
  const StoreFile file;
  for (const char* key : {"k1", "k2", "k3"}) put_one(*opened(file), "a", 0, outside_fact(key));
  tamper(file, "DELETE FROM fact WHERE seq = 2");
  EXPECT_EQ(error_of(opened(file)->read("a", 0, 9)), "store_corrupt");
}

TEST(SqliteFile, WithDamagedRowsSaysSo) {
  const StoreFile file;
  std::uint64_t token = 0;
  {
    const auto store = opened(file);
    token = started(*store, "a");
    EXPECT_TRUE(is_parked(*store, "a", token, waiting_for({"k"}, 1)));
  }
  tamper(file, "UPDATE run SET state = 7");
  EXPECT_EQ(error_of(opened(file)->info("a")), "store_corrupt");
  EXPECT_EQ(error_of(opened(file)->release("a", token)), "store_corrupt");
  tamper(file, "UPDATE run SET state = 1; UPDATE parked SET observed_seq = -1");
  EXPECT_EQ(error_of(opened(file)->parked("a")), "store_corrupt");
  tamper(file, "DROP TABLE wait_key");
  EXPECT_EQ(error_of(opened(file)->ended("a", Cut::blind(token), {})), "store_corrupt");
  EXPECT_EQ(taken(opened(file)->info("a"))->state, LogState::Parked) << "nothing was written";
}

// Whole pages of noise: whatever is asked, an answer or a named error.
TEST(SqliteFile, WithPagesOfNoiseNeverCrashes) {
  const StoreFile file;
  {
    const auto store = opened(file);
    const std::uint64_t token = started(*store, "a");
    EXPECT_TRUE(is_parked(*store, "a", token, waiting_for({"k"}, 1)));
    for (int i = 0; i < 300; ++i) put_one(*store, "a", token, task_fact("t" + std::to_string(i)));
  }
  std::ifstream in(file.path(), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  std::uint64_t noise = 1;
  for (std::size_t page = 0; page < whole.size() / 4096; ++page) {
    for (int round = 0; round < 4; ++round) {
      std::string broken = whole;
      for (std::size_t i = 0; i < (round == 0 ? 4096u : 16u); ++i) {
        noise = noise * 6364136223846793005u + 1442695040888963407u;
        const std::size_t at = round == 0 ? i : (noise >> 20) % 4096;
        broken[page * 4096 + at] = static_cast<char>(noise >> 56);
      }
      std::filesystem::remove(file.path() + "-wal");
      std::filesystem::remove(file.path() + "-shm");
      std::ofstream(file.path(), std::ios::binary | std::ios::trunc) << broken;
      const auto store = SqliteStore::open(file.path());
      if (!std::holds_alternative<std::unique_ptr<SqliteStore>>(store)) continue;
      FactStore& open = *std::get<std::unique_ptr<SqliteStore>>(store);
      const Fact fact = outside_fact("k");
      static_cast<void>(open.read("a", 0, 1'000));
      static_cast<void>(open.find("a", "t77"));
      static_cast<void>(open.parked("a"));
      static_cast<void>(open.runs("", 9));
      static_cast<void>(open.woken(kStoreNow, 9));
      static_cast<void>(open.put("a", Cut::blind(), {&fact, 1}));
      static_cast<void>(open.claim("a", "x", kStoreNow + 2 * kStoreLease, 1));
      static_cast<void>(open.flush());
    }
  }
}

std::string bytes_in(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Returns what a run that goes on finds: the name of an error, or how many of the keys are there.
std::string found_again(const StoreFile& file, const std::vector<std::string>& keys) {
  auto made = SqliteStore::open(file.path());
  if (std::holds_alternative<StoreError>(made)) return error_of(made);
  FactStore& store = *std::get<0>(made);
  if (const auto claim = store.claim("a", "next", kStoreNow, 1); claim.index() != 0) return error_of(claim);
  std::size_t count = 0;
  for (const std::string& key : keys) {
    const auto fact = store.find("a", key);
    if (fact.index() != 0) return error_of(fact);
    count += std::get<0>(fact).has_value();
  }
  const auto info = store.info("a");
  if (info.index() != 0) return error_of(info);
  const auto& known = std::get<0>(info);
  return std::to_string(count) + " of " + std::to_string(known ? known->head : 0);
}

TEST(SqliteFile, ARunLooksNeitherNewNorShorterWhateverPageIsCopiedOverAnother) {
  constexpr std::size_t kPage = 4'096;
  const StoreFile file;
  std::vector<std::string> keys;
  {
    const auto store = opened(file);
    for (const char* log : {"other", "a", "more"}) {
      const std::uint64_t token = started(*store, log);
      for (int i = 0; i < 20; ++i) {
        const std::string key = "task/" + std::to_string(i);
        put_one(*store, log, token, task_fact(key, std::string(300, 'x')));
        if (*log == 'a') keys.push_back(key);
      }
      EXPECT_TRUE(is_parked(*store, log, token, waiting_for({"k"}, 21)));
      store->release(log, token);
    }
  }
  const std::string whole = bytes_in(file.path());
  ASSERT_EQ(found_again(file, keys), "20 of 21");
  int refused = 0;
  for (std::size_t from = 0; from < whole.size(); from += kPage) {
    for (std::size_t to = 0; to < whole.size(); to += kPage * kSweepStep) {
      if (from == to) continue;
      for (const char* more : {"-wal", "-shm"}) std::filesystem::remove(file.path() + more);
      std::ofstream(file.path(), std::ios::binary) << std::string(whole).replace(to, kPage, whole, from, kPage);
      const std::string found = found_again(file, keys);
      if (found == "20 of 21") continue;
      ++refused;
      EXPECT_EQ(found, "store_corrupt") << "page " << from / kPage << " over page " << to / kPage;
    }
  }
  EXPECT_GT(refused, 100 / static_cast<int>(kSweepStep));
}

}  // namespace
}  // namespace ptc

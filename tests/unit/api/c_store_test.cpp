// Stores for C: a run that is parked, told something by others, and ended; in memory and in a file.
#include <cstdlib>
#include <filesystem>

#include "c_fixture.h"

namespace ptcvm {
namespace {

class CStoreTest : public CApiTest {
 protected:
  void SetUp() override {
    CApiTest::SetUp();
    auto mailed = initialised<ptcvm_tool_options>();
    mailed.mode = PTCVM_ASYNC;
    tool("mail", "(to :string) -> :any",
         [](void*, ptcvm_call* call) { ptcvm_call_answer_pending(call, text("m1")); }, nullptr, mailed);
  }
  int32_t run(ptcvm_store* store, std::string_view source = kSource) {
    auto options = initialised<ptcvm_stored_options>();
    options.id = text("order-7");
    EXPECT_EQ(ptcvm_run_stored(engine_, store, tools_, text(source), &options, stored_.out(), error_.out()), PTCVM_OK)
        << message();
    return ptcvm_stored_end(stored_);
  }
  std::size_t woken(ptcvm_store* store) {
    CTexts ids;
    EXPECT_EQ(ptcvm_store_woken(store, 0, 10, ids.out(), nullptr), PTCVM_OK);
    return ptcvm_texts_count(ids);
  }

  static constexpr const char* kSource =
      "(println \"asking\") [(await (tool/mail {:to \"Ada\"})) (await-signal \"go\")]";
  CStored stored_;
};

TEST_F(CStoreTest, ARunIsParkedToldAndEnded) {
  CStore store;
  ASSERT_EQ(ptcvm_store_in_memory(store.out(), nullptr), PTCVM_OK);
  EXPECT_EQ(run(store), PTCVM_STORED_END_SUSPENDED);
  EXPECT_EQ(ptcvm_stored_state(stored_), PTCVM_SUSPENDED);
  ASSERT_EQ(ptcvm_stored_wait_count(stored_, PTCVM_WAIT_PENDING), 1u);
  EXPECT_EQ(ptcvm_stored_wait_count(stored_, PTCVM_WAIT_DOUBT) + ptcvm_stored_wait_count(stored_, 9), 0u);
  auto wait = initialised<ptcvm_stored_wait>();
  ASSERT_EQ(ptcvm_stored_wait_at(stored_, PTCVM_WAIT_PENDING, 0, &wait), PTCVM_OK);
  EXPECT_EQ(str(wait.key) + str(wait.tool) + str(wait.args_edn), "m1mail{\"to\" \"Ada\"}");
  EXPECT_EQ(ptcvm_stored_wait_at(stored_, PTCVM_WAIT_PENDING, 1, &wait), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(woken(store), 0u);

  CValue value;
  ASSERT_EQ(ptcvm_value_from_json(text("5"), value.out(), nullptr), PTCVM_OK);
  const ptcvm_view five = ptcvm_value_view(value);
  EXPECT_EQ(ptcvm_store_resolve(store, text("order-7"), text("m1"), five, text("Bo"), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_store_resolve(store, text("order-7"), text("m1"), five, text("Bo"), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_store_resolve_error(store, text("order-7"), text("m1"), text("lost"), {}, nullptr),
            PTCVM_ALREADY_RESOLVED);
  EXPECT_EQ(ptcvm_store_put(store, text("order-7"), text("go"), five, {}, nullptr), PTCVM_OK);
  EXPECT_EQ(woken(store), 1u);
  EXPECT_EQ(run(store), PTCVM_STORED_END_ENDED);
  EXPECT_EQ(edn(ptcvm_stored_result(stored_)), "[5 5]");
  ASSERT_EQ(ptcvm_stored_print_count(stored_), 1u);
  EXPECT_EQ(str(ptcvm_stored_print_at(stored_, 0)), "asking");
  auto usage = initialised<ptcvm_usage>();
  EXPECT_EQ(ptcvm_stored_get_usage(stored_, &usage), PTCVM_OK);
  EXPECT_GT(usage.fuel, 0u);
  EXPECT_EQ(run(store), PTCVM_STORED_END_BEFORE);

  CStoredRuns runs;
  ASSERT_EQ(ptcvm_store_runs(store, {}, 10, runs.out(), nullptr), PTCVM_OK);
  ASSERT_EQ(ptcvm_stored_runs_count(runs), 1u);
  auto seen = initialised<ptcvm_stored_run>();
  ASSERT_EQ(ptcvm_stored_runs_at(runs, 0, &seen), PTCVM_OK);
  EXPECT_EQ(str(seen.id), "order-7");
  EXPECT_EQ(seen.state, PTCVM_STORED_ENDED);
  EXPECT_EQ(ptcvm_stored_runs_at(runs, 1, &seen), PTCVM_INVALID_ARGUMENT);
  CBuffer log;
  ASSERT_EQ(ptcvm_store_log_json(store, text("order-7"), log.out(), nullptr), PTCVM_OK);
  EXPECT_NE(str(ptcvm_buffer_text(log)).find("\"Bo\""), std::string::npos);
}

TEST_F(CStoreTest, ALogIsShownChangedAndTakenElsewhere) {
  CStore store, other;
  ASSERT_EQ(ptcvm_store_in_memory(store.out(), nullptr), PTCVM_OK);
  ASSERT_EQ(ptcvm_store_in_memory(other.out(), nullptr), PTCVM_OK);
  EXPECT_EQ(run(store), PTCVM_STORED_END_SUSPENDED);
  const ptcvm_text id = text("order-7");
  CBuffer journal, log, again;
  ASSERT_EQ(ptcvm_store_journal_json(store, id, journal.out(), nullptr), PTCVM_OK);
  EXPECT_NE(str(ptcvm_buffer_text(journal)).find("\"op\":\"m1\",\"tool\":\"mail\""), std::string::npos);
  ASSERT_EQ(ptcvm_store_log_json(store, id, log.out(), nullptr), PTCVM_OK);
  const ptcvm_text lines = ptcvm_buffer_text(log);
  ASSERT_EQ(ptcvm_store_import_log(other, id, lines, nullptr), PTCVM_OK);
  ASSERT_EQ(ptcvm_store_log_json(other, id, again.out(), nullptr), PTCVM_OK);
  EXPECT_EQ(str(ptcvm_buffer_text(again)), str(lines));
  EXPECT_EQ(ptcvm_store_import_log(other, id, lines, nullptr), PTCVM_REFUSED);
  EXPECT_EQ(ptcvm_store_import_log(other, text("x"), text("{}"), nullptr), PTCVM_INVALID_VALUE);
  EXPECT_EQ(ptcvm_store_import_log(nullptr, id, lines, nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_store_reset_task(store, id, text("t"), text("why"), {}, error_.out()), PTCVM_REFUSED);
  EXPECT_EQ(str(ptcvm_error_detail(error_)), "no_task");
  EXPECT_EQ(ptcvm_store_settle(store, id, text("k"), PTCVM_DOUBT_DID_NOT, {}, {}, nullptr), PTCVM_REFUSED);
  EXPECT_EQ(ptcvm_store_settle(store, id, text("k"), 3, {}, {}, nullptr), PTCVM_INVALID_ARGUMENT);
}

TEST_F(CStoreTest, FaultsAndRefusals) {
  CStore store;
  ASSERT_EQ(ptcvm_store_in_memory(store.out(), nullptr), PTCVM_OK);
  EXPECT_EQ(run(store, "(+ 1 \"x\")"), PTCVM_STORED_END_ENDED);
  auto diagnostic = initialised<ptcvm_diagnostic>();
  ASSERT_EQ(ptcvm_stored_diagnostic(stored_, &diagnostic), 1);
  EXPECT_EQ(str(diagnostic.kind), "type_error");
  deferred("later");
  CStored none;
  EXPECT_EQ(ptcvm_run_stored(engine_, store, tools_, text("1"), nullptr, none.out(), error_.out()),
            PTCVM_NOT_AVAILABLE);
  EXPECT_EQ(ptcvm_store_decide(store, text("order-7"), text("k"), 1, {}, {}, nullptr, nullptr), PTCVM_REFUSED);
}

TEST_F(CStoreTest, AFileIsAStoreForOthers) {
  std::string folder = (std::filesystem::temp_directory_path() / "ptcvm_c_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/runs.db";
  auto options = initialised<ptcvm_sqlite_options>();
  CStore store;
  ASSERT_EQ(ptcvm_store_open_sqlite(text(path), &options, store.out(), error_.out()), PTCVM_OK) << message();
  EXPECT_EQ(run(store), PTCVM_STORED_END_SUSPENDED);
  store = CStore();
  options.is_grouped = 1;
  ASSERT_EQ(ptcvm_store_open_sqlite(text(path), &options, store.out(), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_store_resolve(store, text("order-7"), text("m1"), {}, {}, nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_store_put(store, text("order-7"), text("go"), {}, {}, nullptr), PTCVM_OK);
  EXPECT_EQ(run(store), PTCVM_STORED_END_ENDED);
  EXPECT_EQ(edn(ptcvm_stored_result(stored_)), "[nil nil]");
  CStore bad;
  EXPECT_EQ(ptcvm_store_open_sqlite(text(folder), nullptr, bad.out(), error_.out()), PTCVM_STORE_FAILED);
  EXPECT_NE(message(), "");
  EXPECT_EQ(ptcvm_store_open_sqlite(text(std::string_view("a\0b", 3)), nullptr, bad.out(), nullptr),
            PTCVM_INVALID_ARGUMENT);
  store = CStore();
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ptcvm

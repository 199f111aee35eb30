// Mistakes of C hosts: no handle, structs of other sizes, wrong constants and texts, bytes from anywhere. Each
// is a status, changes nothing, and leaves nothing behind.
#include <cstring>

#include "c_fixture.h"
#include "ptcvm/check.h"

namespace ptcvm {
namespace {

class CMisuseTest : public CApiTest {};

// Names the call that was not refused as a mistake.
#define PTCVM_EXPECT_MISUSE(call) EXPECT_EQ(call, PTCVM_INVALID_ARGUMENT) << #call

TEST_F(CMisuseTest, FunctionsWithAStatusRefuseNull) {
  const ptcvm_text none = {nullptr, 0};
  const ptcvm_view nil = {};
  CBuffer buffer;
  CTexts texts;
  CValue value;
  CProgram program;
  CRun run;
  CSession session;
  ptcvm_findings* findings = nullptr;
  CStored stored;
  CStoredRuns runs;
  PTCVM_EXPECT_MISUSE(ptcvm_engine_new(nullptr, nullptr, nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_engine_compile(nullptr, none, nullptr, program.out(), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_engine_compile(engine_, none, nullptr, nullptr, nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_engine_load(nullptr, none, program.out(), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_engine_get_statistics(engine_, nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_program_sha256(nullptr, buffer.out(), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_program_bytecode(nullptr, buffer.out(), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_program_tools(nullptr, texts.out(), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_view_edn(nil, nullptr, nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_view_json(nil, nullptr, nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_view_entries(nil, nullptr, nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_value_from_json(text("1"), nullptr, nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_value_copy(nil, nullptr, nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_writer_new(nullptr, nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_writer_int(nullptr, 1));
  PTCVM_EXPECT_MISUSE(ptcvm_writer_end(nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_writer_finish(nullptr, value.out(), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_tools_new(nullptr, nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_tools_defer(nullptr, text("t"), none, nullptr, nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_tools_add(tools_, text("t"), none, nullptr, nullptr, nullptr, nullptr, nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_call_answer(nullptr, nil));
  PTCVM_EXPECT_MISUSE(ptcvm_call_answer_json(nullptr, text("1"), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_call_answer_error(nullptr, none));
  PTCVM_EXPECT_MISUSE(ptcvm_call_report_partial(nullptr, nil));
  PTCVM_EXPECT_MISUSE(ptcvm_call_deny(nullptr, none));
  PTCVM_EXPECT_MISUSE(ptcvm_limits_default(nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_run_start(engine_, nullptr, nullptr, run.out(), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_run_start(nullptr, compiled("1"), nullptr, run.out(), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_run_restore(nullptr, none, nullptr, run.out(), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_run_prints(nullptr, texts.out(), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_run_snapshot(nullptr, 0, buffer.out(), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_run_snapshot_json(nullptr, buffer.out(), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_run_journal_edn(nullptr, buffer.out(), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_run_event_json(nullptr, buffer.out(), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_run_answer(nullptr, 1, nil, nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_run_answer_error(nullptr, 1, none, nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_run_resolve_edn(nullptr, none, text("1"), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_run_decide(nullptr, none, 1, none, nullptr, nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_run_take_cancelled(nullptr, texts.out(), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_session_new(nullptr, nullptr, session.out(), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_session_begin(nullptr, text("1"), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_session_eval(nullptr, text("1"), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_session_definitions_edn(nullptr, buffer.out(), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_session_check(nullptr, text("1"), &findings, nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_findings_at(nullptr, 0, nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_store_in_memory(nullptr, nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_store_put(nullptr, none, none, nil, none, nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_store_runs(nullptr, none, 1, runs.out(), nullptr));
  PTCVM_EXPECT_MISUSE(ptcvm_run_stored(engine_, nullptr, tools_, text("1"), nullptr, stored.out(), nullptr));
  auto wait = initialised<ptcvm_stored_wait>();
  PTCVM_EXPECT_MISUSE(ptcvm_stored_wait_at(nullptr, PTCVM_WAIT_PENDING, 0, &wait));
}

TEST_F(CMisuseTest, FunctionsWithoutAStatusTakeNullForNothing) {
  auto diagnostic = initialised<ptcvm_diagnostic>();
  auto event = initialised<ptcvm_event>();
  int64_t number = 5;
  EXPECT_EQ(ptcvm_run_step(nullptr, 1), PTCVM_NO_STATE);
  EXPECT_EQ(ptcvm_run_get_state(nullptr), PTCVM_NO_STATE);
  EXPECT_EQ(ptcvm_stored_state(nullptr), PTCVM_NO_STATE);
  EXPECT_EQ(ptcvm_stored_end(nullptr), -1);
  EXPECT_EQ(edn(ptcvm_run_result(nullptr)), "nil");
  EXPECT_EQ(edn(ptcvm_value_view(nullptr)), "nil");
  EXPECT_EQ(edn(ptcvm_stored_result(nullptr)), "nil");
  EXPECT_EQ(edn(ptcvm_call_args(nullptr)), "nil");
  EXPECT_EQ(edn(ptcvm_entries_key(nullptr, 0)), "nil");
  EXPECT_EQ(ptcvm_run_diagnostic(nullptr, &diagnostic) + ptcvm_error_diagnostic(nullptr, &diagnostic) +
                ptcvm_stored_diagnostic(nullptr, &diagnostic) + ptcvm_run_next_event(nullptr, &event) +
                ptcvm_run_wake_time(nullptr, &number) + ptcvm_stored_wake_time(nullptr, &number) +
                ptcvm_call_is_expired(nullptr), 0);
  EXPECT_EQ(ptcvm_run_call_count(nullptr) + ptcvm_run_question_count(nullptr) + ptcvm_run_pending_count(nullptr) +
                ptcvm_texts_count(nullptr) + ptcvm_entries_count(nullptr) + ptcvm_stored_runs_count(nullptr) +
                ptcvm_stored_print_count(nullptr) + ptcvm_stored_wait_count(nullptr, PTCVM_WAIT_DOUBT) +
                ptcvm_run_memory_bytes(nullptr) + ptcvm_call_turn(nullptr) + ptcvm_call_attempt(nullptr), 0u);
  for (const ptcvm_text nothing :
       {ptcvm_error_message(nullptr), ptcvm_buffer_text(nullptr), ptcvm_texts_at(nullptr, 0), ptcvm_run_id(nullptr),
        ptcvm_program_source(nullptr), ptcvm_call_name(nullptr), ptcvm_call_idempotency_key(nullptr),
        ptcvm_stored_print_at(nullptr, 0), ptcvm_stored_warning(nullptr), ptcvm_status_name(99),
        ptcvm_event_name(-1), ptcvm_event_name(18)}) {
    EXPECT_EQ(nothing.size, 0u);
  }
  EXPECT_EQ(ptcvm_error_status(nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_session_run(nullptr), nullptr);
  EXPECT_EQ(ptcvm_findings_count(nullptr), 0u);
  EXPECT_EQ(ptcvm_findings_is_error(nullptr, 0), 0);
  ptcvm_run_cancel(nullptr);
  ptcvm_run_set_time(nullptr, 1);
  EXPECT_EQ(number, 5);
}

TEST_F(CMisuseTest, ErrorsAreOptionalAndAlwaysSet) {
  CError error;
  CValue value;
  EXPECT_EQ(ptcvm_value_from_json(text("[1,"), value.out(), error.out()), PTCVM_INVALID_VALUE);
  EXPECT_EQ(ptcvm_error_status(error), PTCVM_INVALID_VALUE);
  EXPECT_NE(str(ptcvm_error_message(error)), "");
  EXPECT_EQ(static_cast<ptcvm_value*>(value), nullptr);
  EXPECT_EQ(ptcvm_value_from_json(text("[1]"), value.out(), error.out()), PTCVM_OK);
  EXPECT_EQ(static_cast<ptcvm_error*>(error), nullptr);
  ptcvm_value* out = value;
  EXPECT_EQ(ptcvm_value_from_json(text("[1,"), &out, nullptr), PTCVM_INVALID_VALUE);
  EXPECT_EQ(out, nullptr);                        // the old one is still in `value`
}

TEST_F(CMisuseTest, ErrorsOfProgramsSayWhere) {
  CProgram program;
  EXPECT_EQ(ptcvm_engine_compile(engine_, text("(+ 1\n  nowhere)"), nullptr, program.out(), error_.out()),
            PTCVM_INVALID_PROGRAM);
  auto seen = initialised<ptcvm_diagnostic>();
  ASSERT_EQ(ptcvm_error_diagnostic(error_, &seen), 1);
  EXPECT_EQ(str(seen.kind), "unbound_var");
  EXPECT_EQ(seen.line, 2u);
  EXPECT_EQ(seen.column, 3u);
  EXPECT_NE(str(seen.text).find('^'), std::string::npos);
  EXPECT_EQ(ptcvm_engine_compile(engine_, text("(+ 1"), nullptr, program.out(), error_.out()), PTCVM_INVALID_PROGRAM);
  ASSERT_EQ(ptcvm_error_diagnostic(error_, &seen), 1);
  EXPECT_EQ(seen.is_incomplete, 1);
}

// ---- Structs of other versions

struct LongOptions {
  ptcvm_compile_options known;
  std::uint64_t unknown[4];
};

TEST_F(CMisuseTest, LongerOptionsAreTakenWhenWhatIsUnknownIsZero) {
  LongOptions options;
  std::memset(&options, 0, sizeof options);
  options.known.struct_size = sizeof options;
  options.known.name = text("long.ptc");
  CProgram program;
  EXPECT_EQ(ptcvm_engine_compile(engine_, text("1"), &options.known, program.out(), nullptr), PTCVM_OK);
  options.unknown[3] = std::uint64_t{1} << 63;
  EXPECT_EQ(ptcvm_engine_compile(engine_, text("1"), &options.known, program.out(), error_.out()),
            PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "a struct has members that this version of the library does not know");
}

TEST_F(CMisuseTest, ShorterOptionsMeanDefaults) {
  auto limits = initialised<ptcvm_limits>();
  limits.struct_size = offsetof(ptcvm_limits, memory_bytes);   // the size in a version that knew only fuel
  limits.fuel = 500;
  limits.loop = 1;                                             // behind its end: not looked at
  auto options = initialised<ptcvm_run_options>();
  options.limits = &limits;
  CRun run = started("(loop [i 0] (if (< i 20) (recur (inc i)) i))", options);
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_COMPLETED) << fault(run);
  CRun endless = started("(loop [i 0] (recur (inc i)))", options);
  EXPECT_EQ(ptcvm_run_step(endless, PTCVM_ALL_FUEL), PTCVM_FAILED);
  EXPECT_EQ(fault(endless).substr(0, 14), "fuel_exhausted");
}

TEST_F(CMisuseTest, LimitsOutOfTheirRangeAreRefusedByName) {
  auto limits = initialised<ptcvm_limits>();
  ASSERT_EQ(ptcvm_limits_default(&limits), PTCVM_OK);
  auto options = initialised<ptcvm_run_options>();
  options.limits = &limits;
  limits.print_length = std::uint64_t{1} << 32;
  CRun run;
  EXPECT_EQ(ptcvm_run_start(engine_, compiled("1"), &options, run.out(), error_.out()), PTCVM_INVALID_VALUE);
  EXPECT_EQ(message(), "the limit print_length must be a whole number from 0 to 4294967295 (graphemes); "
                       "found 4294967296");
  limits.print_length = 10;
  limits.depth = 0;
  EXPECT_EQ(ptcvm_run_start(engine_, compiled("1"), &options, run.out(), error_.out()), PTCVM_INVALID_VALUE);
  limits.depth = 1;
  EXPECT_EQ(ptcvm_run_start(engine_, compiled("1"), &options, run.out(), error_.out()), PTCVM_OK);
}

TEST_F(CMisuseTest, SizesThatWereNeverSetAreRefused) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{4'097}, SIZE_MAX}) {
    auto options = initialised<ptcvm_run_options>();
    options.struct_size = size;
    CRun run;
    EXPECT_EQ(ptcvm_run_start(engine_, compiled("1"), &options, run.out(), nullptr), PTCVM_INVALID_ARGUMENT) << size;
    auto usage = initialised<ptcvm_usage>();
    usage.struct_size = size;
    usage.fuel = 77;
    EXPECT_EQ(ptcvm_run_get_usage(started("1"), &usage), PTCVM_INVALID_ARGUMENT) << size;
    EXPECT_EQ(usage.fuel, 77u);
  }
}

TEST_F(CMisuseTest, OutputIsFilledAsFarAsItGoes) {
  CRun run = started("(reduce + (range 10))");
  ptcvm_run_step(run, PTCVM_ALL_FUEL);
  struct {
    ptcvm_usage known;
    std::uint64_t beyond[2];
  } usage;
  std::memset(&usage, 0xff, sizeof usage);
  usage.known.struct_size = offsetof(ptcvm_usage, peak_bytes);
  EXPECT_EQ(ptcvm_run_get_usage(run, &usage.known), PTCVM_OK);
  EXPECT_GT(usage.known.fuel, 0u);
  EXPECT_EQ(usage.known.peak_bytes, UINT64_MAX);            // not touched
  usage.known.struct_size = sizeof usage.known + 8;
  EXPECT_EQ(ptcvm_run_get_usage(run, &usage.known), PTCVM_OK);
  EXPECT_EQ(usage.known.struct_size, sizeof usage.known + 8);
  EXPECT_NE(usage.known.peak_bytes, UINT64_MAX);
  EXPECT_EQ(usage.beyond[0], 0u);                           // a member that this version does not have
  EXPECT_EQ(usage.beyond[1], UINT64_MAX);
}

// ---- Texts, constants, bytes

TEST_F(CMisuseTest, ATextWithALengthNeedsData) {
  const ptcvm_text broken = {nullptr, 5}, endless = {"x", SIZE_MAX};
  for (const ptcvm_text bad : {broken, endless}) {
    CProgram program;
    CValue value;
    EXPECT_EQ(ptcvm_engine_compile(engine_, bad, nullptr, program.out(), nullptr), PTCVM_INVALID_ARGUMENT);
    EXPECT_EQ(ptcvm_engine_load(engine_, bad, program.out(), nullptr), PTCVM_INVALID_ARGUMENT);
    EXPECT_EQ(ptcvm_value_from_edn(bad, value.out(), nullptr), PTCVM_INVALID_ARGUMENT);
    EXPECT_EQ(edn(ptcvm_view_get(ptcvm_view{}, bad)), "nil");
    EXPECT_EQ(ptcvm_tools_defer(tools_, bad, text(""), nullptr, nullptr), PTCVM_INVALID_ARGUMENT);
  }
  CProgram program;
  EXPECT_EQ(ptcvm_engine_compile(engine_, {nullptr, 0}, nullptr, program.out(), nullptr), PTCVM_OK);   // nil
}

TEST_F(CMisuseTest, ConstantsAreChecked) {
  for (const int32_t bad : {-1, 5, INT32_MAX}) {
    auto options = initialised<ptcvm_tool_options>();
    options.effect = bad;
    EXPECT_EQ(ptcvm_tools_defer(tools_, text("t"), text(""), &options, nullptr), PTCVM_INVALID_ARGUMENT);
    options.effect = PTCVM_PURE;
    options.mode = bad;
    EXPECT_EQ(ptcvm_tools_defer(tools_, text("t"), text(""), &options, nullptr), PTCVM_INVALID_ARGUMENT);
    CWriter writer;
    ASSERT_EQ(ptcvm_writer_new(writer.out(), nullptr), PTCVM_OK);
    EXPECT_EQ(ptcvm_writer_begin(writer, bad), PTCVM_INVALID_ARGUMENT);
  }
  auto negative = initialised<ptcvm_tool_options>();
  negative.deadline_ms = -1;
  EXPECT_EQ(ptcvm_tools_defer(tools_, text("t"), text(""), &negative, nullptr), PTCVM_INVALID_ARGUMENT);
}

TEST_F(CMisuseTest, HostileJsonIsAnErrorOrAValue) {
  deferred("t");
  CRun run = started("(tool/t)");
  ASSERT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_YIELDED);
  ASSERT_EQ(ptcvm_run_call_count(run), 1u);
  auto call = initialised<ptcvm_waiting_call>();
  ASSERT_EQ(ptcvm_run_call_at(run, 0, &call), PTCVM_OK);
  const std::string deep(1'000'000, '[');
  for (const std::string& json : {std::string(), std::string("{"), std::string("{\"a\":}"), std::string("NaN"), deep,
                                  std::string("[1,2"), std::string("1 2"), std::string("\0", 1),
                                  std::string("{\"a\":1,}")}) {
    EXPECT_EQ(ptcvm_run_answer_json(run, call.id, text(json), error_.out()), PTCVM_INVALID_VALUE) << json.substr(0, 9);
  }
  for (const std::string& json : {std::string("\"\xff\xfe\""), std::string("\"\\ud800\"")}) {
    CValue value;                                 // text that is not quite Unicode: refused, or repaired
    const ptcvm_status got = ptcvm_value_from_json(text(json), value.out(), nullptr);
    EXPECT_TRUE(got == PTCVM_INVALID_VALUE || (got == PTCVM_OK && edn(ptcvm_value_view(value)).size() > 2));
  }
  EXPECT_EQ(ptcvm_run_answer_edn(run, call.id, text("{:a"), nullptr), PTCVM_INVALID_VALUE);
  EXPECT_EQ(ptcvm_run_answer_json(run, call.id, text("[1e400, 99999999999999999999]"), error_.out()), PTCVM_OK)
      << message();                               // the call still waited for its answer
  EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_COMPLETED) << fault(run);
}

TEST_F(CMisuseTest, HostileSnapshotsAndBytecodeAreRefused) {
  deferred("t", PTCVM_ASYNC);
  CRun run = started("(await (tool/t))");
  ASSERT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_YIELDED);
  const std::string good = snapshot(run);
  CRun bad;
  for (const std::string& bytes : {std::string(), std::string("junk"), std::string(4'096, '\0'), good.substr(1),
                                   good.substr(0, good.size() / 2), std::string("{}")}) {
    EXPECT_EQ(ptcvm_run_restore(engine_, text(bytes), nullptr, bad.out(), error_.out()), PTCVM_INVALID_SNAPSHOT);
    EXPECT_NE(message(), "");
    CProgram program;
    EXPECT_EQ(ptcvm_engine_load(engine_, text(bytes), program.out(), nullptr), PTCVM_INVALID_PROGRAM);
  }
  EXPECT_EQ(ptcvm_run_restore(engine_, text(good), nullptr, bad.out(), error_.out()), PTCVM_REFUSED);   // no tools
  auto options = initialised<ptcvm_restore_options>();
  options.max_bytes = 10;
  options.tools = tools_;
  EXPECT_EQ(ptcvm_run_restore(engine_, text(good), &options, bad.out(), nullptr), PTCVM_TOO_LARGE);
  options.max_bytes = 0;
  EXPECT_EQ(ptcvm_run_restore(engine_, text(good), &options, bad.out(), error_.out()), PTCVM_OK) << message();
}

}  // namespace
}  // namespace ptcvm

// Snapshots for readers in C.
#include "c_fixture.h"

namespace ptcvm {
namespace {

using CSnapshot = Owned<ptcvm_snapshot, ptcvm_snapshot_free>;

class CSnapshotTest : public CApiTest {
 protected:
  CSnapshot parked(std::string_view source) {
    deferred("ask");
    auto options = initialised<ptcvm_run_options>();
    options.id = text("order-7");
    options.has_time = 1;
    options.time_ms = 1'000;
    CRun run = started(source, options);
    EXPECT_EQ(ptcvm_run_step(run, PTCVM_ALL_FUEL), PTCVM_SUSPENDED) << fault(run);
    CSnapshot out;
    bytes_ = snapshot(run);
    EXPECT_EQ(ptcvm_snapshot_open(engine_, text(bytes_), 0, out.out(), error_.out()), PTCVM_OK) << message();
    return out;
  }

  std::string bytes_;
};

TEST_F(CSnapshotTest, FactsLimitsAndPrints) {
  const CSnapshot view = parked("(println \"hi\") (sleep 500)");
  auto facts = initialised<ptcvm_snapshot_facts>();
  ASSERT_EQ(ptcvm_snapshot_get_facts(view, &facts), PTCVM_OK);
  EXPECT_EQ(str(facts.run_id), "order-7");
  EXPECT_EQ(facts.place, PTCVM_TURN_SUSPENDED);
  EXPECT_EQ(facts.turn, 1u);
  EXPECT_EQ(facts.print_bytes, 3u);
  auto limits = initialised<ptcvm_limits>();
  ASSERT_EQ(ptcvm_snapshot_limits(view, &limits), PTCVM_OK);
  EXPECT_EQ(limits.tool_calls, 1'000u);
  CTexts prints;
  ASSERT_EQ(ptcvm_snapshot_prints(view, prints.out(), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_texts_count(prints), 1u);
}

TEST_F(CSnapshotTest, OperationsAndValues) {
  const CSnapshot view = parked("(def x {:a 1}) (task \"t\" 5) (sleep 500)");
  ASSERT_EQ(ptcvm_snapshot_operation_count(view), 1u);
  auto operation = initialised<ptcvm_snapshot_operation>();
  ASSERT_EQ(ptcvm_snapshot_operation_at(view, 0, &operation), PTCVM_OK);
  EXPECT_EQ(str(operation.tool), "sleep");
  EXPECT_EQ(str(operation.status), "waiting");
  EXPECT_EQ(operation.due_ms, 1'500);
  EXPECT_EQ(operation.is_sleep, 1);
  EXPECT_EQ(ptcvm_snapshot_operation_at(view, 1, &operation), PTCVM_INVALID_ARGUMENT);
  ASSERT_EQ(ptcvm_snapshot_value_count(view, PTCVM_DEFINITIONS), 1u);
  EXPECT_EQ(str(ptcvm_snapshot_value_name(view, PTCVM_DEFINITIONS, 0)), "x");
  EXPECT_EQ(edn(ptcvm_snapshot_value(view, PTCVM_DEFINITIONS, 0)), "{:a 1}");
  ASSERT_EQ(ptcvm_snapshot_value_count(view, PTCVM_JOURNAL), 1u);
  EXPECT_EQ(edn(ptcvm_snapshot_value(view, PTCVM_JOURNAL, 0)), "5");
  EXPECT_EQ(ptcvm_snapshot_value_count(view, 7), 0u);
  EXPECT_EQ(edn(ptcvm_snapshot_value(view, PTCVM_JOURNAL, 9)), "nil");
}

TEST_F(CSnapshotTest, FibersAndFrames) {
  const CSnapshot view = parked("(let [n 3]\n  (sleep 500)\n  n)");
  ASSERT_EQ(ptcvm_snapshot_fiber_count(view), 1u);
  auto fiber = initialised<ptcvm_snapshot_fiber>();
  ASSERT_EQ(ptcvm_snapshot_fiber_at(view, 0, &fiber), PTCVM_OK);
  EXPECT_EQ(fiber.parent, -1);
  EXPECT_EQ(fiber.state, PTCVM_FIBER_WAITS_FOR_OPERATIONS);
  EXPECT_EQ(fiber.line, 2u);
  CBuffer excerpt;
  ASSERT_EQ(ptcvm_snapshot_excerpt(view, 0, excerpt.out(), nullptr), PTCVM_OK);
  EXPECT_NE(str(ptcvm_buffer_text(excerpt)).find("(sleep 500)"), std::string::npos);
  ASSERT_EQ(ptcvm_snapshot_frame_count(view, 0), fiber.frame_count);
  auto frame = initialised<ptcvm_snapshot_frame>();
  ASSERT_EQ(ptcvm_snapshot_frame_at(view, fiber.frame_count - 1, &frame), PTCVM_OK);
  EXPECT_EQ(str(frame.function), "the program");
  ASSERT_EQ(frame.local_count, 1u);
  EXPECT_EQ(str(ptcvm_snapshot_local_name(view, fiber.frame_count - 1, 0)), "n");
  EXPECT_EQ(edn(ptcvm_snapshot_local(view, fiber.frame_count - 1, 0)), "3");
  EXPECT_EQ(ptcvm_snapshot_frame_count(view, 9), 0u);
}

TEST_F(CSnapshotTest, BothFacesAndRefusals) {
  const CSnapshot view = parked("(sleep 500)");
  CBuffer bytes, json;
  ASSERT_EQ(ptcvm_snapshot_bytes(view, bytes.out(), nullptr), PTCVM_OK);
  EXPECT_EQ(str(ptcvm_buffer_text(bytes)), bytes_);
  ASSERT_EQ(ptcvm_snapshot_json(view, json.out(), nullptr), PTCVM_OK);
  CSnapshot again;
  EXPECT_EQ(ptcvm_snapshot_open(engine_, ptcvm_buffer_text(json), 0, again.out(), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_snapshot_open(engine_, text(bytes_), 10, again.out(), error_.out()), PTCVM_TOO_LARGE);
  EXPECT_EQ(ptcvm_snapshot_open(engine_, text("no snapshot"), 0, again.out(), error_.out()), PTCVM_INVALID_SNAPSHOT);
  EXPECT_EQ(ptcvm_snapshot_fiber_count(nullptr), 0u);
}

}  // namespace
}  // namespace ptcvm

// Checks of C hosts: every finding of a source, data/… that the data lacks among them, and nothing executed.
#include "c_fixture.h"
#include "ptcvm/check.h"

namespace ptcvm {
namespace {

using CFindings = Owned<ptcvm_findings, ptcvm_findings_free>;

class CCheckTest : public CApiTest {};

TEST_F(CCheckTest, ASessionKnowsItsDataAndDefinitions) {
  auto options = initialised<ptcvm_run_options>();
  options.data_json = text(R"({"order_lines": [1, 2]})");
  CSession session;
  ASSERT_EQ(ptcvm_session_new(engine_, &options, session.out(), nullptr), PTCVM_OK);
  ASSERT_EQ(ptcvm_session_eval(session, text("(defn f [x] x)"), nullptr), PTCVM_OK);
  CFindings found;
  ASSERT_EQ(ptcvm_session_check(session, text("(f data/order_lines)"), found.out(), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_findings_count(found), 0u);
  const ptcvm_text source = text("(count 1 2)\n(f data/order-line)");
  ASSERT_EQ(ptcvm_session_check(session, source, found.out(), nullptr), PTCVM_OK);
  ASSERT_EQ(ptcvm_findings_count(found), 2u);
  auto seen = initialised<ptcvm_diagnostic>();
  ASSERT_EQ(ptcvm_findings_at(found, 0, &seen), PTCVM_OK);
  EXPECT_EQ(str(seen.kind), "arity_error");
  EXPECT_EQ(ptcvm_findings_is_error(found, 0), 1);
  ASSERT_EQ(ptcvm_findings_at(found, 1, &seen), PTCVM_OK);
  EXPECT_EQ(ptcvm_findings_is_error(found, 1), 0);
  EXPECT_EQ(str(seen.kind), "missing_data");
  EXPECT_EQ(str(seen.message), "data/order-line is not in the data, so it is nil");
  EXPECT_EQ(str(seen.hint), "Did you mean: data/order_lines");
  EXPECT_EQ(seen.line, 2u);
  EXPECT_EQ(seen.column, 4u);
  EXPECT_EQ(ptcvm_findings_at(found, 2, &seen), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_findings_is_error(found, 2), 0);
  EXPECT_EQ(ptcvm_run_get_state(ptcvm_session_run(session)), PTCVM_COMPLETED);   // the turn before
}

void check_inside(void* session, ptcvm_call* call) {
  ptcvm_findings* found = nullptr;
  const ptcvm_status status = ptcvm_session_check(*static_cast<ptcvm_session**>(session), text("1"), &found, nullptr);
  EXPECT_EQ(status, PTCVM_WRONG_STATE);
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(ptcvm_call_answer_json(call, text("1"), nullptr), PTCVM_OK);
}

TEST_F(CCheckTest, AToolMayNotCheckWithTheSessionThatCallsIt) {
  ptcvm_session* place = nullptr;
  ASSERT_EQ(ptcvm_tools_add(tools_, text("t"), text(""), check_inside, static_cast<void*>(&place), nullptr, nullptr,
                            nullptr),
            PTCVM_OK);
  auto options = initialised<ptcvm_run_options>();
  options.tools = tools_;
  CSession session;
  ASSERT_EQ(ptcvm_session_new(engine_, &options, session.out(), nullptr), PTCVM_OK);
  place = session;
  ASSERT_EQ(ptcvm_session_eval(session, text("(tool/t)"), nullptr), PTCVM_OK);
  EXPECT_EQ(edn(ptcvm_run_result(ptcvm_session_run(session))), "1");
}

}  // namespace
}  // namespace ptcvm

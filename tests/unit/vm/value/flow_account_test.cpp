#include "vm/value/flow_account.h"

#include <gtest/gtest.h>

namespace ptc {
namespace {

// A flow that shares the thread sees nothing of the run that another flow is at work on, and both go on as they were.
TEST(FlowAccount, KeepsTheAccountsOfFlowsOnOneThreadApart) {
  Heap mine, other;
  FlowAccount flow;
  const AccountScope run(mine, nullptr);
  flow.swap();
  EXPECT_EQ(account::paying_heap(), nullptr);
  {
    const AccountScope run_of_the_flow(other, nullptr);
    EXPECT_EQ(account::paying_heap(), &other);
    flow.swap();
    EXPECT_EQ(account::paying_heap(), &mine);
    flow.swap();
    EXPECT_EQ(account::paying_heap(), &other);
  }
  flow.swap();
  EXPECT_EQ(account::paying_heap(), &mine);
}

}  // namespace
}  // namespace ptc

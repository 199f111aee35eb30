// Words for workers about ready runs: everything is told, and what comes meanwhile is told together.
#include "runtime/log/postgres/postgres_teller.h"

#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace ptc {
namespace {

TEST(PostgresTeller, TellsWhatIsLeftWhenItEnds) {
  std::string told;
  {
    PostgresTeller teller([&](const std::string& queues) { told += queues + ' '; });
    teller.add("61");
    teller.add("62");
  }
  EXPECT_NE(told.find("61"), std::string::npos);
  EXPECT_NE(told.find("62"), std::string::npos);
}

TEST(PostgresTeller, TellsTogetherWhatCameMeanwhile) {
  std::vector<std::string> told;
  std::promise<void> begun, may_end;
  {
    PostgresTeller teller([&](const std::string& queues) {
      told.push_back(queues);
      if (told.size() > 1) return;
      begun.set_value();
      may_end.get_future().wait();
    });
    teller.add("61");
    begun.get_future().wait();
    for (int i = 0; i < 100; ++i) teller.add(i % 2 == 0 ? "62" : "63");
    may_end.set_value();
  }
  EXPECT_EQ(told, (std::vector<std::string>{"61", "62 63"}));
}

TEST(PostgresTeller, TellsNothingWithoutAWord) {
  int calls = 0;
  { const PostgresTeller teller([&](const std::string&) { ++calls; }); }
  EXPECT_EQ(calls, 0);
}

}   // namespace
}   // namespace ptc

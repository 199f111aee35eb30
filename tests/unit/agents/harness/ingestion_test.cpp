// What a remote tells of its history is believed as far as it can be read.
#include "agents/harness/conversation/ingestion.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <vector>

namespace ptcvm::harness {
namespace {

namespace json = boost::json;

// Returns the names of the facts of a task whose history is this message.
std::vector<std::string> told(const std::string& members) {
  const json::value message = json::parse(R"({"role": "agent", "messageId": "m1", )" + members + "}");
  std::vector<std::string> names;
  for (const ProposedFact& fact :
       facts_of_task({{"history", json::array{message}}, {"status", {{"state", "working"}}}})) {
    names.emplace_back(fact_info(fact.type).name);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(Ingestion, RefusesMessagesThatCannotBeRead) {
  for (const char* const members :
       {R"("parts": [])", R"("parts": [5])", R"("text": "no parts")", R"("parts": "t")",
        R"("parts": [{"kind": "text", "text": " \u200b"}])", R"("parts": [{"kind": "data", "data": {}}])",
        R"("parts": [{"kind": "text", "text": "t"}, 5])",
        R"("parts": [{"kind": "text", "text": "t"}, {"kind": "file", "file": {"name": "f", "bytes": "%%"}}])",
        R"("parts": [{"kind": "text", "text": "t"}, {"kind": "file", "file": {"name": "f", "bytes": 5}}])"}) {
    EXPECT_EQ(told(members), (Names{"message_refused", "status_changed"})) << members;
  }
}

TEST(Ingestion, TakesWhatSaysSomething) {
  EXPECT_EQ(told(R"("parts": [{"kind": "text", "text": "t"}])"), (Names{"message_received", "status_changed"}));
  EXPECT_EQ(told(R"("parts": [{"kind": "file", "file": {"name": "f", "bytes": "QQ=="}}])"),
            (Names{"attachment_added", "message_received", "status_changed"}));
  EXPECT_EQ(told(R"("parts": [{"kind": "text", "text": "t"}, {"kind": "file", "file": {"name": "f", "uri": "u"}}])"),
            (Names{"message_received", "status_changed"}));
}

TEST(Ingestion, TakesAMessageWithoutWordsThatEndsTheTask) {
  EXPECT_EQ(told(R"("parts": [], "metadata": {"nextState": "completed"})"),
            (Names{"message_received", "status_changed"}));
}

}   // namespace
}   // namespace ptcvm::harness

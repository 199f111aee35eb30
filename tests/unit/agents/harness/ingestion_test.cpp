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

// Returns the name that a file of the other side gets.
std::string file_name(const std::string& name) {
  const json::value message = json::parse(
      R"({"role": "agent", "messageId": "m1", "parts": [{"kind": "file", "file": {"bytes": "QQ==", "name": ")" + name +
      R"("}}]})");
  return std::string(text_of(facts_of_message(message.as_object()).front().body, "name"));
}

TEST(Ingestion, FilesAreInNoFolder) {
  for (const char* const name :
       {"notes.txt", "/etc/notes.txt", "../../notes.txt", R"(C:\\notes.txt)", "a/ notes.txt"}) {
    EXPECT_EQ(file_name(name), "notes.txt") << name;
  }
  for (const char* const name : {"", "..", "a/", "a/..", R"(..\\.)"}) {
    EXPECT_EQ(file_name(name), "file-m1-1.bin") << name;
  }
}

TEST(Ingestion, RefusesRolesThatThereAreNot) {
  for (const char* const role : {"\"boss\"", "\"\"", "null", "7", "\"User\""}) {
    const json::value message = json::parse(
        R"({"messageId": "m1", "parts": [{"kind": "text", "text": "t"}], "role": )" + std::string(role) + "}");
    const auto facts = facts_of_task({{"history", json::array{message}}, {"status", {{"state", "working"}}}});
    ASSERT_EQ(facts.size(), 2U) << role;
    EXPECT_EQ(facts[0].type, FactType::message_refused) << role;
    EXPECT_NE(text_of(facts[0].body, "reason").find(role), std::string::npos) << role;
  }
}

}   // namespace
}   // namespace ptcvm::harness

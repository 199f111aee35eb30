#include <string>

#include "fuzz/seed_sources.h"

namespace ptc::fuzz {

namespace {

constexpr std::string_view kLog =
    "0message_received {\"messageId\":\"m1\",\"text\":\"hello\",\"attachments\":[{\"name\":\"a\"}]}\n"
    "0status_changed {\"a2a\":\"input-required\"}\n"
    "0attachment_added {\"name\":\"a\",\"mimeType\":\"t\",\"bytes\":\"QQ==\",\"origin\":\"inbound\"}\n"
    "2compose_intent {\"composeId\":\"c1\",\"text\":\"d\",\"attachments\":[{\"name\":\"a\"}]}\n"
    "2sleep {\"plan_cursor\":{\"planned\":{\"inbound\":1},\"planner\":\"p\",\"seed\":{}}}\n"
    "3plan_cursor {\"generation\":0,\"planned\":{\"status\":2,\"inbound\":1},\"failing\":{},\"attempts\":0}\n"
    "1send_started {\"composeId\":\"c1\",\"messageId\":\"m2\",\"nextState\":\"working\"}\n"
    "0message_sent {\"messageId\":\"m2\",\"text\":\"d\"}\n"
    "2agent_question {\"qid\":\"q1\",\"prompt\":\"?\",\"required\":true}\n"
    "0user_answer {\"qid\":\"q1\",\"text\":\"yes\"}\n"
    "0user_guidance {\"gid\":\"g1\",\"text\":\"w\"}\n"
    "3pass_parked {\"fired\":{\"whisper\":10},\"waits\":[\"user_answer/q2\"]}\n"
    "0journal_rewound {\"to\":2,\"keeps\":\"human\"}\n"
    "0journal_rewound {\"to\":0,\"keeps\":\"nothing\"}\n";

constexpr std::string_view kScenario =
    "{\"title\":\"t\",\"agents\":[{\"agentId\":\"a\",\"systemPrompt\":\"p\",\"tools\":[{\"toolName\":\"t1\","
    "\"description\":\"d\",\"endsConversation\":true}]},{\"agentId\":\"b\",\"systemPrompt\":\"p\",\"tools\":[]}]}\n";

constexpr std::string_view kLinks[] = {
    R"(#{"planner":{"id":"scenario-v0.3","mode":"auto"},"planners":{"scenario-v0.3":{"seed":{"v":2,"scenarioUrl":"u",)"
    R"("myAgentId":"b","maxInlineSteps":7,"disabledCoreTools":[],"instructions":"i"}}},"rev":3})",
    R"(#{"planner":{"id":"llm-drafter","mode":"approve"},"seed":{"v":1,"targetWords":50,"systemAppend":"s"}})",
    "#%7B%22planner%22%3A%7B%22id%22%3A%22simple-demo%22%7D%2C%22seed%22%3A%7B%22mode%22%3A%22off%22%7D%7D"};

constexpr std::string_view kMessages[] = {
    R"({"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m1",)"
    R"("role":"user","parts":[{"kind":"text","text":"t"},{"kind":"file","file":{"name":"f","mimeType":"t",)"
    R"("bytes":"QUJD"}}],"metadata":{"nextState":"completed"}}}})",
    R"({"jsonrpc":"2.0","id":"x","method":"tasks/get","params":{"id":"init:c#0","historyLength":1}})",
    R"({"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t","status":{"state":"input-required","message":)"
    R"({"messageId":"m2","role":"agent","parts":[{"kind":"text","text":"a"},{"kind":"file","file":{"bytes":"QQ=="}}]})"
    R"(},"history":[{"messageId":"m","role":"user","parts":[{"kind":"text","text":"t"}]}]}})",
    R"({"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no"}})"};

}  // namespace

void add_conversation_seeds(SeedFolder& seeds) {
  seeds.add("conversation", kLog);
  for (const std::string_view link : kLinks) seeds.add("deep_link", std::string(kScenario) + std::string(link));
  for (const std::string_view message : kMessages) seeds.add("a2a_message", message);
  for (const std::string_view word : {"message_sent ", "compose_intent ", "journal_rewound ", "send_failed ",
                                      "\"composeId\"", "\"messageId\"", "\"keeps\"", "\"attachments\""}) {
    seeds.word("conversation", word);
  }
  for (const std::string_view word : {"\"planner\"", "\"seed\"", "\"rev\"", "\"requireReview\"", "\"agents\"", "%7B"}) {
    seeds.word("deep_link", word);
  }
  for (const std::string_view word : {"\"params\"", "\"parts\"", "\"taskId\"", "tasks/cancel", "message/stream",
                                      "\"result\"", "\"status\"", "\"history\"", "\"file\"", "init:c#0"}) {
    seeds.word("a2a_message", word);
  }
}

}  // namespace ptc::fuzz

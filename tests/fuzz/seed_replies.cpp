#include <string>

#include "fuzz/seed_sources.h"
#include "support/model_streams.h"

namespace ptc::fuzz {

namespace {

// The first byte is the kind and the size of pieces (reply_trial.h).
std::string seed(char first, std::string_view bytes) { return first + std::string(bytes); }

constexpr std::string_view kWords[] = {"data: ",   "event: ",  "[DONE]",       "\n\n",          "\"choices\"",
                                       "\"delta\"", "\"index\"", "\"tool_calls\"", "\"finish_reason\"", "\"usage\"",
                                       "\"type\"",  "\"error\"", "\"content\"",    "\"arguments\"",     "\"response\""};

}  // namespace

void add_reply_seeds(SeedFolder& seeds) {
  const std::pair<std::string_view, std::string_view> streams[] = {{"reply_chat", ptcvm::test::kChat},
                                                                   {"reply_messages", ptcvm::test::kMessages},
                                                                   {"reply_responses", ptcvm::test::kResponses}};
  for (const auto& [target, stream] : streams) {
    seeds.add(target, seed(2, stream));
    seeds.add(target, seed(14, stream.substr(0, stream.size() / 2)));
    for (const std::string_view word : kWords) seeds.word(target, word);
  }
  seeds.add("reply_chat", seed(1, R"({"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",)"
                                  R"("content":"4","refusal":null}}],"usage":{"prompt_tokens":1}})"));
  seeds.add("reply_messages", seed(1, R"({"type":"message","content":[{"type":"text","text":"4"}],)"
                                      R"("stop_reason":"end_turn","usage":{"input_tokens":1}})"));
  seeds.add("reply_responses", seed(1, R"({"status":"completed","output":[{"type":"message",)"
                                       R"("content":[{"type":"output_text","text":"4"}]}]})"));
  for (const std::string_view target : {"reply_chat", "reply_messages", "reply_responses"}) {
    seeds.add(target, seed('\xFF', R"({"error":{"type":"rate_limit_error","message":"later"}})"));
  }
}

}  // namespace ptc::fuzz

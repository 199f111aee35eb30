// Any bytes as the log of a conversation: a line for each fact, its class as a digit, its name, and its body. What the
// bodies say changes only what the conversation says; the next step is decided, and everything is shown.
#include <algorithm>
#include <boost/json/serialize.hpp>
#include <string>

#include "agents/a2a/task_view.h"
#include "agents/harness/people/conversation_json.h"
#include "fuzz/fuzz_target.h"

namespace {

using ptc::fuzz::promise;
namespace harness = ptcvm::harness;

ptcvm::HostFact fact_of(std::string_view line, std::uint64_t seq) {
  constexpr std::uint8_t kClasses = 4;
  ptcvm::HostFact fact;
  fact.seq = seq;
  if (!line.empty()) {
    fact.fact_class = static_cast<ptcvm::HostFactClass>(static_cast<unsigned char>(line[0]) % kClasses);
    line.remove_prefix(1);
  }
  const std::size_t space = std::min(line.find(' '), line.size());
  fact.name = line.substr(0, space);
  fact.body = line.substr(std::min(space + 1, line.size()));
  fact.writer = seq % 3;
  return fact;
}

std::string shown(const harness::ConversationView& view) {
  std::string text = boost::json::serialize(harness::state_json(view, {}));
  for (const harness::Fact& fact : view.facts()) text += boost::json::serialize(harness::fact_json(fact));
  return text + boost::json::serialize(ptcvm::a2a::task_json(view, "c"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest = ptc::fuzz::text_of(data, size);
  harness::ConversationView view, again;
  ptcvm::a2a::StreamPlace place;
  for (std::uint64_t seq = 1; !rest.empty(); ++seq) {
    const ptcvm::HostFact fact = fact_of(ptc::fuzz::take_line(rest), seq);
    view.apply(fact);
    again.apply(fact);
    const harness::PassDecision decision = harness::evaluate(view, view.cursor(), {});
    const bool dismisses = decision.verdict == harness::Verdict::Dismiss;
    promise(decision.dismissed == (dismisses ? view.unsent_draft() : std::string_view{}),
            "another draft is dismissed than the newest one");
    ptcvm::a2a::news_after(view, "c", place);
    promise(place.seq == view.log_seq(), "a stream stays behind");
  }
  promise(shown(view) == shown(again), "the same facts show something else");
  promise(view.counted() <= view.facts().size(), "more facts count than there are");
  return 0;
}

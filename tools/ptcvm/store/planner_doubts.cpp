#include "tools/ptcvm/store/planner_doubts.h"

#include "agents/harness/conversation/settled_doubts.h"
#include "agents/harness/people/people.h"

namespace ptcvm::cli {
namespace {

constexpr std::string_view kProgramRun = "/planner", kAgentRun = "/planner-";

std::string conversation_of(const std::string& run, std::string_view part) {
  const std::size_t end = run.rfind(part);
  return end == std::string::npos ? std::string() : run.substr(0, end);
}

}  // namespace

bool is_agent_planner_run(const std::string& run) { return !conversation_of(run, kAgentRun).empty(); }

Result<void> wake_conversation_of(const Store& store, const std::string& run, const harness::Author& author) {
  const std::string id = run.ends_with(kProgramRun) ? conversation_of(run, kProgramRun) : std::string();
  if (id.empty()) return {};
  auto conversation = harness::Conversation::open(HostLog::of(store, id));
  if (!conversation) return conversation.error();
  return harness::tell_settled_doubts(*conversation, store, author);
}

Result<void> settle_agent_planner(const Store& store, const std::string& run, const std::string& doubt,
                                  const std::string& answer, const harness::Author& author) {
  auto conversation = harness::Conversation::open(HostLog::of(store, conversation_of(run, kAgentRun)));
  if (!conversation) return conversation.error();
  const std::string asked = run + "/" + doubt;
  std::string qid;
  for (const harness::Fact& fact : conversation->view().facts()) {
    if (fact.type != harness::FactType::agent_question) continue;
    const std::string_view id = harness::text_of(fact.body, "qid");
    if (id == asked || id.starts_with(asked + "/")) qid = id;   // a further question, after an answer that did not fit
  }
  if (qid.empty() || conversation->view().has_arrived("user_answer/" + qid)) {
    return Error{Errc::invalid_value, "the planner has no open question about " + doubt, std::nullopt, {}};
  }
  return harness::answer(*conversation, qid, answer, author);
}

}  // namespace ptcvm::cli

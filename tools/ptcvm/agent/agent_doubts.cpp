#include "tools/ptcvm/agent/agent_doubts.h"

#include "agents/loop/stored_facts.h"
#include "agents/loop/stored_intents.h"
#include "tools/ptcvm/agent/agent_store.h"

namespace ptcvm::cli {

// A command notes its mark when it leaves the run and lists what the run waits for.
Result<std::set<std::string>> unshown_doubts(const Store& store, const std::string& id) {
  std::set<std::string> unshown;
  const auto read = for_each_fact(store, id, [&unshown](const HostFact& fact) {
    if (read_mark(fact)) unshown.clear();
    if (fact.name == loop::kToolInDoubt) unshown.insert(loop::answered_path(fact.body));
  });
  if (!read) return read.error();
  return unshown;
}

}  // namespace ptcvm::cli

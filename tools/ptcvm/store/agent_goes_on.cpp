#include "tools/ptcvm/store/agent_goes_on.h"

#include "agents/loop/stored_agent.h"
#include "tools/ptcvm/text/shell_arguments.h"

namespace ptcvm::cli {

std::string agent_goes_on(const Store& store, const StoreOptions& options) {
  const auto agent = loop::StoredAgent::stored_definition(store, options.id);
  if (!agent || !*agent) return "";
  return options.id + " is the run of an agent: `ptcvm agent resume " + store_words(options) + " --id " +
         shell_quoted(options.id) + "` shows what it waits for, and takes the answers";
}

}  // namespace ptcvm::cli

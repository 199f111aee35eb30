// The agent that answers one (tool/llm-query {…}) of a program: it asks a model one question and ends.
#pragma once
#include <boost/json/object.hpp>
#include <memory>
#include <optional>

#include "agents/loop/agent_impl.h"

namespace ptcvm::loop {

// Owns its definition, which the arguments of the call make: `prompt` is a template, `signature` says what the answer
// is (":string" when it is missing), every other argument is data of the template.
class QueryAgent {
 public:
  // `asker` is the agent whose program asks; its model answers unless the host chooses one for PATH/llm-query. Error:
  // invalid_value about the arguments.
  static Result<std::unique_ptr<const QueryAgent>> make(const Agent::Impl& tree, const CompiledAgent& asker,
                                                        const boost::json::object& arguments);
  QueryAgent(const QueryAgent&) = delete;
  QueryAgent& operator=(const QueryAgent&) = delete;

  const CompiledAgent& agent() const { return agent_; }

 private:
  QueryAgent() = default;
  Result<void> read(const boost::json::object& arguments);

  AgentDefinition definition_;
  CompiledAgent agent_;   // refers to definition_
};

}  // namespace ptcvm::loop

#include "fuzz/document_trial.h"

#include <string>

#include "agents/loop/agent_document.h"
#include "agents/loop/agent_run.h"
#include "fuzz/fuzz_target.h"

namespace ptc::fuzz {

namespace {

namespace loop = ptcvm::loop;

// The document has the definition of its agent, which may be any text too.
std::optional<loop::Agent> agent_of(const ptcvm::Engine& engine, std::string_view definition) {
  auto read = loop::read_agent_text(definition);
  if (!read) return std::nullopt;
  auto agent = loop::Agent::make(engine, std::move(*read));
  return agent ? std::optional(std::move(*agent)) : std::nullopt;
}

}  // namespace

void try_document(std::span<const std::uint8_t> bytes) {
  static const ptcvm::Engine engine;
  const auto document = loop::read_document(std::as_bytes(bytes));
  if (!document) return promise(!document.error().message.empty(), "refused without a reason");
  const auto agent = agent_of(engine, (*document)->agent);
  if (!agent) return;
  auto run = loop::AgentRun::restore(*agent, std::as_bytes(bytes));
  if (!run) return promise(!run.error().message.empty(), "refused without a reason");
  static_cast<void>(run->pending());
  static_cast<void>(run->operations());
  static_cast<void>(run->outcome());
  static_cast<void>(run->usage());
  static_cast<void>(run->turns());
  const auto binary = run->snapshot();
  const auto from_binary = loop::AgentRun::restore(*agent, binary);
  promise(from_binary.has_value(), "its own bytes are refused");
  promise(from_binary->snapshot() == binary, "the same state has other bytes");
  const std::string text = run->snapshot_json();
  const auto from_text = loop::AgentRun::restore(*agent, std::as_bytes(std::span(text)));
  promise(from_text.has_value(), "its own JSON is refused");
  promise(from_text->snapshot() == binary, "the faces differ");
}

}  // namespace ptc::fuzz

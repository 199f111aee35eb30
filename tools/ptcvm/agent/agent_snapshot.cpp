#include "tools/ptcvm/agent/agent_snapshot.h"

#include <span>

#include "agents/loop/agent_document.h"
#include "tools/ptcvm/program/snapshot_file.h"

namespace ptcvm::cli {

std::optional<AgentSnapshot> read_agent_snapshot(const std::string& file, std::string& message) {
  auto read = read_snapshot_file(file, {}, message);
  if (!read) return std::nullopt;
  const auto document = loop::read_document(std::as_bytes(std::span(read->bytes)));
  auto definition = document ? loop::read_agent_text((*document)->agent) : document.error();
  if (definition) return AgentSnapshot{std::move(read->bytes), *std::move(definition)};
  message = file + " has no run of an agent: " + definition.error().message;
  return std::nullopt;
}

bool write_agent_snapshot(const std::string& file, const loop::AgentRun& run, std::string& message) {
  if (file.ends_with(".json")) return write_whole_file(file, run.snapshot_json() + '\n', message);
  const auto bytes = run.snapshot();
  return write_whole_file(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, message);
}

}  // namespace ptcvm::cli

#include "tools/ptcvm/agent/agent_snapshot.h"

#include <span>
#include <string_view>
#include <vector>

#include "agents/loop/agent_document.h"
#include "tools/ptcvm/program/snapshot_file.h"

namespace ptcvm::cli {
namespace {

SealOptions seal_of(const StoreOptions& options) {
  SealOptions seal;
  seal.keys = options.keys;
  seal.tenant = options.tenant;
  return seal;
}

}  // namespace

void declare_expected_snapshot(CLI::App& command, ExpectedSnapshot& expected) {
  command.add_option("--expect-run", expected.run, "Refuse files of other runs (with --keys)")->type_name("ID");
  command
      .add_option("--expect-sequence", expected.sequence,
                  "Refuse any other file of the run than this one (with --keys)")
      ->type_name("N");
}

std::optional<AgentSnapshot> read_agent_snapshot(const std::string& file, const StoreOptions& options,
                                                 const ExpectedSnapshot& expected, std::string& message) {
  SealOptions seal = seal_of(options);
  seal.expected_run = expected.run;
  seal.expected_sequence = expected.sequence;
  auto read = read_snapshot_file(file, seal, message);
  if (!read) return std::nullopt;
  const auto document = loop::read_document(std::as_bytes(std::span(read->bytes)));
  auto definition = document ? loop::read_agent_text((*document)->agent) : document.error();
  if (definition) return AgentSnapshot{std::move(read->bytes), *std::move(definition), read->sequence.value_or(0)};
  message = file + " has no run of an agent: " + definition.error().message;
  return std::nullopt;
}

bool can_write_agent_snapshot(const StoreOptions& options, std::string& message) {
  return can_seal(seal_of(options), message);
}

bool write_agent_snapshot(const std::string& file, const loop::AgentRun& run, const StoreOptions& options,
                          std::uint64_t sequence, std::string& message) {
  std::vector<std::byte> bytes;
  if (file.ends_with(".json")) {
    const std::string text = run.snapshot_json() + '\n';
    const auto view = std::as_bytes(std::span(text));
    bytes.assign(view.begin(), view.end());
  } else {
    bytes = run.snapshot();
  }
  return write_snapshot_bytes(file, std::move(bytes), run.id(), seal_of(options), sequence, message);
}

}  // namespace ptcvm::cli

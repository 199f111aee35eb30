#include "runtime/session/session_snapshot.h"

#include <utility>

#include "runtime/session/capabilities.h"
#include "runtime/text/written_size.h"

namespace ptc {

HostState SessionSnapshot::host_state(bool waits_for_host) const {
  HostState state;
  state.source_name = options_.source_name;
  state.signature = options_.signature;
  state.float_precision = options_.float_precision.value_or(-1);
  state.strict_task_ids = options_.strict_task_ids;
  state.check_tools = options_.check_tools;
  if (options_.limits.timeout_ms > 0) state.active_ms = run_.active_micros() / 1000;
  for (const std::string_view name : run_.tool_names()) {
    if (const Tool* tool = calls_.registry().find(name)) state.tools.push_back(host_tool(*tool));
  }
  state.cached_answers = calls_.cache().sorted();
  state.waits_for_host = waits_for_host;
  state.approvals = gate_.saved();
  return state;
}

void SessionSnapshot::write(const SnapshotOptions& options, bool waits_for_host, SnapshotMemory& out) const {
  write_snapshot(run_, host_state(waits_for_host), options, out);
}

std::unique_ptr<SnapshotPieces> SessionSnapshot::pieces(const SnapshotOptions& options, bool waits_for_host) const {
  return snapshot_pieces(run_, host_state(waits_for_host), options);
}

std::string SessionSnapshot::json(const SnapshotOptions& options, bool waits_for_host) const {
  return write_snapshot_json(run_, host_state(waits_for_host), options);
}

// Names what takes most of the room, so that the program can be changed. Values never take more bytes in a snapshot
// than on the heap: a run that is small there is not written for this.
std::optional<std::string> SessionSnapshot::complaint_about_size() const {
  if (run_.heap().bytes_used() <= options_.limits.snapshot_bytes) return std::nullopt;
  const std::size_t size = pieces({}, false)->size();
  if (size <= options_.limits.snapshot_bytes) return std::nullopt;
  std::string_view largest;
  std::uint64_t most = 0;
  run_.for_each_definition([&](std::string_view name, Value value) {
    const std::uint64_t bytes = written_size(value, options_.limits.snapshot_bytes);
    if (bytes <= most) return;
    most = bytes;
    largest = name;
  });
  const std::string what =
      most > size / 4 ? "the definition of " + std::string(largest) : "values of the running program";
  return "the suspended program takes " + std::to_string(size) + " bytes, at most " +
         std::to_string(options_.limits.snapshot_bytes) + "; most of it is " + what;
}

void SessionSnapshot::restore(HostState taken) {
  for (auto& [key, value] : taken.cached_answers) calls_.cache().load(std::move(key), value);
  gate_.restore(taken.approvals);
}

SessionOptions options_of(const Restored& restored, const SessionRestore& wanted) {
  SessionOptions own;
  own.limits = restored.run.limits();
  if (restored.host.float_precision >= 0) own.float_precision = restored.host.float_precision;
  own.signature = restored.host.signature;
  own.source_name = restored.host.source_name;
  own.strict_task_ids = restored.host.strict_task_ids;
  own.check_tools = restored.host.check_tools;
  own.run_id = restored.run.run_id();
  own.yields_at_commits = wanted.yields_at_commits;
  own.pauses_at_calls = wanted.pauses_at_calls;
  own.fixed_clock_millis = wanted.fixed_clock_millis;
  own.slice_fuel = wanted.slice_fuel;
  return own;
}

}  // namespace ptc

#include "hostile/hostile_fixture.h"

#include <optional>

#include "support/packed_snapshot.h"
#include "support/refusal_cost.h"
#include "support/snapshot_drive.h"
#include "support/unpacked_program.h"

namespace ptc::test {
namespace {

const Engine& engine() {
  static const Engine shared;
  return shared;
}

SessionOptions options_with(RunLimits limits) {
  SessionOptions options;
  options.limits = limits;
  options.fixed_clock_millis = 1'000'000;
  return options;
}

}  // namespace

ToolRegistry HostileSnapshot::tools() {
  ToolRegistry registry;
  for (const char* const name : {"ask", "call"}) {
    ToolDefinition definition;
    definition.name = name;
    definition.async = AsyncMode::Yes;
    registry.add(std::move(definition), [](const ToolCall&) { return ToolReply::pending(); });
  }
  ToolDefinition definition;
  definition.name = "now";
  registry.add(std::move(definition), [](const ToolCall&) { return ToolReply::value(Value::integer(1)); });
  return registry;
}

Octets HostileSnapshot::suspended(std::string_view source, RunLimits limits) {
  Session session(engine(), options_with(limits));
  session.journal().enable();
  session.tools() = tools();
  const Outcome outcome = session.turn(source);
  EXPECT_EQ(outcome.status, OutcomeStatus::Suspended) << source;
  return session.snapshot();
}

Octets HostileSnapshot::interrupted(std::string_view source, std::uint64_t fuel) {
  SessionOptions options = options_with({});
  options.slice_fuel = fuel;
  Session session(engine(), options);
  session.journal().enable();
  session.tools() = tools();
  Octets first;
  session.set_step_hook([&](Session& at) -> std::optional<std::string> {
    if (first.empty()) first = at.snapshot();
    return std::nullopt;
  });
  session.turn(source);
  EXPECT_FALSE(first.empty()) << source << ": ended before " << fuel << " units";
  return first;
}

std::unique_ptr<schema::SnapshotT> HostileSnapshot::parts(const Octets& bytes) {
  std::unique_ptr<schema::SnapshotT> made(schema::GetSnapshot(bytes.data())->UnPack());
  for (const auto& program : made->programs) unpack_program(*program);
  return made;
}

Octets HostileSnapshot::packed(const schema::SnapshotT& parts) {
  return packed_snapshot(parts);
}

Octets HostileSnapshot::changed(const Octets& bytes, const std::function<void(schema::SnapshotT&)>& change) {
  const auto snapshot = parts(bytes);
  change(*snapshot);
  return packed(*snapshot);
}

Octets HostileSnapshot::json_with(const Octets& bytes, const std::string& old, std::string_view now) {
  auto restored = Session::restore(engine(), bytes, tools(), {});
  std::string text = std::get<std::unique_ptr<Session>>(restored)->snapshot_json();
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << text;
  if (at != std::string::npos) text.replace(at, old.size(), now);
  return {text.begin(), text.end()};
}

std::string HostileSnapshot::refusal(std::span<const std::uint8_t> bytes, const SessionRestore& wanted,
                                     ToolRegistry with) {
  // A busy machine makes processor time dearer, so what is dear is measured again.
  constexpr int kAttempts = 3;
  std::optional<RestoreError> error;
  double seconds = 0;
  long kilobytes = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const CostMeter cost;
    auto result = Session::restore(engine(), bytes, with, wanted);
    if (auto* const found = std::get_if<RestoreError>(&result)) error = std::move(*found);
    if (!error) return "";
    seconds = cost.seconds();
    kilobytes = cost.kilobytes();
    if (CostMeter::is_cheap(seconds, kilobytes)) break;
  }
  EXPECT_TRUE(CostMeter::is_cheap(seconds, kilobytes)) << seconds << " s, " << kilobytes << " KiB: " << error->message;
  EXPECT_FALSE(error->message.empty());
  return std::string(snapshot_error_name(error->kind)) + ": " + error->message;
}

void HostileSnapshot::expect_refused(const Octets& bytes, std::string_view error_name, std::string_view what) {
  const std::string why = refusal(bytes);
  EXPECT_TRUE(why.starts_with(std::string(error_name) + ": ")) << "got \"" << why << "\" for " << what;
}

void HostileSnapshot::expect_harmless(const Octets& bytes) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Driven driven = drive_snapshot(bytes, seed, small_limits());
    EXPECT_EQ(driven.complaint, "");
  }
}

}  // namespace ptc::test

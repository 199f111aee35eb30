#include "runtime/session/parked_session.h"

#include <algorithm>
#include <cstdlib>

namespace ptc {
namespace {

// The programs that a parked session kept alive; an engine may have forgotten them meanwhile.
class KeptPrograms final : public ProgramSource {
 public:
  explicit KeptPrograms(const std::vector<std::shared_ptr<const Program>>& programs) : programs_(programs) {}

  std::shared_ptr<const Program> find(std::span<const std::uint8_t> sha256) override {
    for (const auto& program : programs_) {
      const auto& hash = program->encoded().sha256;
      if (std::equal(hash.begin(), hash.end(), sha256.begin(), sha256.end())) return program;
    }
    return nullptr;
  }
  std::shared_ptr<const Program> find_bytes(std::span<const std::uint8_t>) override { return nullptr; }
  void keep(const std::shared_ptr<const Program>&) override {}

 private:
  const std::vector<std::shared_ptr<const Program>>& programs_;
};

}  // namespace

bool ParkedSession::can_park(const Session& session) {
  const bool waits = session.last_step() == SessionStep::Suspended || session.last_step() == SessionStep::Waits;
  return waits && session.run().in_turn() && session.calls().is_in_snapshot() && !session.has_step_hook();
}

ParkedSession::ParkedSession(const Session& session)
    : bytes_(session.snapshot({.embed_programs = false})),
      programs_(session.run().programs()),
      tools_(session.calls().shared_tools()),
      hooks_(session.gate().hooks()),
      fixed_clock_millis_(session.options().fixed_clock_millis),
      now_(session.clock().given_time()),
      clock_(session.run().clock()),
      active_micros_(session.run().active_micros()),
      slice_fuel_(session.options().slice_fuel),
      yields_at_commits_(session.options().yields_at_commits) {
  bytes_.shrink_to_fit();
}

std::unique_ptr<Session> ParkedSession::wake(const Engine& engine) && {
  KeptPrograms programs(programs_);
  RestoreOptions options;
  options.most_bytes = SIZE_MAX;
  options.programs = &programs;
  options.memory = engine.memory();
  auto restored = restore_snapshot(bytes_, options);
  if (!std::holds_alternative<Restored>(restored)) std::abort();   // our own bytes: a broken invariant
  SessionRestore wanted;
  wanted.fixed_clock_millis = fixed_clock_millis_;
  wanted.slice_fuel = slice_fuel_;
  wanted.yields_at_commits = yields_at_commits_;
  auto session = std::make_unique<Session>(engine, std::get<Restored>(std::move(restored)), std::move(tools_), wanted);
  session->gate().set_hooks(std::move(hooks_));
  session->clock().set_given_time(now_);
  session->clock().set_program_time(clock_);
  session->clock().add_active_micros(active_micros_ - session->run().active_micros());
  return session;
}

}  // namespace ptc

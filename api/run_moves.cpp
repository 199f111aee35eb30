#include "ptcvm/run_moves.hpp"

#include "api/errors.h"
#include "api/store_access.h"
#include "runtime/durable/run_copy.h"
#include "runtime/engine/clock.h"
#include "runtime/log/memory_store.h"
#include "runtime/log/run_move.h"

namespace ptcvm {
namespace {

Error refused(std::string_view name, const std::string& message) {
  return {Errc::refused, std::string(name) + ": " + message, std::nullopt, name};
}

Error refused_by_store(const ptc::StoreError& error) {
  if (error.kind == ptc::StoreError::Kind::WrongTenant) return refused("store_wrong_tenant", error.message);
  return store_error(error);
}

// What both kinds of refusals say.
Error missing(const std::string& run) { return refused("run_missing", "there is no run " + run); }
Error not_a_run(const std::string& run) {
  return refused("not_a_run", "the log " + run + " belongs to a host, and is no run of a program");
}
Error is_copy(const std::string& run) { return refused("run_is_copy", run + " is a copy for reading"); }
Error exists(const std::string& run) {
  return refused("run_exists", "there is another run " + run + " already; nothing was written there");
}

Result<bool> moved(const std::string& run, const ptc::MoveOutcome& out) {
  switch (out.end) {
    case ptc::MoveEnd::Done: return true;
    case ptc::MoveEnd::Before: return false;
    case ptc::MoveEnd::Missing: return missing(run);
    case ptc::MoveEnd::NotARun: return not_a_run(run);
    case ptc::MoveEnd::Copy: return is_copy(run);
    case ptc::MoveEnd::Busy: return host_error(Errc::busy, run + " is being executed by " + out.holder);
    case ptc::MoveEnd::SameStore: return refused("same_store", "source and target are one store");
    case ptc::MoveEnd::Exists: return exists(run);
    case ptc::MoveEnd::Elsewhere: break;
  }
  return refused("run_moved", "the run " + run + " was moved to " + out.place + ", not to this store");
}

Result<void> copied(const std::string& run, const std::string& copy, ptc::CopyEnd end) {
  switch (end) {
    case ptc::CopyEnd::Done: return {};
    case ptc::CopyEnd::Missing: return missing(run);
    case ptc::CopyEnd::NotARun: return not_a_run(run);
    case ptc::CopyEnd::Copy: return is_copy(run);
    case ptc::CopyEnd::Left: return refused("run_moved", "the run " + run + " was moved to another store");
    case ptc::CopyEnd::Exists: return exists(copy);
    case ptc::CopyEnd::NoFact:
      return refused("no_fact", "the log of " + run + " has no fact of that number, or no program up to there");
    case ptc::CopyEnd::Changing: break;
  }
  return host_error(Errc::busy, run + " is being executed, and changes all the time");
}

ptc::CopyOptions copy_options(const MoveOptions& options) {
  return {options.by, options.place, ptc::system_millis(), options.tenant, true};
}

Result<void> copied(const std::string& run, const std::string& copy, const ptc::StoreResult<ptc::CopyEnd>& out) {
  if (const auto* error = std::get_if<ptc::StoreError>(&out)) return refused_by_store(*error);
  return copied(run, copy, std::get<ptc::CopyEnd>(out));
}

}  // namespace

Result<bool> move_run(const Store& from, const Store& to, std::string_view run, const MoveOptions& options) {
  const ptc::MoveOptions wanted{options.by, options.place, ptc::system_millis(), options.tenant};
  const auto out = ptc::move_run(StoreAccess::store(from), StoreAccess::store(to), run, wanted);
  if (const auto* error = std::get_if<ptc::StoreError>(&out)) return refused_by_store(*error);
  return moved(std::string(run), std::get<ptc::MoveOutcome>(out));
}

Result<void> fork_run(const Store& store, std::string_view run, std::uint64_t last, std::string_view new_run,
                      const MoveOptions& options) {
  return copied(std::string(run), std::string(new_run),
                ptc::fork_run(StoreAccess::store(store), run, last, new_run, copy_options(options)));
}

Result<void> pull_run(const Store& from, const Store& to, std::string_view run, const MoveOptions& options) {
  return copied(std::string(run), std::string(run),
                ptc::copy_run(StoreAccess::store(from), StoreAccess::store(to), run, copy_options(options)));
}

Result<Store> scratch_run(const Store& from, std::string_view run) {
  Store out = Store::in_memory();
  ptc::CopyOptions wanted = copy_options({});
  wanted.is_marked = false;
  const auto done = copied(std::string(run), std::string(run),
                           ptc::copy_run(StoreAccess::store(from), StoreAccess::store(out), run, wanted));
  return done ? Result<Store>(std::move(out)) : Result<Store>(done.error());
}

}  // namespace ptcvm

#include "ptcvm/session.hpp"

#include "api/errors.h"
#include "api/run_impl.h"
#include "vm/value/map.h"
#include "vm/value/string.h"

namespace ptcvm {
namespace {

// Adds the entries of a map to the data, or the value under its key. Takes what was read: a value, or a complaint.
// Returns a complaint. A value that does not fit into the memory of the session changes nothing.
std::optional<std::string> merged(ptc::Session& session, std::string_view key, std::optional<ptc::Value> read,
                                  std::string& complaint) {
  if (!read) return std::move(complaint);
  if (session.edn().has_refused()) return std::nullopt;
  ptc::Heap& heap = session.heap();
  const ptc::Value taken = *read;
  const bool is_new = session.inputs().context().is_nil();
  ptc::Value data = is_new ? ptc::map_empty(heap) : ptc::retained(session.inputs().context());
  if (!key.empty()) {
    session.inputs().set_context(ptc::map_assoc(heap, data, ptc::string_of(heap, key), taken));
    return std::nullopt;
  }
  const ptc::Owned owner(heap, taken);
  if (!taken.is_map() && !taken.is_nil()) {
    heap.release(data);
    return "the context must be a map";
  }
  if (is_new && taken.is_map()) {
    heap.release(data);
    data = ptc::retained(taken);
  } else if (taken.is_map()) {
    for (ptc::MapCursor entry(heap, taken); entry.next();) {
      data = ptc::map_assoc(heap, data, ptc::retained(entry.key()), ptc::retained(entry.value()));
    }
  }
  session.inputs().set_context(data);
  return std::nullopt;
}

// Loads before the first turn.
template <class Load>
Result<void> loaded(const Run& run, ptc::Session& session, const Load& load) {
  if (!run.is_over() || session.run().turn() != 0) {
    return host_error(Errc::wrong_state, "a session loads only before its first turn");
  }
  if (auto complaint = load(session)) return host_error(Errc::invalid_value, std::move(*complaint));
  return {};
}

}  // namespace

Outcome outcome_of_error(const Error& error) {
  Outcome out;
  out.diagnostic = error.diagnostic;
  if (!out.diagnostic) {
    out.diagnostic.emplace();
    out.diagnostic->kind = errc_name(error.code);
    out.diagnostic->message = out.diagnostic->text = error.message;
  }
  return out;
}

Result<Session> Session::create(const Engine& engine, const RunOptions& options) {
  auto impl = make_impl(engine, options);
  if (!impl) return std::move(impl).error();
  (*impl)->state = RunState::Completed;
  return Session(Run(std::move(*impl)));
}

Result<Session> Session::restore(const Engine& engine, std::span<const std::byte> snapshot,
                                 const RestoreOptions& options) {
  auto impl = restore_impl(engine, snapshot, options);
  if (!impl) return std::move(impl).error();
  return Session(Run(std::move(*impl)));
}

Result<void> Session::load_definitions(std::string_view edn) {
  return loaded(run_, run_.impl_->awake(), [edn](ptc::Session& session) { return session.definitions().load(edn); });
}
Result<void> Session::load_journal(std::string_view edn) {
  const auto load = [edn](ptc::Session& session) { return session.journal().load(edn); };
  if (run_.is_over()) return loaded(run_, run_.impl_->awake(), load);
  if (auto complaint = load(run_.impl_->awake())) return host_error(Errc::invalid_value, std::move(*complaint));
  return {};
}
Result<void> Session::load_history(std::string_view edn) {
  return loaded(run_, run_.impl_->awake(), [edn](ptc::Session& session) { return session.inputs().load_history(edn); });
}
Result<void> Session::load_budget(std::string_view edn) {
  return loaded(run_, run_.impl_->awake(), [edn](ptc::Session& session) { return session.inputs().load_budget(edn); });
}

Result<void> Session::load_data(std::string_view edn, std::string_view key) {
  return loaded(run_, run_.impl_->awake(), [edn, key](ptc::Session& session) -> std::optional<std::string> {
    std::string complaint;
    return merged(session, key, session.edn().read_data(edn, complaint), complaint);
  });
}
Result<void> Session::load_data_json(std::string_view json, std::string_view key) {
  return loaded(run_, run_.impl_->awake(), [json, key](ptc::Session& session) -> std::optional<std::string> {
    std::string complaint;
    return merged(session, key, session.edn().read_json(json, complaint), complaint);
  });
}

bool Session::inputs_fit() const { return !run_.impl_->awake().edn().has_refused(); }

std::string Session::data_edn() const {
  ptc::Session& session = run_.impl_->awake();
  return ValueAccess::view(session.inputs().context(), session.heap()).to_edn();
}

Result<void> Session::begin(std::string_view source) {
  if (!run_.is_over()) return host_error(Errc::wrong_state, "the turn before is not over");
  ptc::Session& session = run_.impl_->awake();
  ptc::CompileAnswer compiled = session.compile(source);
  if (compiled.program == nullptr) return program_error(session.refused(std::move(compiled), source).fault);
  return begin(EngineAccess::made(std::move(compiled.program)));
}

Result<void> Session::begin(const Program& program) {
  if (!run_.is_over()) return host_error(Errc::wrong_state, "the turn before is not over");
  run_.impl_->events.cancelled() = false;
  run_.impl_->awake().begin(EngineAccess::program(program));
  run_.impl_->state = RunState::Yielded;
  return {};
}

Outcome Session::eval(std::string_view source) {
  if (const auto begun = begin(source); !begun) return outcome_of_error(begun.error());
  while (run_.step() == RunState::Yielded && run_.calls().empty() && !run_.wake_time_ms()) {
  }
  return run_.outcome();
}

std::string Session::definitions_edn() const { return run_.impl_->awake().definitions().edn(); }

}  // namespace ptcvm

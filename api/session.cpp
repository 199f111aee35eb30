#include "ptcvm/session.hpp"

#include "api/errors.h"
#include "api/run_impl.h"

namespace ptcvm {

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

Result<void> Session::begin(std::string_view source) {
  if (!run_.is_over()) return host_error(Errc::wrong_state, "the turn before is not over");
  ptc::Session& session = run_.impl_->awake();
  ptc::CompileAnswer compiled = session.compile(source);
  if (compiled.program == nullptr) return program_error(session.refused(std::move(compiled), source).fault);
  return begin(EngineAccess::made(std::move(compiled.program)));
}

Result<void> Session::begin(const Program& program) {
  if (!run_.is_over()) return host_error(Errc::wrong_state, "the turn before is not over");
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

std::string Session::definitions_edn() const { return run_.impl_->awake().memory_edn(); }

}  // namespace ptcvm

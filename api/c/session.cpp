#include "ptcvm/session.hpp"

#include "api/c/run.h"
#include "ptcvm/check.h"

struct ptcvm_session {
  ptcvm_session(std::unique_ptr<ptcvm::c::EventQueue> events, ptcvm::Session made) : session(std::move(made)) {
    run.events = std::move(events);
    run.run = &session.run();
  }

  ptcvm_run run;               // holds the queue that the session calls: goes after it
  ptcvm::Session session;
};

struct ptcvm_findings {
  std::vector<ptcvm::Finding> list;
};

namespace c = ptcvm::c;

ptcvm_status ptcvm_session_new(const ptcvm_engine* engine, const ptcvm_run_options* options, ptcvm_session** out,
                               ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    const ptcvm_run_options given = c::options_in(options);
    auto events = c::event_queue(given.event_capacity, given.event_forms, given.pauses_at_calls);
    ptcvm::Session made =
        c::taken(ptcvm::Session::create(c::the(engine).engine, c::run_options(given, events.get())));
    return std::make_unique<ptcvm_session>(std::move(events), std::move(made));
  });
}

ptcvm_status ptcvm_session_restore(const ptcvm_engine* engine, ptcvm_text snapshot,
                                   const ptcvm_restore_options* options, ptcvm_session** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    const ptcvm_restore_options given = c::options_in(options);
    auto events = c::event_queue(given.event_capacity, given.event_forms, given.pauses_at_calls);
    ptcvm::Session made = c::taken(ptcvm::Session::restore(c::the(engine).engine, c::bytes_in(snapshot),
                                                           c::restore_options(given, events.get())));
    return std::make_unique<ptcvm_session>(std::move(events), std::move(made));
  });
}

ptcvm_run* ptcvm_session_run(ptcvm_session* session) { return session == nullptr ? nullptr : &session->run; }

ptcvm_status ptcvm_session_begin(ptcvm_session* session, ptcvm_text source, ptcvm_error** error) {
  return c::guarded(error, [&] { c::taken(c::the(session).session.begin(c::text_in(source))); });
}

ptcvm_status ptcvm_session_eval(ptcvm_session* session, ptcvm_text source, ptcvm_error** error) {
  if (const ptcvm_status begun = ptcvm_session_begin(session, source, error); begun != PTCVM_OK) return begun;
  return c::guarded(error, [&] {
    ptcvm_run& run = session->run;
    while (run.step(PTCVM_ALL_FUEL) == PTCVM_YIELDED && !run.waits() && !(run.events && run.events->is_full())) {
    }
    if (run.is_broken) throw std::bad_alloc();
  });
}

ptcvm_status ptcvm_session_definitions_edn(const ptcvm_session* session, ptcvm_buffer** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::buffer_of(c::the(session).session.definitions_edn()); });
}
void ptcvm_session_free(ptcvm_session* session) { delete session; }

ptcvm_status ptcvm_session_check(const ptcvm_session* session, ptcvm_text source, ptcvm_findings** out,
                                 ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    (void)c::the(session).run.idle();
    return std::unique_ptr<ptcvm_findings>(new ptcvm_findings{session->session.check(c::text_in(source)).findings});
  });
}
size_t ptcvm_findings_count(const ptcvm_findings* findings) { return findings == nullptr ? 0 : findings->list.size(); }
ptcvm_status ptcvm_findings_at(const ptcvm_findings* findings, size_t index, ptcvm_diagnostic* out) {
  return c::guarded(nullptr, [&] { c::diagnostic_out(out, c::at(c::the(findings).list, index).diagnostic); });
}
int32_t ptcvm_findings_is_error(const ptcvm_findings* findings, size_t index) {
  return findings != nullptr && index < findings->list.size() && findings->list[index].is_error ? 1 : 0;
}
void ptcvm_findings_free(ptcvm_findings* findings) { delete findings; }

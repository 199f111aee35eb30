#include "ptcvm/store.hpp"

#include "api/c/stored.h"

struct ptcvm_stored_runs {
  std::vector<ptcvm::StoredRunInfo> runs;
};

namespace ptcvm::c {

static_assert(PTCVM_STORED_MOVED == static_cast<int>(StoredState::Moved));
static_assert(PTCVM_STORED_END_IN_DOUBT == static_cast<int>(StoredEnd::InDoubt));
static_assert(PTCVM_DOUBT_GIVE_UP == static_cast<int>(DoubtAnswer::GiveUp));

StoredOptions stored_options(const ptcvm_stored_options& given, const ptcvm_tools* tools, EventQueue* events) {
  StoredOptions out;
  if (given.id.size > 0) out.id = text_in(given.id);
  out.limits = limits_in(given.limits);
  out.data = view_in(given.data);
  out.signature = text_in(given.signature);
  out.name = text_in(given.name);
  out.hooks = hooks_in(tools, given.before_tool, given.before_tool_data);
  if (given.lease_ms != 0) out.lease_ms = given.lease_ms;
  out.again = given.again != 0;
  if (given.has_time != 0) out.time_ms = given.time_ms;
  out.keeps_session = given.keeps_session != 0;
  if (given.parallel_calls != 0) out.parallel_calls = given.parallel_calls;
  out.observer = events;
  if (given.clock != nullptr) out.clock = [tell = given.clock, data = given.clock_data] { return tell(data); };
  if (given.on_error != nullptr) {
    out.hooks.on_error = [tell = given.on_error, data = given.on_error_data](const Diagnostic& failed) {
      ptcvm_diagnostic shown = {};
      shown.struct_size = sizeof shown;
      diagnostic_out(&shown, failed);
      tell(data, &shown);
    };
  }
  return out;
}

std::optional<std::string> seen_args(const ptcvm_text* args_edn) {
  if (args_edn == nullptr) return std::nullopt;
  return string_in(*args_edn);
}

DoubtAnswer doubt_answer(int32_t answer) {
  require(answer >= PTCVM_DOUBT_HAPPENED && answer <= PTCVM_DOUBT_GIVE_UP, "no such constant");
  return static_cast<DoubtAnswer>(answer);
}

namespace {

// said(Store&) is what somebody says to the runs of the store.
template <class F>
ptcvm_status told(ptcvm_store* store, ptcvm_error** error, F&& said) noexcept {
  return guarded(error, [&] { taken(said(the(store).store)); });
}

const std::vector<StoredWait>& waits_of(const ptcvm_stored* stored, int32_t what) {
  switch (const StoredOutcome& outcome = the(stored).outcome; what) {
    case PTCVM_WAIT_PENDING: return outcome.pending;
    case PTCVM_WAIT_QUESTION: return outcome.questions;
    case PTCVM_WAIT_DOUBT: return outcome.doubts;
    default: throw Misuse{"no such constant"};
  }
}

}  // namespace
}  // namespace ptcvm::c

namespace c = ptcvm::c;
using ptcvm::Store;

ptcvm_status ptcvm_store_in_memory(ptcvm_store** out, ptcvm_error** error) {
  return c::guarded(out, error, [] { return std::unique_ptr<ptcvm_store>(new ptcvm_store{Store::in_memory()}); });
}
void ptcvm_store_free(ptcvm_store* store) { delete store; }

ptcvm_status ptcvm_store_resolve(ptcvm_store* store, ptcvm_text run, ptcvm_text operation, ptcvm_view value,
                                 ptcvm_text by, ptcvm_error** error) {
  return c::told(store, error, [&](Store& to) {
    return to.resolve(c::text_in(run), c::text_in(operation), c::view_in(value), c::string_in(by));
  });
}
ptcvm_status ptcvm_store_resolve_error(ptcvm_store* store, ptcvm_text run, ptcvm_text operation, ptcvm_text reason,
                                       ptcvm_text by, ptcvm_error** error) {
  return c::told(store, error, [&](Store& to) {
    return to.resolve_error(c::text_in(run), c::text_in(operation), c::string_in(reason), c::string_in(by));
  });
}
ptcvm_status ptcvm_store_resolve_cancelled(ptcvm_store* store, ptcvm_text run, ptcvm_text operation, ptcvm_text reason,
                                           ptcvm_text by, ptcvm_error** error) {
  return c::told(store, error, [&](Store& to) {
    return to.resolve_cancelled(c::text_in(run), c::text_in(operation), c::string_in(reason), c::string_in(by));
  });
}
ptcvm_status ptcvm_store_put(ptcvm_store* store, ptcvm_text run, ptcvm_text id, ptcvm_view value, ptcvm_text by,
                             ptcvm_error** error) {
  return c::told(store, error, [&](Store& to) {
    return to.put(c::text_in(run), c::text_in(id), c::view_in(value), c::string_in(by));
  });
}
ptcvm_status ptcvm_store_decide(ptcvm_store* store, ptcvm_text run, ptcvm_text key, int32_t is_allowed,
                                ptcvm_text reason, ptcvm_text by, const ptcvm_text* args_edn, ptcvm_error** error) {
  return c::told(store, error, [&](Store& to) {
    return to.decide(c::text_in(run), c::text_in(key), is_allowed != 0, c::string_in(reason), c::string_in(by),
                     c::seen_args(args_edn));
  });
}
ptcvm_status ptcvm_store_progress(ptcvm_store* store, ptcvm_text run, ptcvm_text operation, ptcvm_view value,
                                  ptcvm_text by, ptcvm_error** error) {
  return c::told(store, error, [&](Store& to) {
    return to.progress(c::text_in(run), c::text_in(operation), c::view_in(value), c::string_in(by));
  });
}
ptcvm_status ptcvm_store_settle(ptcvm_store* store, ptcvm_text run, ptcvm_text key, int32_t answer, ptcvm_view result,
                                ptcvm_text by, ptcvm_error** error) {
  return c::told(store, error, [&](Store& to) {
    return to.settle(c::text_in(run), c::text_in(key), c::doubt_answer(answer), c::view_in(result), c::string_in(by));
  });
}
ptcvm_status ptcvm_store_reset_task(ptcvm_store* store, ptcvm_text run, ptcvm_text task, ptcvm_text reason,
                                    ptcvm_text by, ptcvm_error** error) {
  return c::told(store, error, [&](Store& to) {
    return to.reset_task(c::text_in(run), c::text_in(task), c::string_in(reason), c::string_in(by));
  });
}
ptcvm_status ptcvm_store_journal_json(const ptcvm_store* store, ptcvm_text run, ptcvm_buffer** out,
                                      ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    return c::buffer_of(ptcvm::journal_json(c::taken(c::the(store).store.journal(c::text_in(run)))));
  });
}
ptcvm_status ptcvm_store_import_log(ptcvm_store* store, ptcvm_text run, ptcvm_text lines, ptcvm_error** error) {
  return c::told(store, error, [&](Store& to) { return to.import_log(c::text_in(run), c::text_in(lines)); });
}

ptcvm_status ptcvm_store_log_json(const ptcvm_store* store, ptcvm_text run, ptcvm_buffer** out, ptcvm_error** error) {
  return c::guarded(out, error,
                    [&] { return c::buffer_of(c::taken(c::the(store).store.log_json(c::text_in(run)))); });
}
ptcvm_status ptcvm_store_woken(const ptcvm_store* store, int64_t now_ms, size_t most, ptcvm_texts** out,
                               ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::texts_of(c::taken(c::the(store).store.woken(now_ms, most))); });
}

ptcvm_status ptcvm_store_runs(const ptcvm_store* store, ptcvm_text after, size_t most, ptcvm_stored_runs** out,
                              ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    return std::unique_ptr<ptcvm_stored_runs>(
        new ptcvm_stored_runs{c::taken(c::the(store).store.runs(c::text_in(after), most))});
  });
}
size_t ptcvm_stored_runs_count(const ptcvm_stored_runs* runs) { return runs == nullptr ? 0 : runs->runs.size(); }
ptcvm_status ptcvm_stored_runs_at(const ptcvm_stored_runs* runs, size_t index, ptcvm_stored_run* out) {
  return c::guarded(nullptr, [&] {
    c::require(index < c::the(runs).runs.size(), "there are not that many runs");
    const ptcvm::StoredRunInfo& seen = runs->runs[index];
    ptcvm_stored_run filled = {};
    filled.id = c::text_out(seen.id);
    filled.state = static_cast<int32_t>(seen.state);
    filled.is_woken = seen.is_woken;
    filled.deadline_ms = seen.deadline_ms.value_or(0);
    filled.started_ms = seen.started_ms;
    filled.changed_ms = seen.changed_ms;
    c::struct_out(out, filled);
  });
}
void ptcvm_stored_runs_free(ptcvm_stored_runs* runs) { delete runs; }

ptcvm_status ptcvm_run_stored(const ptcvm_engine* engine, ptcvm_store* store, const ptcvm_tools* tools,
                              ptcvm_text source, const ptcvm_stored_options* options, ptcvm_stored** out,
                              ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    const ptcvm_stored_options given = c::options_in(options);
    c::require(given.event_capacity == 0, "a run without a stepper gives no events");
    const ptcvm::StoredOptions wanted = c::stored_options(given, tools, nullptr);
    ptcvm::StoredOutcome outcome = c::taken(ptcvm::run_stored(c::the(engine).engine, c::the(store).store,
                                                              c::tools_in(tools), c::text_in(source), wanted));
    return std::unique_ptr<ptcvm_stored>(new ptcvm_stored{std::move(outcome)});
  });
}

int32_t ptcvm_stored_end(const ptcvm_stored* stored) {
  return stored == nullptr ? -1 : static_cast<int32_t>(stored->outcome.end);
}
ptcvm_state ptcvm_stored_state(const ptcvm_stored* stored) {
  return stored == nullptr ? PTCVM_NO_STATE : static_cast<ptcvm_state>(stored->outcome.outcome.state);
}
ptcvm_view ptcvm_stored_result(const ptcvm_stored* stored) {
  return stored == nullptr ? ptcvm_view{} : c::view_out(stored->outcome.outcome.value.view());
}
int32_t ptcvm_stored_diagnostic(const ptcvm_stored* stored, ptcvm_diagnostic* out) {
  return c::quietly(0, [&] {
    const auto& diagnostic = c::the(stored).outcome.outcome.diagnostic;
    if (!diagnostic) return 0;
    c::diagnostic_out(out, *diagnostic);
    return 1;
  });
}
int32_t ptcvm_stored_call_frame(const ptcvm_stored* stored, size_t index, ptcvm_call_frame* out) {
  return c::quietly(0, [&] { return c::call_frame_out(c::the(stored).outcome.outcome.diagnostic, index, out); });
}
size_t ptcvm_stored_print_count(const ptcvm_stored* stored) {
  return stored == nullptr ? 0 : stored->outcome.outcome.prints.size();
}
ptcvm_text ptcvm_stored_print_at(const ptcvm_stored* stored, size_t index) {
  if (index >= ptcvm_stored_print_count(stored)) return {nullptr, 0};
  return c::text_out(stored->outcome.outcome.prints[index]);
}
ptcvm_status ptcvm_stored_get_usage(const ptcvm_stored* stored, ptcvm_usage* out) {
  return c::guarded(nullptr, [&] { c::struct_out(out, c::usage_out(c::the(stored).outcome.outcome.usage)); });
}

size_t ptcvm_stored_wait_count(const ptcvm_stored* stored, int32_t what) {
  return c::quietly(std::size_t{0}, [&] { return c::waits_of(stored, what).size(); });
}
ptcvm_status ptcvm_stored_wait_at(const ptcvm_stored* stored, int32_t what, size_t index, ptcvm_stored_wait* out) {
  return c::guarded(nullptr, [&] {
    const auto& waits = c::waits_of(stored, what);
    c::require(index < waits.size(), "there are not that many");
    ptcvm_stored_wait filled = {};
    filled.key = c::text_out(waits[index].key);
    filled.tool = c::text_out(waits[index].tool);
    filled.args_edn = c::text_out(waits[index].args_edn);
    filled.text = c::text_out(waits[index].text);
    c::struct_out(out, filled);
  });
}
int32_t ptcvm_stored_wake_time(const ptcvm_stored* stored, int64_t* out_ms) {
  if (stored == nullptr || out_ms == nullptr || !stored->outcome.wake_time_ms) return 0;
  *out_ms = *stored->outcome.wake_time_ms;
  return 1;
}
ptcvm_text ptcvm_stored_warning(const ptcvm_stored* stored) {
  return stored == nullptr ? ptcvm_text{nullptr, 0} : c::text_out(stored->outcome.warning);
}
void ptcvm_stored_free(ptcvm_stored* stored) { delete stored; }

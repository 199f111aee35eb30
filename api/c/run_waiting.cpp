// What a run waits for, and what its host says to that.
#include "api/c/run.h"

namespace ptcvm::c {

ptcvm_waiting_call call_out(const WaitingCall& call) {
  ptcvm_waiting_call out = {};
  out.id = call.id;
  out.tool = text_out(call.tool);
  out.key = text_out(call.key);
  out.task_id = text_out(call.task_id);
  out.question = text_out(call.question);
  out.args = view_out(call.args);
  out.attempt = call.attempt;
  out.is_deferred = call.is_deferred;
  return out;
}

namespace {

ptcvm_call_record record_out(const CallRecord& record) {
  ptcvm_call_record out = {};
  out.tool = text_out(record.tool);
  out.args_edn = text_out(record.args_edn);
  out.result_edn = text_out(record.result_edn);
  out.error = text_out(record.error);
  out.failed = record.failed;
  out.is_cached = record.cached;
  return out;
}

Resolution resolution_in(const ptcvm_resolution& given) {
  require(given.kind >= PTCVM_RESOLVE_OK && given.kind <= PTCVM_RESOLVE_PROGRESS, "no such constant");
  Resolution out;
  out.operation = string_in(given.operation);
  out.kind = static_cast<Resolution::Kind>(given.kind);
  out.value = view_in(given.value);
  out.reason = string_in(given.reason);
  return out;
}

// said(Run&) is what the host says.
template <class F>
ptcvm_status told(ptcvm_run* run, ptcvm_error** error, F&& said) noexcept {
  return guarded(error, [&] { taken(said(the(run).idle())); });
}

}  // namespace
}  // namespace ptcvm::c

namespace c = ptcvm::c;
using ptcvm::Run;

size_t ptcvm_run_call_count(ptcvm_run* run) {
  return c::quietly(std::size_t{0}, [&] { return (run->calls = c::the(run).idle().calls()).size(); });
}
ptcvm_status ptcvm_run_call_at(const ptcvm_run* run, size_t index, ptcvm_waiting_call* out) {
  return c::guarded(nullptr, [&] { c::struct_out(out, c::call_out(c::at(c::the(run).calls, index))); });
}
size_t ptcvm_run_question_count(ptcvm_run* run) {
  return c::quietly(std::size_t{0}, [&] { return (run->questions = c::the(run).idle().questions()).size(); });
}
ptcvm_status ptcvm_run_question_at(const ptcvm_run* run, size_t index, ptcvm_waiting_call* out) {
  return c::guarded(nullptr, [&] { c::struct_out(out, c::call_out(c::at(c::the(run).questions, index))); });
}
size_t ptcvm_run_record_count(ptcvm_run* run) {
  return c::quietly(std::size_t{0}, [&] { return (run->records = c::the(run).idle().call_records()).size(); });
}
ptcvm_status ptcvm_run_record_at(const ptcvm_run* run, size_t index, ptcvm_call_record* out) {
  return c::guarded(nullptr, [&] { c::struct_out(out, c::record_out(c::at(c::the(run).records, index))); });
}
size_t ptcvm_run_pending_count(ptcvm_run* run) {
  return c::quietly(std::size_t{0}, [&] { return (run->pending = c::the(run).idle().pending()).size(); });
}
ptcvm_status ptcvm_run_pending_at(const ptcvm_run* run, size_t index, ptcvm_pending_operation* out) {
  return c::guarded(nullptr, [&] {
    const ptcvm::PendingOperation& seen = c::at(c::the(run).pending, index);
    ptcvm_pending_operation filled = {};
    filled.id = c::text_out(seen.id);
    filled.tool = c::text_out(seen.tool);
    filled.args = c::view_out(seen.args);
    filled.progress = c::view_out(seen.progress);
    filled.since_ms = seen.since_ms;
    filled.deadline_ms = seen.deadline_ms;
    filled.is_awaited = seen.is_awaited;
    c::struct_out(out, filled);
  });
}

ptcvm_status ptcvm_run_answer(ptcvm_run* run, uint64_t call, ptcvm_view value, ptcvm_error** error) {
  return c::told(run, error, [&](Run& open) { return open.answer(call, c::view_in(value)); });
}
ptcvm_status ptcvm_run_answer_json(ptcvm_run* run, uint64_t call, ptcvm_text json, ptcvm_error** error) {
  return c::told(run, error, [&](Run& open) { return open.answer_json(call, c::text_in(json)); });
}
ptcvm_status ptcvm_run_answer_edn(ptcvm_run* run, uint64_t call, ptcvm_text edn, ptcvm_error** error) {
  return c::told(run, error, [&](Run& open) { return open.answer(call, c::edn_in(edn)); });
}
ptcvm_status ptcvm_run_answer_error(ptcvm_run* run, uint64_t call, ptcvm_text message, ptcvm_error** error) {
  return c::told(run, error, [&](Run& open) { return open.answer_error(call, c::string_in(message)); });
}
ptcvm_status ptcvm_run_answer_pending(ptcvm_run* run, uint64_t call, ptcvm_text operation, ptcvm_error** error) {
  return c::told(run, error, [&](Run& open) { return open.answer_pending(call, c::string_in(operation)); });
}

ptcvm_status ptcvm_run_decide(ptcvm_run* run, ptcvm_text key, int32_t is_allowed, ptcvm_text reason,
                              const ptcvm_text* args_edn, ptcvm_error** error) {
  return c::told(run, error, [&](Run& open) {
    std::optional<std::string> args;
    if (args_edn != nullptr) args = c::string_in(*args_edn);
    return open.decide(c::text_in(key), is_allowed != 0, c::string_in(reason), args);
  });
}

ptcvm_status ptcvm_run_resolve(ptcvm_run* run, ptcvm_text operation, ptcvm_view value, ptcvm_error** error) {
  return c::told(run, error, [&](Run& open) { return open.resolve(c::text_in(operation), c::view_in(value)); });
}
ptcvm_status ptcvm_run_resolve_json(ptcvm_run* run, ptcvm_text operation, ptcvm_text json, ptcvm_error** error) {
  return c::told(run, error, [&](Run& open) { return open.resolve(c::text_in(operation), c::json_in(json)); });
}
ptcvm_status ptcvm_run_resolve_edn(ptcvm_run* run, ptcvm_text operation, ptcvm_text edn, ptcvm_error** error) {
  return c::told(run, error, [&](Run& open) { return open.resolve(c::text_in(operation), c::edn_in(edn)); });
}
ptcvm_status ptcvm_run_resolve_error(ptcvm_run* run, ptcvm_text operation, ptcvm_text reason, ptcvm_error** error) {
  return c::told(run, error,
                 [&](Run& open) { return open.resolve_error(c::text_in(operation), c::string_in(reason)); });
}
ptcvm_status ptcvm_run_resolve_cancelled(ptcvm_run* run, ptcvm_text operation, ptcvm_text reason,
                                         ptcvm_error** error) {
  return c::told(run, error,
                 [&](Run& open) { return open.resolve_cancelled(c::text_in(operation), c::string_in(reason)); });
}
ptcvm_status ptcvm_run_progress(ptcvm_run* run, ptcvm_text operation, ptcvm_view value, ptcvm_error** error) {
  return c::told(run, error, [&](Run& open) { return open.progress(c::text_in(operation), c::view_in(value)); });
}
ptcvm_status ptcvm_run_resolve_all(ptcvm_run* run, const ptcvm_resolution* resolutions, size_t count,
                                   ptcvm_error** error) {
  return c::told(run, error, [&](Run& to) {
    c::require(resolutions != nullptr || count == 0, "a list has a length and no elements");
    std::vector<ptcvm::Resolution> all;
    for (size_t i = 0; i < count; ++i) all.push_back(c::resolution_in(resolutions[i]));
    return to.resolve_all(all);
  });
}
ptcvm_status ptcvm_run_take_cancelled(ptcvm_run* run, ptcvm_texts** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::texts_of(c::the(run).idle().take_cancelled()); });
}

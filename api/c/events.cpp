#include "api/c/run.h"

namespace ptcvm::c {
namespace {

static_assert(PTCVM_EVENT_ASK == static_cast<int>(EventKind::Ask));
static_assert(PTCVM_EVENT_RUN_END == static_cast<int>(EventKind::RunEnd));

ptcvm_event event_out(const Event& event) {
  ptcvm_event out = {};
  out.kind = static_cast<int32_t>(event.kind);
  out.is_cached = event.cached;
  out.line = event.line;
  out.column = event.column;
  out.attempt = event.attempt;
  out.sequence = event.sequence;
  out.turn = event.turn;
  out.unix_micros = event.unix_micros;
  out.micros = event.micros;
  out.fuel = event.fuel;
  out.bytes = event.bytes;
  out.name = text_out(event.name);
  out.id = text_out(event.id);
  out.task = text_out(event.task);
  out.operation = text_out(event.operation);
  out.text = text_out(event.text);
  out.error = text_out(event.error);
  out.status = text_out(event.status);
  out.args = view_out(event.args);
  out.value = view_out(event.value);
  return out;
}

// Takes over what a borrowed member of the event says.
void hold(std::string_view& member, std::string& owner) {
  owner = member;
  member = owner;
}
void hold(ValueView& member, Value& owner) {
  owner = Value::copy_of(member);
  member = owner.view();
}

}  // namespace

Verdict EventQueue::on_event(const Event& event) {
  auto held = std::make_unique<HeldEvent>();
  Event& kept = held->event = event;
  hold(kept.name, held->name);
  hold(kept.id, held->id);
  hold(kept.task, held->task);
  hold(kept.operation, held->operation);
  hold(kept.text, held->text);
  hold(kept.error, held->error);
  hold(kept.status, held->status);
  hold(kept.path, held->path);
  hold(kept.stack, held->stack);
  hold(kept.found, held->found);
  hold(kept.args, held->args);
  hold(kept.value, held->value);
  events_.push_back(std::move(held));
  return is_full() ? Verdict::Pause : Verdict::Continue;
}

std::unique_ptr<HeldEvent> EventQueue::take() {
  if (events_.empty()) return nullptr;
  auto taken = std::move(events_.front());
  events_.pop_front();
  return taken;
}

std::unique_ptr<EventQueue> event_queue(std::size_t capacity, int32_t wants_forms, int32_t pauses_at_calls) {
  if (capacity == 0) return nullptr;
  return std::make_unique<EventQueue>(capacity, wants_forms != 0, pauses_at_calls != 0);
}

int32_t next_event(EventQueue* queue, std::unique_ptr<HeldEvent>& taken, ptcvm_event* out) {
  if (queue == nullptr) return 0;
  struct_out(out, ptcvm_event{});   // misuse takes no event
  taken = queue->take();
  if (taken == nullptr) return 0;
  struct_out(out, event_out(taken->event));
  return 1;
}

std::unique_ptr<ptcvm_buffer> event_line(const HeldEvent* taken) {
  require(taken != nullptr, "no event was taken");
  return buffer_of(event_json(taken->event));
}

}  // namespace ptcvm::c

namespace c = ptcvm::c;

ptcvm_text ptcvm_event_name(int32_t kind) {
  if (kind < PTCVM_EVENT_RUN_START || kind > PTCVM_EVENT_RUN_END) return {nullptr, 0};
  return c::text_out(ptcvm::event_name(static_cast<ptcvm::EventKind>(kind)));
}

int32_t ptcvm_run_next_event(ptcvm_run* run, ptcvm_event* out) {
  return c::quietly(0, [&] {
    ptcvm_run& of = c::the(run);
    return c::next_event(of.events.get(), of.event, out);
  });
}

ptcvm_status ptcvm_run_event_json(const ptcvm_run* run, ptcvm_buffer** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::event_line(c::the(run).event.get()); });
}

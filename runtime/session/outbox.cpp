#include "runtime/session/outbox.h"

namespace ptc {
namespace {

using ItemKind = OutboxItem::Kind;

OutboxItem item_of(ItemKind kind) {
  OutboxItem item;
  item.kind = kind;
  return item;
}

OutboxItem call_item(ItemKind kind, const ToolRequest& request, Heap& heap) {
  OutboxItem item = item_of(kind);
  item.call = request.id;
  item.name = request.tool;
  item.args = KeptValue(heap, retained(request.args));
  item.span = request.span;
  item.task = request.task_id;
  item.path = request.call_path;
  item.key = request.key;
  return item;
}

OutboxItem operation_item(ItemKind kind, const Operation& operation, Heap& heap) {
  OutboxItem item = item_of(kind);
  item.id = operation.id;
  item.name = operation.tool;
  item.args = KeptValue(heap, retained(operation.args));
  item.task = operation.task_id;
  item.path = operation.call_path;
  item.key = operation.key;
  item.status = operation_status_name(operation.status);
  item.error = operation.reason;
  item.waits = operation.status == Operation::Status::Waiting;
  return item;
}

}  // namespace

void Outbox::began(std::string_view source_name) {
  if (!is_read()) return;
  OutboxItem item = item_of(ItemKind::Began);
  item.name = source_name;
  write(std::move(item));
}

void Outbox::printed(std::string_view text) {
  if (!is_read()) return;
  OutboxItem item = item_of(ItemKind::Printed);
  item.text = text;
  write(std::move(item));
}

void Outbox::called(const ToolRequest& request, Heap& heap, std::uint64_t attempt) {
  if (!is_read()) return;
  OutboxItem item = call_item(ItemKind::Called, request, heap);
  item.attempt = attempt;
  write(std::move(item));
}

void Outbox::answered(const ToolRequest& request, Heap& heap, const Answer& answer) {
  if (!is_read()) return;
  OutboxItem item = call_item(ItemKind::Answered, request, heap);
  if (!answer.borrowed.is_absent()) item.value = KeptValue(heap, retained(answer.borrowed));
  item.error = answer.error;
  item.cached = answer.cached;
  item.operation = answer.operation;
  item.micros = answer.micros;
  write(std::move(item));
}

void Outbox::retried(const ToolRequest& request, Heap& heap, std::string_view error, std::uint64_t attempt,
                     std::int64_t pause_ms, std::uint64_t micros) {
  if (!is_read()) return;
  OutboxItem item = call_item(ItemKind::Retried, request, heap);
  item.error = error;
  item.attempt = attempt;
  item.pause_ms = pause_ms;
  item.micros = micros;
  write(std::move(item));
}

void Outbox::committed(std::string_view task, Heap& heap, Value borrowed, bool returned) {
  if (!is_read()) return;
  OutboxItem item = item_of(ItemKind::Committed);
  item.id = task;
  item.value = KeptValue(heap, retained(borrowed));
  item.returned = returned;
  write(std::move(item));
}

void Outbox::reset(std::string_view task, std::string_view reason) {
  if (!is_read()) return;
  OutboxItem item = item_of(ItemKind::Reset);
  item.id = task;
  item.text = reason;
  write(std::move(item));
}

void Outbox::opened(const Operation& operation, Heap& heap) {
  if (is_read()) write(operation_item(ItemKind::Opened, operation, heap));
}

void Outbox::resolved(const Operation& operation, Heap& heap) {
  if (!is_read()) return;
  OutboxItem item = operation_item(ItemKind::Resolved, operation, heap);
  const Value shown = item.waits ? operation.arrived_immediate : operation.result;
  if (!shown.is_absent()) item.value = KeptValue(heap, retained(shown));
  write(std::move(item));
}

void Outbox::step_done(std::string_view step, std::string_view summary) {
  if (!is_read()) return;
  OutboxItem item = item_of(ItemKind::StepDone);
  item.id = step;
  item.text = summary;
  write(std::move(item));
}

void Outbox::judged(std::string_view key, const Approval& approval) {
  if (!is_read()) return;
  OutboxItem item = item_of(ItemKind::Judged);
  item.id = key;
  item.name = approval.tool;
  item.status = approval_state_name(approval.state);
  item.text = approval.text;
  item.path = approval.args_edn;
  write(std::move(item));
}

void Outbox::stepped(SessionStep step) {
  if (!is_read()) return;
  OutboxItem item = item_of(ItemKind::Stepped);
  item.step = step;
  write(std::move(item));
}

}  // namespace ptc

// Snapshots for readers.
#include "ptcvm/snapshot_view.hpp"

#include <array>

#include "api/c/run.h"

// A snapshot, and the lists that were taken from it.
struct ptcvm_snapshot {
  ptcvm::SnapshotView view;
  ptcvm::SnapshotView::Facts facts = {};
  std::vector<ptcvm::SnapshotView::Operation> operations = {};
  std::vector<ptcvm::SnapshotView::Fiber> fibers = {};
  std::vector<ptcvm::SnapshotView::Frame> frames = {};
  std::array<std::vector<ptcvm::SnapshotView::Named>, 2> values = {};   // by PTCVM_DEFINITIONS and PTCVM_JOURNAL
};

namespace ptcvm::c {
namespace {

static_assert(PTCVM_BETWEEN_STEPS == static_cast<int>(SnapshotView::Place::BetweenSteps));
static_assert(PTCVM_FIBER_FAULTED == static_cast<int>(SnapshotView::FiberState::Faulted));

constexpr std::size_t kMostBytes = std::size_t{64} << 20;   // the default of SnapshotView::open()

std::size_t list_in(std::int32_t list) {
  require(list == PTCVM_DEFINITIONS || list == PTCVM_JOURNAL, "no such constant");
  return static_cast<std::size_t>(list);
}

ptcvm_snapshot_operation operation_out(const SnapshotView::Operation& from) {
  ptcvm_snapshot_operation out = {};
  out.id = text_out(from.id);
  out.tool = text_out(from.tool);
  out.status = text_out(from.status);
  out.reason = text_out(from.reason);
  out.task_id = text_out(from.task_id);
  out.args = view_out(from.args);
  out.result = view_out(from.result);
  out.since_ms = from.since_ms;
  out.due_ms = from.due_ms;
  out.deadline_ms = from.deadline_ms;
  out.is_sleep = from.is_sleep;
  out.is_awaited = from.is_awaited;
  return out;
}

ptcvm_snapshot_fiber fiber_out(const SnapshotView::Fiber& from) {
  ptcvm_snapshot_fiber out = {};
  out.parent = from.parent ? static_cast<std::int64_t>(*from.parent) : -1;
  out.frame_count = from.frame_count;
  out.fault = text_out(from.fault);
  out.source_name = text_out(from.source_name);
  out.state = static_cast<std::int32_t>(from.state);
  out.line = from.line;
  out.column = from.column;
  return out;
}

ptcvm_snapshot_facts facts_out(const SnapshotView::Facts& from) {
  ptcvm_snapshot_facts out = {};
  out.run_id = text_out(from.run_id);
  out.format = from.format;
  out.place = static_cast<std::int32_t>(from.place);
  out.turn = from.turn;
  out.fuel = from.fuel;
  out.tool_calls = from.tool_calls;
  out.suspensions = from.suspensions;
  out.print_bytes = from.print_bytes;
  out.memory_bytes = from.memory_bytes;
  return out;
}

}  // namespace
}  // namespace ptcvm::c

namespace c = ptcvm::c;
using ptcvm::SnapshotView;

ptcvm_status ptcvm_snapshot_open(const ptcvm_engine* engine, ptcvm_text snapshot, size_t max_bytes,
                                 ptcvm_snapshot** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    const std::size_t most = max_bytes == 0 ? c::kMostBytes : max_bytes;
    SnapshotView view = c::taken(SnapshotView::open(c::the(engine).engine, c::bytes_in(snapshot), most));
    return std::unique_ptr<ptcvm_snapshot>(new ptcvm_snapshot{std::move(view)});
  });
}
void ptcvm_snapshot_free(ptcvm_snapshot* snapshot) { delete snapshot; }

ptcvm_status ptcvm_snapshot_get_facts(ptcvm_snapshot* snapshot, ptcvm_snapshot_facts* out) {
  return c::guarded(nullptr, [&] {
    ptcvm_snapshot& of = c::the(snapshot);
    of.facts = of.view.facts();
    c::struct_out(out, c::facts_out(of.facts));
  });
}
ptcvm_status ptcvm_snapshot_limits(const ptcvm_snapshot* snapshot, ptcvm_limits* out) {
  return c::guarded(nullptr, [&] { c::struct_out(out, c::limits_out(c::the(snapshot).view.facts().limits)); });
}
ptcvm_status ptcvm_snapshot_prints(const ptcvm_snapshot* snapshot, ptcvm_texts** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::texts_of(c::the(snapshot).view.prints()); });
}
ptcvm_status ptcvm_snapshot_bytes(const ptcvm_snapshot* snapshot, ptcvm_buffer** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::buffer_of(c::the(snapshot).view.bytes()); });
}
ptcvm_status ptcvm_snapshot_json(const ptcvm_snapshot* snapshot, ptcvm_buffer** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::buffer_of(c::the(snapshot).view.json()); });
}

size_t ptcvm_snapshot_operation_count(ptcvm_snapshot* snapshot) {
  return c::quietly(std::size_t{0}, [&] {
    ptcvm_snapshot& of = c::the(snapshot);
    return (of.operations = of.view.operations()).size();
  });
}
ptcvm_status ptcvm_snapshot_operation_at(const ptcvm_snapshot* snapshot, size_t index, ptcvm_snapshot_operation* out) {
  return c::guarded(nullptr, [&] {
    c::struct_out(out, c::operation_out(c::at(c::the(snapshot).operations, index)));
  });
}

size_t ptcvm_snapshot_value_count(ptcvm_snapshot* snapshot, int32_t list) {
  return c::quietly(std::size_t{0}, [&] {
    ptcvm_snapshot& of = c::the(snapshot);
    auto& values = of.values[c::list_in(list)];
    values = list == PTCVM_DEFINITIONS ? of.view.definitions() : of.view.journal();
    return values.size();
  });
}
ptcvm_text ptcvm_snapshot_value_name(const ptcvm_snapshot* snapshot, int32_t list, size_t index) {
  return c::quietly(ptcvm_text{nullptr, 0}, [&] {
    return c::text_out(c::at(c::the(snapshot).values[c::list_in(list)], index).name);
  });
}
ptcvm_view ptcvm_snapshot_value(const ptcvm_snapshot* snapshot, int32_t list, size_t index) {
  return c::quietly(ptcvm_view{}, [&] {
    return c::view_out(c::at(c::the(snapshot).values[c::list_in(list)], index).value);
  });
}

size_t ptcvm_snapshot_fiber_count(ptcvm_snapshot* snapshot) {
  return c::quietly(std::size_t{0}, [&] {
    ptcvm_snapshot& of = c::the(snapshot);
    return (of.fibers = of.view.fibers()).size();
  });
}
ptcvm_status ptcvm_snapshot_fiber_at(const ptcvm_snapshot* snapshot, size_t index, ptcvm_snapshot_fiber* out) {
  return c::guarded(nullptr, [&] { c::struct_out(out, c::fiber_out(c::at(c::the(snapshot).fibers, index))); });
}
ptcvm_status ptcvm_snapshot_excerpt(const ptcvm_snapshot* snapshot, size_t fiber, ptcvm_buffer** out,
                                    ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::buffer_of(c::the(snapshot).view.excerpt(fiber)); });
}

size_t ptcvm_snapshot_frame_count(ptcvm_snapshot* snapshot, size_t fiber) {
  return c::quietly(std::size_t{0}, [&] {
    ptcvm_snapshot& of = c::the(snapshot);
    return (of.frames = of.view.frames(fiber)).size();
  });
}
ptcvm_status ptcvm_snapshot_frame_at(const ptcvm_snapshot* snapshot, size_t index, ptcvm_snapshot_frame* out) {
  return c::guarded(nullptr, [&] {
    const SnapshotView::Frame& frame = c::at(c::the(snapshot).frames, index);
    ptcvm_snapshot_frame filled = {};
    filled.function = c::text_out(frame.function);
    filled.line = frame.line;
    filled.column = frame.column;
    filled.local_count = frame.locals.size();
    c::struct_out(out, filled);
  });
}
ptcvm_text ptcvm_snapshot_local_name(const ptcvm_snapshot* snapshot, size_t frame, size_t index) {
  return c::quietly(ptcvm_text{nullptr, 0}, [&] {
    return c::text_out(c::at(c::at(c::the(snapshot).frames, frame).locals, index).name);
  });
}
ptcvm_view ptcvm_snapshot_local(const ptcvm_snapshot* snapshot, size_t frame, size_t index) {
  return c::quietly(ptcvm_view{}, [&] {
    return c::view_out(c::at(c::at(c::the(snapshot).frames, frame).locals, index).value);
  });
}

// RunState -> JSON, the second face of a snapshot (docs/snapshots.md): what a person asks about comes first, what only
// the engine needs to get back the very same heap comes last.
#include <sodium/utils.h>

#include "schema/version.h"
#include "vm/exec/machine_state.h"
#include "vm/snapshot/json/json_sections.h"
#include "vm/snapshot/run_state.h"
#include "vm/snapshot/snapshot.h"
#include "vm/snapshot/state_fields.h"

namespace ptc {
namespace {

class JsonWriter : private JsonSections {
 public:
  JsonWriter(const MachineView& run, const HostState& host, const SnapshotOptions& options)
      : JsonSections(text_, all_values_),
        run_(run),
        host_(host),
        options_(options),
        state_(capture(run)),
        linked_(run),
        all_values_(run, linked_, text_) {}

  std::string write() {
    leave_out_defaults();
    for_each_value(state_, [this](Value& value) { values_.meet(value); });
    for (const auto& [key, value] : host_.cached_answers) values_.meet(value);
    values_.choose_key_arrays();
    out_.open('{', Lines::Many);
    head();
    operations("pending", true);
    namespaces();
    journal();
    operations("operations", false);
    write_fibers(*this, state_);
    records();
    budgets();
    session();
    programs();
    physical();
    out_.close('}');
    out_.out += '\n';
    return std::move(out_.out);
  }

 private:
  // What reading gives back by itself is no place of a value: it would make an object look shared.
  void leave_out_defaults() {
    const bool in_turn = !state_.fibers.empty();
    for (CellState& cell : state_.cells) {
      const bool as_now = in_turn && (cell.defined ? same_word(cell.base, cell.value) : cell.base.is_absent());
      const bool no_base = as_now || (!in_turn && cell.base.is_absent());
      has_base_.push_back(!no_base);
      if (no_base) cell.base = Value::nil();
    }
    for (FiberState& fiber : state_.fibers) {
      for (FrameState& frame : fiber.frames) {
        if (frame.kind == Frame::Kind::Bytecode && is_linked_function(frame)) frame.closure = Value::nil();
      }
    }
  }

  bool is_linked_function(const FrameState& frame) const {
    const std::vector<Value>& made = run_.links()[frame.link].functions;
    return frame.function < made.size() && same_word(made[frame.function], frame.closure);
  }

  void head() {
    number("format", kSnapshotFormat);
    number("oldest_reader", kSnapshotOldestReader);
    text("engine", kEngineVersion);
    text("run", state_.run_id);
    number("turn", state_.turn);
    flag("suspended", state_.suspended);
    if (!state_.tool_failed) return;
    open("fault", '{', Lines::One);
    text("kind", fault_name(state_.fault_kind));
    text("message", state_.fault_message);
    text("hint", state_.fault_hint);
    text("found", state_.fault_found);
    close('}');
  }

  void operations(std::string_view name, bool waiting) {
    open(name, '[');
    std::size_t place = 0;
    for (std::size_t k = 0; k < state_.operations.size(); ++k) {
      const Operation& operation = state_.operations[k];
      if ((operation.status == Operation::Status::Waiting) != waiting) continue;
      open(place++);
      whole_text("op", operation.id);
      text("tool", operation.tool);
      if (operation.kind != Operation::Kind::Tool) text("kind", kOperationKindNames[std::size_t(operation.kind)]);
      value_or_nothing("args", operation.args);
      if (!waiting) text("status", kOperationStatusNames[std::size_t(operation.status)]);
      value_or_nothing("result", operation.result);
      value_or_nothing("immediate", operation.immediate);
      if (!operation.arrived_immediate.is_absent()) value("progress", operation.arrived_immediate);
      time("since", operation.created_ms);
      time("deadline", operation.due_ms);
      if (operation.sequence != 0) number("sequence", operation.sequence);
      if (operation.resets_to_come != 0) number("resets_to_come", operation.resets_to_come);
      for_each_operation_flag(operation, [this](std::string_view field, bool set) { flag(field, set); });
      for_each_operation_text(operation, [this](std::string_view field, const std::string& t) { text(field, t); });
      number("opened", k);
      close('}');
    }
    close(']');
  }

  void namespaces() {
    open("namespace", '{');
    for (const CellState& cell : state_.cells) {
      if (cell.defined) value(cell.name, cell.value);
    }
    close('}');
    open("before", '{');   // the turn, when it was not as it is now
    for (std::size_t k = 0; k < state_.cells.size(); ++k) {
      if (has_base_[k]) value(state_.cells[k].name, state_.cells[k].base);
    }
    close('}');
    out_.key("names");
    out_.open('[');
    for (const CellState& cell : state_.cells) out_.text(cell.name);
    out_.close(']');
  }

  void journal() {
    if (!state_.has_journal && state_.journal.empty()) {
      out_.key("journal");
      return out_.raw("null");
    }
    open("journal", '{');
    for (const JournalState& entry : state_.journal) value(entry.id, entry.value);
    close('}');
  }

  void records() {
    texts("prints", state_.prints);
    texts("warnings", state_.warnings);
    if (!state_.summaries.empty()) {
      out_.key("summaries");
      out_.open('[', Lines::Many);
      for (const StepSummary& summary : state_.summaries) {
        out_.open('{');
        whole_text("id", summary.id);
        text("text", summary.summary);
        out_.close('}');
      }
      out_.close(']');
    }
    texts("cancel_requests", state_.cancel_requests);
    value_or_nothing("context", state_.context);
    if (!state_.history.empty()) value_list("history", state_.history);
    value_or_nothing("budget", state_.budget);
  }

  void budgets() {
    const auto put = [this](std::string_view name, auto n) { number(name, n); };
    open("used", '{');
    for_each_budget_used(state_, put);
    close('}');
    open("limits", '{');
    for_each_limit(state_.limits, [this](const LimitInfo& limit, auto n) {
      const bool is_written = limit.field <= kLastWrittenLimitField || static_cast<std::uint64_t>(n) != limit.initial;
      if (limit.field != kLimitInSession && is_written) number(limit_member(limit), n);
    });
    text("outstanding", kOutstandingNames[std::size_t(state_.limits.outstanding)]);
    close('}');
    open("counters", '{');
    for_each_counter(state_, put);
    close('}');
  }

  void host_field(std::string_view name, const std::string& value) { text(name, value); }
  void host_field(std::string_view name, bool value) {
    out_.key(name);
    out_.raw(value ? "true" : "false");
  }
  void host_field(std::string_view name, int value) { number(name, value); }
  void host_field(std::string_view name, std::uint32_t value) { number(name, value); }
  void host_field(std::string_view name, std::uint64_t value) { number(name, value); }
  void host_field(std::string_view name, std::int64_t value) { number(name, value); }

  void session() {
    open("session", '{');
    const auto put = [this](std::string_view name, const auto& value) { host_field(name, value); };
    for_each_host_field(host_, state_.limits, put);
    out_.key("tools");
    out_.open('[', Lines::Many);
    for (const HostTool& tool : host_.tools) {
      out_.open('{');
      text("name", tool.name);
      if (tool.signature != 0) number("signature", tool.signature);
      text("effect", tool.effect);
      text("mode", kToolModeNames[tool.mode]);
      out_.close('}');
    }
    out_.close(']');
    open("cached_answers", '{');
    for (const auto& [key, cached] : host_.cached_answers) value(key, cached);
    close('}');
    if (!host_.approvals.empty()) {
      out_.key("approvals");
      out_.open('[', Lines::Many);
      for (const std::string& part : host_.approvals) out_.text(part);
      out_.close(']');
    }
    if (host_.waits_for_host) host_field("waits_for_host", true);
    close('}');
  }

  void programs() {
    out_.key("programs");
    out_.open('[', Lines::Many);
    for (const LinkState& link : state_.links) program(link);
    out_.close(']');
    number("running", state_.running);
  }

  void program(const LinkState& link) {
    const EncodedProgram& encoded = link.program->encoded();
    out_.open('{', Lines::Many);
    if (link.is_prelude) {
      flag("prelude", true);
    } else {
      text("source_name", link.program->source_name);
    }
    if (link.is_prelude || !options_.embed_programs) {
      std::string hash(2 * encoded.sha256.size() + 1, '\0');
      sodium_bin2hex(hash.data(), hash.size(), encoded.sha256.data(), encoded.sha256.size());
      hash.pop_back();
      text("sha256", hash);
    } else {
      text("source", link.program->source);
      constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
      std::string code(sodium_base64_encoded_len(encoded.bytes.size(), kVariant), '\0');
      sodium_bin2base64(code.data(), code.size(), encoded.bytes.data(), encoded.bytes.size(), kVariant);
      code.pop_back();
      text("bytecode", code);
    }
    const bool ordinary = link.is_prelude ? link.functions.empty() : link.functions == std::vector<std::uint32_t>{0};
    if (!ordinary) {
      out_.key("functions");
      out_.open('[');
      for (const std::uint32_t index : link.functions) out_.number(std::uint64_t{index});
      out_.close(']');
    }
    out_.close('}');
  }

  // What only the engine needs.
  void physical() {
    if (!state_.retired.empty()) value_list("retired", state_.retired);
    if (linked_.unlinked_names != 0) {
      out_.key("keywords");
      out_.open('[');
      for (std::size_t k = 0; k < linked_.unlinked_names; ++k) out_.text(linked_.names[k]->name());
      out_.close(']');
    }
    if (!linked_.foreign_shapes.empty()) {
      open("shapes", '[');
      for (std::uint32_t k = 0; const ValueWriter::Shape& shape : linked_.foreign_shapes) {
        values_.layout.enter(k++);
        values_.put_shape(shape.keys, shape.first_ordinal);
        values_.layout.leave();
      }
      close(']');
    }
    if (!values_.key_arrays().empty()) {
      open("key_arrays", '[');
      for (std::uint32_t k = 0; const KeyArray* keys : values_.key_arrays()) {
        values_.layout.enter(k++);
        values_.put_key_array(keys);
        values_.layout.leave();
      }
      close(']');
    }
    if (values_.has_postponed()) {
      open("objects", '{');
      values_.put_postponed();
      close('}');
    }
    const std::string layout = values_.layout.finish();
    if (layout.empty()) return;
    out_.key("layout");
    out_.raw(layout);
  }

  const MachineView& run_;
  const HostState& host_;
  const SnapshotOptions& options_;
  RunState state_;
  ValueWriter linked_;
  JsonText text_;
  JsonValueWriter all_values_;
  std::vector<bool> has_base_;
};

}  // namespace

std::string write_snapshot_json(const Run& run, const HostState& host, const SnapshotOptions& options) {
  return JsonWriter(MachineView(run), host, options).write();
}

}  // namespace ptc

#include "vm/snapshot/json/json_reader.h"

#include <algorithm>

#include <sodium/utils.h>

#include "schema/version.h"
#include "vm/exec/machine_state.h"
#include "vm/snapshot/frame_view.h"
#include "vm/snapshot/json/json_outline.h"
#include "vm/snapshot/program_entries.h"
#include "vm/snapshot/state_fields.h"

namespace ptc {
namespace {

constexpr std::size_t kMaxDepth = 160;   // of JSON; the writer stays well below

constexpr std::array<std::string_view, 32> kSections = {
    "format",  "oldest_reader", "engine",    "run",      "turn",      "suspended",       "fault",   "pending",
    "namespace", "before",      "names",     "journal",  "operations", "fibers",         "prints",  "warnings",
    "summaries", "cancel_requests", "context", "history", "budget",   "used",            "limits",  "counters",
    "session", "programs",      "running",   "retired",  "keywords",  "shapes",          "key_arrays", "objects"};

bool is_known_section(std::string_view name) {
  return name == "layout" || std::find(kSections.begin(), kSections.end(), name) != kSections.end();
}

bool from_hex(std::string_view text, std::vector<std::uint8_t>& out) {
  if (text.empty()) return true;
  if (text.size() % 2 != 0) return false;
  out.resize(text.size() / 2);
  std::size_t size = 0;
  const char* end = nullptr;
  return sodium_hex2bin(out.data(), out.size(), text.data(), text.size(), nullptr, &size, &end) == 0 &&
         end == text.data() + text.size() && size == out.size();
}

bool from_base64(std::string_view text, std::vector<std::uint8_t>& out) {
  if (text.empty()) return true;
  out.resize(text.size() / 4 * 3 + 3);
  std::size_t size = 0;
  const char* end = nullptr;
  const int status = sodium_base642bin(out.data(), out.size(), text.data(), text.size(), nullptr, &size, &end,
                                       sodium_base64_VARIANT_ORIGINAL);
  out.resize(size);
  return status == 0 && end == text.data() + text.size();
}

}  // namespace

bool JsonReader::report() {
  if (!problem_.found()) return true;
  return invalid(path_of(root_, problem_.at, problem_.member) + ": " + problem_.message);
}

bool JsonReader::may_begin_with(std::string_view text) {
  return json_outline(text, kMaxDepth, is_known_section) != JsonOutline::NoSnapshot;
}

bool JsonReader::damaged(const std::string& why) {
  error = {SnapshotError::Damaged, "no JSON that a snapshot could be: " + why};
  return false;
}

// Refuses a long text without a document when its top says so. Texts of older formats are for their migrations.
bool JsonReader::survey(std::string_view text) {
  const JsonSurvey found = json_survey(text, kMaxDepth, is_known_section);
  if (!found.complaint.empty()) return damaged(found.complaint);
  if (!found.format || !found.oldest_reader) return invalid("/format and /oldest_reader: must be whole numbers");
  if (auto unsupported = unsupported_format(*found.format, *found.oldest_reader)) {
    error = std::move(*unsupported);
    return false;
  }
  if (*found.format < kSnapshotOldestRead) return true;
  if (!found.unknown.empty()) return invalid("/" + found.unknown + ": unknown member");
  return found.has_programs || invalid("/programs: must be an array");
}

bool JsonReader::parse(std::string_view text) {
  text_bytes_ = text.size();
  if (!may_begin_with(text)) {
    error = {SnapshotError::NotASnapshot, "this JSON is no snapshot"};
    return false;
  }
  if (text.size() > kJsonHeadBytes && !survey(text)) return false;
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::error_code code;
  auto memory = json::make_shared_resource<json::monotonic_resource>();
  root_ = json::parse({text.data(), text.size()}, code, std::move(memory), options);
  if (code) {
    return damaged(code.message());
  }
  if (!root_.is_object() || !root_.get_object().contains("format") || !root_.get_object().contains("oldest_reader")) {
    error = {SnapshotError::NotASnapshot, "this JSON is no snapshot"};
    return false;
  }
  if (has_double_members(text, root_)) return invalid("an object names one of its members twice");
  JsonFields head({&root_, nullptr}, problem_);
  head.number("format", header_.format);
  head.number("oldest_reader", header_.oldest_reader);
  return report();
}

bool JsonReader::begin() {
  for (const auto& entry : root_.get_object()) {
    const std::string_view name(entry.key().data(), entry.key().size());
    if (!is_known_section(name)) return invalid("/" + std::string(name.substr(0, 80)) + ": unknown member");
  }
  const JsonNode in = section("limits");
  if (!in) return true;
  JsonFields fields(in, problem_);
  for_each_limit(limits_, [&](const LimitInfo& limit, auto& number) {
    if (limit.field != kLimitInSession) fields.number(limit_member(limit), number);
  });
  fields.choice("outstanding", kOutstandingNames, limits_.outstanding);
  fields.done();
  return report();
}

JsonNode JsonReader::section(std::string_view name) {
  const json::object& root = root_.get_object();
  const json::value* const layout = root.if_contains("layout");
  const json::object* const facts = layout != nullptr && layout->is_object() ? &layout->get_object() : nullptr;
  return {root.if_contains({name.data(), name.size()}), layout_below(facts, name)};
}

bool JsonReader::read_host(HostState& out) {
  const JsonNode in = section("session");
  if (!in) return true;
  JsonFields fields(in, problem_);
  const auto field = [&fields](std::string_view name, auto& value) {
    using Field = std::remove_reference_t<decltype(value)>;
    if constexpr (std::is_same_v<Field, bool>) {
      fields.flag(name, value);
    } else if constexpr (std::is_same_v<Field, std::string>) {
      fields.text(name, value);
    } else {
      fields.number(name, value);
    }
  };
  for_each_host_field(out, limits_, field);
  fields.list("tools", [&](JsonNode node) {
    HostTool& tool = out.tools.emplace_back();
    JsonFields one(node, problem_);
    one.text("name", tool.name);
    one.number("signature", tool.signature);
    one.text("effect", tool.effect);
    one.choice("mode", kToolModeNames, tool.mode);
    return one.done();
  });
  std::vector<std::pair<std::string, JsonNode>> cached;
  fields.members("cached_answers", [&](std::string_view key, JsonNode node) {
    cached.emplace_back(key, node);
    return true;
  });
  std::sort(cached.begin(), cached.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [key, node] : cached) {
    out.cached_answers.emplace_back(std::move(key), Value::nil());
    cached_answers_.push_back(node);
  }
  fields.texts("approvals", out.approvals);
  fields.flag("waits_for_host", out.waits_for_host);
  fields.done();
  return report();
}

bool JsonReader::read_programs(ProgramSource* known, RunState& out) {
  const JsonNode in = section("programs");
  if (!in || !in.doc->is_array()) return invalid("/programs: must be an array");
  for (const json::value& item : in.doc->get_array()) {
    if (!program({&item, nullptr}, known, out)) {
      report();
      return error.message.empty() ? invalid("programs") : false;
    }
  }
  std::uint32_t running = 0;
  JsonFields fields({&root_, nullptr}, problem_);
  fields.number("running", running);
  const JsonNode fibers = section("fibers");
  const bool in_turn = fibers && fibers.doc->is_array() && !fibers.doc->get_array().empty();
  return report() && set_running(running, in_turn, out, error);
}

bool JsonReader::program(JsonNode node, ProgramSource* known, RunState& out) {
  ProgramEntry entry;
  std::vector<std::uint8_t> bytes, hash;
  std::string code, hex, source, source_name;
  JsonFields fields(node, problem_);
  fields.flag("prelude", entry.prelude);
  fields.text("source_name", source_name);
  fields.text("source", source);
  fields.text("bytecode", code);
  fields.text("sha256", hex);
  fields.list("functions", [&](JsonNode index) {
    if (!index.doc->is_int64() || index.doc->get_int64() < 0 || index.doc->get_int64() > UINT32_MAX) {
      return problem_.fail(index.doc, "must be the index of a function");
    }
    if (!entry.functions) entry.functions.emplace();
    entry.functions->push_back(static_cast<std::uint32_t>(index.doc->get_int64()));
    return true;
  });
  if (!entry.functions && fields.is_object() && node.doc->get_object().contains("functions")) entry.functions.emplace();
  if (!fields.done()) return false;
  if (!from_base64(code, bytes)) return fields.fail("must be base64", "bytecode");
  if (!from_hex(hex, hash)) return fields.fail("must be hexadecimal digits", "sha256");
  entry.bytes = bytes;
  entry.sha256 = hash;
  if (!add_program(entry, known, out, error)) return false;
  const Program& loaded = *out.links.back().program;
  if (entry.prelude || code.empty()) return true;
  if (source != loaded.source) return fields.fail("is not what its bytecode was made from", "source");
  return source_name == loaded.source_name || fields.fail("is not the name in its bytecode", "source_name");
}

bool JsonReader::read_state(MachineState& run, RunState& out, HostState&) {
  run_ = &run;
  values_.emplace(run, root_, text_bytes_, problem_);
  JsonFields fields({&root_, nullptr}, problem_);
  std::vector<std::string> names;
  fields.texts("keywords", names);
  for (const std::string& name : names) run.heap().intern(name);
  cells(out);
  journal(out);
  operations(out);
  place(section("context"));
  const auto list = [this](std::string_view name, std::vector<Value>& values) {
    const JsonNode in = section(name);
    if (!in) return;
    JsonFields around({&root_, nullptr}, problem_);
    around.list(name, [&](JsonNode item) {
      place({item.doc, layout_below(in.layout, values.size())});
      values.push_back(Value::nil());
      return true;
    });
  };
  list("history", out.history);
  place(section("budget"));
  list("retired", out.retired);
  records(out);
  counters(out);
  const JsonNode fibers = section("fibers");
  if (fibers && !fibers.doc->is_array()) problem_.fail(fibers.doc, "must be an array");
  if (fibers && !problem_.found()) {
    const json::array& items = fibers.doc->get_array();
    for (std::size_t k = 0; k < items.size() && !problem_.found(); ++k) {
      fiber({&items[k], layout_below(fibers.layout, k)}, out);
    }
  }
  for (const JsonNode& node : cached_answers_) place(node);
  return report();
}

void JsonReader::cells(RunState& out) {
  const bool in_turn = [this] {
    const JsonNode fibers = section("fibers");
    return fibers && fibers.doc->is_array() && !fibers.doc->get_array().empty();
  }();
  JsonFields fields({&root_, nullptr}, problem_);
  std::vector<std::string> names;
  fields.texts("names", names);
  boost::unordered_flat_map<std::string_view, std::pair<JsonNode, JsonNode>> known;   // now, before
  const auto collect = [&](std::string_view section_name, bool now) {
    const JsonNode in = section(section_name);
    if (!in) return;
    JsonFields around({&root_, nullptr}, problem_);
    around.members(section_name, [&](std::string_view name, JsonNode node) {
      node.layout = layout_below(in.layout, name);
      auto& entry = known[name];
      (now ? entry.first : entry.second) = node;
      return true;
    });
  };
  collect("namespace", true);
  collect("before", false);
  std::size_t found = 0;
  for (const std::string& name : names) {
    CellState& cell = out.cells.emplace_back();
    cell.name = name;
    const auto at = known.find(name);
    const auto entry = at == known.end() ? std::pair<JsonNode, JsonNode>() : at->second;
    if (at != known.end()) ++found;
    cell.defined = static_cast<bool>(entry.first);
    place(entry.first);
    if (entry.second) {
      place(entry.second);
    } else {
      nothing(in_turn && cell.defined ? Place::What::AsBefore : Place::What::Absent);
    }
  }
  if (found != known.size()) fields.fail("must list every name of the namespace once", "names");
}

void JsonReader::journal(RunState& out) {
  const JsonNode in = section("journal");
  out.has_journal = in && !in.doc->is_null();
  if (!out.has_journal) return;
  JsonFields fields({&root_, nullptr}, problem_);
  fields.members("journal", [&](std::string_view id, JsonNode node) {
    out.journal.push_back({std::string(id), Value::nil()});
    place({node.doc, layout_below(in.layout, id)});
    return true;
  });
}

void JsonReader::records(RunState& out) {
  JsonFields fields({&root_, nullptr}, problem_);
  fields.texts("prints", out.prints);
  fields.texts("warnings", out.warnings);
  fields.texts("cancel_requests", out.cancel_requests);
  fields.list("summaries", [&](JsonNode node) {
    StepSummary& summary = out.summaries.emplace_back();
    JsonFields one(node, problem_);
    one.text("id", summary.id);
    one.text("text", summary.summary);
    return one.done();
  });
  fields.text("run", out.run_id);
  fields.number("turn", out.turn);
  fields.flag("suspended", out.suspended);
  const JsonNode fault = fields.find("fault");
  if (!fault) return;
  JsonFields one(fault, problem_);
  std::string kind;
  one.text("kind", kind);
  one.text("message", out.fault_message);
  one.text("hint", out.fault_hint);
  one.text("found", out.fault_found);
  const auto found = find_fault(kind);
  if (!found) one.fail("unknown fault", "kind");
  out.tool_failed = true;
  out.fault_kind = found.value_or(FaultKind{});
  one.done();
}

void JsonReader::counters(RunState& out) {
  const auto read = [this](std::string_view name, auto each) {
    const JsonNode in = section(name);
    if (!in) return;
    JsonFields fields(in, problem_);
    each([&](std::string_view field, auto& number) { fields.number(field, number); });
    fields.done();
  };
  read("used", [&](auto number) { for_each_budget_used(out, number); });
  read("counters", [&](auto number) { for_each_counter(out, number); });
  const std::uint64_t largest = std::max({out.turn, out.tool_calls, out.last_fresh_id, out.next_request});
  if (largest > UINT32_MAX) problem_.fail(&root_, "number out of range", "counters");
}

bool JsonReader::read_shapes() {
  const bool good = values_->read_shapes(section("shapes"));
  return report() && good;
}

bool JsonReader::read_values(std::vector<Value>& roots) {
  if (!values_->number_linked_objects(section("key_arrays"))) return report() ? invalid("values") : false;
  roots.reserve(places_.size());
  for (const Place& place : places_) {
    Value value = Value::nil();
    switch (place.what) {
      case Place::What::Nil: break;
      case Place::What::Absent: value = Value::absent(); break;
      case Place::What::AsBefore: value = retained(roots.back()); break;
      case Place::What::Function: {
        const std::vector<Value>& made = run_->links()[place.link].functions;
        if (place.function < made.size()) value = retained(made[place.function]);
        break;
      }
      case Place::What::Document:
        if (!values_->read(place.node, value)) return report() ? invalid("values") : false;
    }
    roots.push_back(value);
  }
  return true;
}

}  // namespace ptc

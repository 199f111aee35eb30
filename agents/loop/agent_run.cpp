#include "agents/loop/agent_run.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cstdlib>
#include <set>
#include <utility>

#include "agents/loop/agent_document.h"
#include "agents/loop/agent_node.h"
#include "agents/loop/conversation.h"
#include "agents/loop/document_json.h"
#include "agents/loop/document_text.h"
#include "agents/loop/result_json.h"
#include "agents/wire/json_number.h"
#include "ptcvm/json.hpp"

namespace ptcvm::loop {

namespace json = boost::json;

struct AgentRun::Impl {
  Impl(const Agent& made, std::unique_ptr<state::DocumentT> state)
      : agent(made), tree{agent.impl(), state->id, state->time_ms, state->keys_name_run, state->rules, {}} {
    take(std::move(state));
  }

  void take(std::unique_ptr<state::DocumentT> state) {
    document = std::move(state);
    root = std::make_unique<AgentNode>(tree, agent.impl().root(), *document->root, nullptr);
  }
  // Where anything but park() looks at the tree.
  AgentNode& awake() {
    if (root == nullptr) wake();
    return *root;
  }
  state::NodeT& state() { return awake().state(); }
  // The agent has the definition already, so the bytes do not.
  bool park() {
    if (root == nullptr) return true;
    if (root->is_in_stream()) return false;
    write_down(AgentNode::Face::Bytes);
    is_ended = root->is_ended();
    document->agent.clear();
    parked = write_document(*document);
    root.reset();
    document.reset();
    return true;
  }
  void wake() {
    auto read = read_document(std::exchange(parked, {}));
    if (!read) std::abort();   // our own bytes: a broken invariant
    (*read)->agent = agent.impl().definition_text;
    take(std::move(*read));
    if (!root->restore()) std::abort();
  }

  // Finds the agent that a path leads to, and takes its part of the path away.
  AgentNode& agent_of(std::string_view& path) {
    AgentNode* node = &awake();
    for (;;) {
      const auto slash = path.find('/');
      AgentNode* const below = slash == std::string_view::npos ? nullptr : node->child(path.substr(0, slash));
      if (below == nullptr) return *node;
      node = below;
      path.remove_prefix(slash + 1);
    }
  }
  void write_down(AgentNode::Face face) {
    awake().save(face);
    document->time_ms = tree.time_ms;
    document->version = written_version(*document);
    mend_texts(*document);
  }

  Agent agent;
  AgentTree tree;
  std::unique_ptr<state::DocumentT> document;   // null while the run is parked
  std::unique_ptr<AgentNode> root;              // null while the run is parked
  std::vector<std::byte> parked;
  bool is_ended = false;                        // while the run is parked
};

namespace {

Result<json::object> object_of(const std::string& text, std::string_view what) {
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  if (error || !value.is_object()) return loop_error(Errc::invalid_value, std::string(what) + " is no JSON object");
  return std::move(value.get_object());
}

// Returns what is wrong with the data that the signature names, or nullopt.
std::optional<std::string> data_misfit(const CompiledAgent& agent, const json::object& data) {
  if (!agent.signature || !agent.signature->has_params()) return std::nullopt;
  const auto bare = [](std::string_view name) {
    std::string out(name);
    std::ranges::replace(out, '-', '_');
    return out;
  };
  std::set<std::string> named;
  for (const SignatureField& field : agent.signature->params()) named.insert(bare(field.name));
  json::object given;
  for (const auto& [name, value] : data) {
    if (named.contains(bare(name))) given[name] = value;
  }
  const Value arguments = Value::of(json::value(std::move(given)));
  const auto bound = agent.signature->bind_params(arguments.view(), "data");
  return bound ? std::nullopt : std::optional(bound.error().message);
}

std::string no_limit(std::string_view name) {
  return "there is no limit \"" + std::string(name) + "\"; the limits are " + limit_names();
}

void set_deadline(state::NodeT& root, std::int64_t begin_ms) {
  if (root.limits->deadline_ms != 0) root.deadline_at_ms = begin_ms + root.limits->deadline_ms;
}

void raise_exhausted(AgentNode& node, std::string_view limit, std::uint64_t by, bool is_root) {
  if (!is_root && node.state().phase == state::Phase::Exhausted) node.budget().raise(limit, by);
  for (const auto& child : node.children()) raise_exhausted(*child, limit, by, false);
  node.raised();
}

}  // namespace

AgentRun::AgentRun(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
AgentRun::AgentRun(AgentRun&&) noexcept = default;
AgentRun& AgentRun::operator=(AgentRun&&) noexcept = default;
AgentRun::~AgentRun() = default;

Result<AgentRun> AgentRun::start(const Agent& agent, const AgentStart& start) {
  const auto data = object_of(start.data_json, "the data");
  if (!data) return data.error();
  if (const auto wrong = data_misfit(agent.impl().root(), *data)) {
    return loop_error(Errc::invalid_value, "the data does not fit the signature of the agent: " + *wrong);
  }
  return start_again(agent, start);
}

Result<AgentRun> AgentRun::start_again(const Agent& agent, const AgentStart& start) {
  const auto data = object_of(start.data_json, "the data");
  if (!data) return data.error();
  if (wire::has_infinite(*data)) {
    return loop_error(Errc::invalid_value, "the data has an invalid JSON number: it is beyond the largest float");
  }
  const auto journal = object_of(start.journal_json, "the journal");
  if (!journal) return journal.error();
  if (start.rules > kLastRules) return loop_error(Errc::invalid_value, "the run goes by rules of a later version");
  const CompiledAgent& root = agent.impl().root();
  auto document = std::make_unique<state::DocumentT>();
  document->id = start.id;
  document->time_ms = start.time_ms;
  document->keys_name_run = start.keys_name_run;
  document->rules = start.rules;
  document->agent = agent.impl().definition_text;
  document->root = std::make_unique<state::NodeT>();
  AgentNode::begin_state(*document->root, root, *data);
  state::NodeT& node = *document->root;
  set_deadline(node, start.time_ms);
  std::map<std::string, const json::value*> sorted;
  for (const auto& entry : *journal) sorted.emplace(entry.key(), &entry.value());
  for (const auto& [id, value] : sorted) {
    auto task = std::make_unique<state::NamedTextT>();
    task->name = id;
    task->text = Value::of(*value).to_edn();
    node.journal.push_back(std::make_unique<state::NamedTextT>(*task));
    node.opening_journal.push_back(std::move(task));
  }
  return AgentRun(std::make_unique<Impl>(agent, std::move(document)));
}

Result<AgentRun> AgentRun::restore(const Agent& agent, std::span<const std::byte> snapshot) {
  auto document = read_document(snapshot);
  if (!document) return document.error();
  if ((*document)->agent != agent.impl().definition_text) {
    return loop_error(Errc::refused,
                      "the run belongs to another definition of the agent; its own one is in the document");
  }
  auto impl = std::make_unique<Impl>(agent, std::move(*document));
  if (auto restored = impl->root->restore(); !restored) return restored.error();
  return AgentRun(std::move(impl));
}

Result<void> AgentRun::go_on_as(const Agent& agent) {
  if (&agent.impl() == &impl_->agent.impl()) return {};
  auto restored = restore(agent, snapshot());
  if (!restored) return restored.error();
  restored->impl_->tree.verdicts = std::move(impl_->tree.verdicts);
  *this = std::move(*restored);
  return {};
}

const std::string& AgentRun::id() const { return impl_->tree.id; }

AgentState AgentRun::step() {
  impl_->awake().go();
  return state();
}

bool AgentRun::park() { return impl_->park(); }

AgentState AgentRun::state() const {
  const bool is_ended = impl_->root == nullptr ? impl_->is_ended : impl_->root->is_ended();
  return is_ended ? AgentState::Ended : AgentState::Waiting;
}

std::vector<Operation> AgentRun::operations() const {
  std::vector<Operation> out;
  impl_->awake().list(out);
  std::sort(out.begin(), out.end(), [](const Operation& a, const Operation& b) { return a.path < b.path; });
  return out;
}

std::vector<std::string> AgentRun::pending() const {
  std::vector<std::string> out;
  impl_->awake().list_paths(out);
  std::sort(out.begin(), out.end());
  return out;
}

void AgentRun::chunk(std::string_view path, std::string_view bytes) {
  AgentNode& node = impl_->agent_of(path);
  if (path == "model") node.chunk(bytes);
}

Result<void> AgentRun::resolve_model(std::string_view path, const ModelReply& reply) {
  AgentNode& node = impl_->agent_of(path);
  return path == "model" ? node.resolve_model(reply) : node.charge_given_up(path, reply);
}

std::optional<ModelChoice> AgentRun::model_of(std::string_view path) const {
  const AgentNode& node = impl_->agent_of(path);
  return node.model_of(path);
}

Result<void> AgentRun::lose_model(std::string_view path) {
  AgentNode& node = impl_->agent_of(path);
  if (path != "model") return node.unknown(path);
  return node.lose_model();
}

Result<void> AgentRun::defer_model(std::string_view path, std::int64_t due_ms) {
  AgentNode& node = impl_->agent_of(path);
  if (path != "model") return node.unknown(path);
  return node.defer_model(due_ms);
}

Result<void> AgentRun::resolve(std::string_view path, ValueView value) {
  return impl_->agent_of(path).resolve(path, value);
}

Result<void> AgentRun::reject(std::string_view path, std::string_view why) {
  return impl_->agent_of(path).reject(path, why);
}

Result<void> AgentRun::pend(std::string_view path) { return impl_->agent_of(path).pend(path); }
Result<void> AgentRun::begin_call(std::string_view path) { return impl_->agent_of(path).begin_call(path); }
Result<void> AgentRun::doubt(std::string_view path) { return impl_->agent_of(path).doubt(path); }

std::string AgentRun::doubt_path(std::string_view call) const {
  AgentNode& node = impl_->agent_of(call);
  return node.doubt_path(call);
}

Result<void> AgentRun::input(std::string_view text) {
  impl_->awake().say(text);
  return {};
}

Result<void> AgentRun::raise(std::string_view limit, std::uint64_t by) {
  if (!impl_->awake().budget().raise(limit, by)) {
    return loop_error(Errc::invalid_value, no_limit(limit));
  }
  raise_exhausted(impl_->awake(), limit, by, true);
  return {};
}

Result<void> AgentRun::lower(std::string_view limit, std::uint64_t most) {
  if ((limit != "money" || most != 0) && impl_->awake().budget().lower(limit, most)) return {};
  if (limit == "money") return loop_error(Errc::invalid_value, "a limit of money is at least 1");
  return loop_error(Errc::invalid_value, no_limit(limit));
}

std::optional<std::uint64_t> AgentRun::limit(std::string_view name) const {
  return impl_->awake().budget().limit(name);
}

void AgentRun::advance(std::int64_t time_ms) { impl_->tree.time_ms = std::max(impl_->tree.time_ms, time_ms); }

std::int64_t AgentRun::time_ms() const { return impl_->tree.time_ms; }

void AgentRun::turn_back(std::int64_t time_ms) { impl_->tree.time_ms = std::min(impl_->tree.time_ms, time_ms); }

Result<AgentRun> AgentRun::fork(std::uint32_t turns, std::string id, std::int64_t time_ms) const {
  if (turns > impl_->state().turns.size()) {
    const std::string has = std::to_string(impl_->state().turns.size());
    return loop_error(Errc::invalid_value,
                      "the run has " + has + " turns, and a fork at turn " + std::to_string(turns) + " was asked for");
  }
  if (auto readable = impl_->awake().check_data(); !readable) return readable.error();
  auto document = read_document(snapshot());
  if (!document) return document.error();
  (*document)->id = std::move(id);
  (*document)->keys_name_run = true;   // it has no calls yet
  (*document)->rules = kAgentRules;
  (*document)->time_ms = std::max((*document)->time_ms, time_ms);
  set_deadline(*(*document)->root, (*document)->time_ms);
  AgentNode::keep_turns(*(*document)->root, impl_->agent.impl().root(), turns);
  return AgentRun(std::make_unique<Impl>(impl_->agent, std::move(*document)));
}

std::vector<std::pair<std::string, std::string>> AgentRun::take_verdicts() {
  return std::exchange(impl_->tree.verdicts.made, {});
}

Result<void> AgentRun::recall_verdict(std::string_view point, std::string_view verdict) {
  auto read = read_verdict(verdict);
  if (!read) return read.error();
  impl_->tree.verdicts.known.emplace(point, *std::move(read));
  return {};
}

AgentOutcome AgentRun::outcome() const {
  const state::NodeT& node = impl_->state();
  AgentOutcome out;
  out.is_ok = impl_->awake().is_ended() && node.end_reason.empty();
  out.result_json = node.result.empty() ? "null" : node.result;
  out.reason = node.end_reason;
  out.message = node.end_message;
  out.fallback_used = node.is_fallback;
  out.repaired = node.is_repaired;
  return out;
}

AgentUsage AgentRun::usage() const {
  const state::NodeT& node = impl_->state();
  const state::UsageT& used = *node.usage;
  return {static_cast<std::uint32_t>(node.turns.size()), used.turns, used.model_calls, used.tool_calls, used.fuel,
          used.input, used.cached, used.cache_written, used.output, used.reasoning, used.money};
}

std::vector<std::pair<std::string, std::string>> AgentRun::journal() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& task : impl_->state().journal) out.emplace_back(task->name, task->text);
  return out;
}

std::string_view AgentRun::turn_kind(std::uint32_t number) const {
  const auto& turns = impl_->state().turns;
  return number >= 1 && number <= turns.size() ? turn_status(turns[number - 1]->kind) : std::string_view();
}

std::vector<TurnView> AgentRun::turns() const {
  std::vector<TurnView> out;
  for (const auto& turn : impl_->state().turns) {
    TurnView view;
    view.number = static_cast<std::uint32_t>(out.size() + 1);
    view.kind = turn_status(turn->kind);
    view.program = turn->program;
    view.feedback = turn->feedback;
    view.value = turn->value;
    view.repaired = turn->is_repaired;
    for (const auto& reply : turn->replies) {
      view.reply += reply->text;
      for (const auto& call : reply->calls) view.feedback += call->result;
    }
    out.push_back(std::move(view));
  }
  return out;
}

std::vector<std::byte> AgentRun::snapshot() const {
  impl_->write_down(AgentNode::Face::Bytes);
  return write_document(*impl_->document);
}

std::string AgentRun::snapshot_json() const {
  impl_->write_down(AgentNode::Face::Json);
  return write_document_json(*impl_->document);
}

}  // namespace ptcvm::loop

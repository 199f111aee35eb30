#include "agents/harness/facts/planner_calls.h"

#include <algorithm>

#include "agents/harness/facts/fact.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

struct EndName {
  CallEnd end;
  std::string_view name;
};
constexpr EndName kEndNames[] = {
    {CallEnd::Returned, "returned"}, {CallEnd::Failed, "failed"}, {CallEnd::NotMade, "not_made"}};

}  // namespace

json::object begun_json(const PlannerCall& call) {
  json::object body{{"call", call.key}, {"run", call.run}, {"tool", call.tool}, {"args", call.args_json}};
  if (!call.answered_by.empty()) body["answered_by"] = call.answered_by;
  return body;
}

json::object ended_json(std::string_view key, CallEnd end, std::string_view outcome) {
  const auto* const row = std::ranges::find(kEndNames, end, &EndName::end);
  return {{"call", key}, {"end", row == std::end(kEndNames) ? std::string_view() : row->name}, {"outcome", outcome}};
}

void PlannerCalls::begun(const json::object& body) {
  const std::string_view key = text_of(body, "call");
  const auto known = std::ranges::find(calls_, key, &PlannerCall::key);
  PlannerCall& call = known == calls_.end() ? calls_.emplace_back() : *known;
  call.key = key;
  call.run = text_of(body, "run");
  call.tool = text_of(body, "tool");
  call.args_json = text_of(body, "args");
  call.answered_by = text_of(body, "answered_by");
  call.end = CallEnd::Open;
}

void PlannerCalls::ended(const json::object& body) {
  const auto known = std::ranges::find(calls_, text_of(body, "call"), &PlannerCall::key);
  const auto* const row = std::ranges::find(kEndNames, text_of(body, "end"), &EndName::name);
  if (known == calls_.end() || row == std::end(kEndNames)) return;
  known->end = row->end;
  known->outcome = text_of(body, "outcome");
  ++known->ends;
}

void PlannerCalls::committed(std::uint64_t seq, std::uint64_t writer) {
  for (PlannerCall& call : calls_) {
    if (call.committed_seq != 0 && !call.is_given_up) continue;
    call.committed_seq = seq;
    call.committed_writer = writer;
    call.is_given_up = false;
  }
}

void PlannerCalls::said(std::uint64_t seq) {
  for (PlannerCall& call : calls_) {
    if (!call.is_given_up) continue;
    call.is_given_up = false;
    call.committed_seq = seq;
  }
}

void PlannerCalls::rewound(std::uint64_t to) {
  for (PlannerCall& call : calls_) {
    if (call.committed_seq == 0 || call.committed_seq > to) call.is_given_up = true;
  }
}

void PlannerCalls::forget() {
  std::erase_if(calls_, [](const PlannerCall& call) { return call.end != CallEnd::Open; });
}

void PlannerCalls::dismissed(std::uint64_t writer) {
  for (PlannerCall& call : calls_) {
    if (writer != 0 && call.committed_writer == writer) call.is_given_up = true;
  }
}

const PlannerCall* PlannerCalls::find(std::string_view key) const {
  const auto found = std::ranges::find(calls_, key, &PlannerCall::key);
  return found == calls_.end() ? nullptr : &*found;
}

const PlannerCall* PlannerCalls::open() const {
  const auto found = std::ranges::find(calls_, CallEnd::Open, &PlannerCall::end);
  return found == calls_.end() ? nullptr : &*found;
}

std::vector<const PlannerCall*> PlannerCalls::given_up(std::string_view tool) const {
  std::vector<const PlannerCall*> found;
  for (const PlannerCall& call : calls_) {
    const bool was_made = call.answered_by.empty() && (call.end == CallEnd::Returned || call.end == CallEnd::Failed);
    if (call.is_given_up && was_made && call.tool == tool) found.push_back(&call);
  }
  return found;
}

bool PlannerCalls::is_used(const PlannerCall& call, std::string_view run) const {
  return std::ranges::any_of(calls_, [&call, run](const PlannerCall& other) {
    return other.run == run && other.answered_by == call.key;
  });
}

}  // namespace ptcvm::harness

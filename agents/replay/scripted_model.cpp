#include "agents/replay/scripted_model.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <utility>

#include "agents/replay/json_place.h"
#include "agents/replay/request_text.h"
#include "ptcvm/json.hpp"

namespace ptcvm::replay {

namespace {

namespace json = boost::json;

// Returns the path without the numbers of repeated calls: `broker#2/desk` is `broker/desk`.
std::string without_numbers(std::string_view path) {
  std::string plain;
  bool skips = false;
  for (const char c : path) {
    if (c == '#') skips = true;
    if (c == '/') skips = false;
    if (!skips) plain += c;
  }
  return plain;
}

std::string shown_path(std::string_view path) {
  return path.empty() ? std::string("the root") : "\"" + std::string(path) + "\"";
}

}  // namespace

Replayed<ScriptedModel> ScriptedModel::read(const json::array& lines) {
  ScriptedModel model;
  for (const json::value& line : lines) {
    auto read = read_script_line(line, model.entries_.size() + 1);
    if (auto* const failure = std::get_if<ReplayFailure>(&read)) return std::move(*failure);
    model.entries_.push_back({std::get<ScriptLine>(std::move(read))});
  }
  return model;
}

Replayed<ScriptedModel> ScriptedModel::read(std::string_view text) {
  ScriptedModel model;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    boost::system::error_code error;
    const json::value value = json::parse(line, error);
    if (error) {
      return ReplayFailure{std::string(kScriptInvalid),
                           "line " + std::to_string(number) + " is no JSON: " + json_problem(line, number)};
    }
    if (const std::string doubled = doubled_member(line); !doubled.empty()) {
      return ReplayFailure{std::string(kScriptInvalid),
                           "line " + std::to_string(number) + ": the member " + doubled + " is written twice"};
    }
    auto read = read_script_line(value, number);
    if (auto* const failure = std::get_if<ReplayFailure>(&read)) return std::move(*failure);
    model.entries_.push_back({std::get<ScriptLine>(std::move(read))});
  }
  return model;
}

ScriptedModel::Entry* ScriptedModel::next_for(std::string_view path) {
  for (const std::string& wanted : {std::string(path), without_numbers(path)}) {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return !entry.is_used && entry.line.path == wanted;
    });
    if (found != entries_.end()) return &*found;
  }
  return nullptr;
}

Replayed<ScriptedAnswer> ScriptedModel::answer(const ModelCall& call) {
  const auto text = RequestText::read(call.protocol, call.body);
  if (!text) return ReplayFailure{std::string(kRequestInvalid), "the request is no JSON object"};
  if (text->fault()) {
    return ReplayFailure{std::string(kRequestInvalid), "a request of " + shown_path(call.path) + ": " + *text->fault()};
  }
  const auto first = first_static_.try_emplace(without_numbers(call.path), text->static_bytes()).first;
  Entry* const entry = next_for(call.path);
  if (entry == nullptr) {
    return ReplayFailure{std::string(kScriptUsedUp), "the script has no line left for " + shown_path(call.path) +
                                                         "; the newest part of the request is:\n" + text->newest()};
  }
  if (entry->line.expect) {
    if (auto why = unmet(*entry->line.expect, call, first->second)) {
      return ReplayFailure{std::string(kScriptExpectation),
                           "line " + std::to_string(entry->line.number) + ": " + *why};
    }
  }
  entry->is_used = true;
  return ScriptedAnswer{answer_of(entry->line, call), entry->line.delay_ms, entry->line.number};
}

void ScriptedModel::give_back(std::size_t line) {
  for (Entry& entry : entries_) {
    if (entry.line.number == line) entry.is_used = false;
  }
}

void ScriptedModel::skip(std::string_view path, std::size_t count) {
  for (; count > 0; --count) {
    Entry* const entry = next_for(path);
    if (entry == nullptr) return;
    entry->is_used = true;
  }
}

std::size_t ScriptedModel::lines_left() const {
  return static_cast<std::size_t>(
      std::count_if(entries_.begin(), entries_.end(), [](const Entry& entry) { return !entry.is_used; }));
}

}  // namespace ptcvm::replay

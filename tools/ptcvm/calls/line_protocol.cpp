#include "tools/ptcvm/calls/line_protocol.h"

#include <charconv>
#include <optional>
#include <utility>

#include "ptcvm/convert.hpp"
#include "tools/ptcvm/text/raw_members.h"

namespace ptcvm::cli {
namespace {

std::string quoted_json(std::string_view text) { return Value::of(std::string(text)).to_json(); }

using Members = std::map<std::string_view, std::string_view>;

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

stdio::LineEnd not_an_answer(std::string_view line) {
  return {"its process wrote a line that is no answer to an open call: " + std::string(line.substr(0, 200))};
}

}  // namespace

void LineProtocol::begin() {
  open_.clear();
  outgoing_.clear();
  answers_.clear();
}

void LineProtocol::send(const stdio::ProcessCall& call) {
  open_[++last_id_] = call.call;
  outgoing_ += "{\"id\":" + std::to_string(last_id_) + ",\"tool\":" + quoted_json(call.tool) + ",\"args\":";
  outgoing_.append(call.args_json).append(",\"key\":").append(quoted_json(call.key));
  if (call.fencing_token != 0) outgoing_ += ",\"fencing_token\":" + std::to_string(call.fencing_token);
  outgoing_ += "}\n";
}

// The value goes to the run as the process wrote it: the run counts what it reads.
stdio::LineEnd LineProtocol::receive(std::string_view line, std::size_t most_bytes) {
  const auto members = raw_members(line);
  const auto member = [&members](std::string_view name) {
    const auto found = members ? members->find(name) : Members::const_iterator();
    return members && found != members->end() && found->second != "null" ? found->second : std::string_view();
  };
  const std::string_view id = member("id"), failed = member("error"), value = member("value");
  auto open = open_.end();
  if (members && id.empty() && open_.size() == 1) open = open_.begin();
  if (const auto number = whole_number(id)) open = open_.find(*number);
  if (open == open_.end() || (!failed.empty() && failed[0] != '"')) return not_an_answer(line);
  // The text of an error, its value, and the value while it is made.
  if ((failed.empty() ? value.size() : 3 * failed.size()) > most_bytes) return {"its answer has no room", true};
  using Kind = stdio::CallAnswer::Kind;
  if (failed.empty()) {
    answers_.push_back({open->second, Kind::Json, value.empty() ? "null" : std::string(value)});
  } else {
    const auto text = Value::from_json(failed);
    if (!text || !text->view().as_string()) return not_an_answer(line);
    answers_.push_back({open->second, Kind::Error, std::string(*text->view().as_string())});
  }
  open_.erase(open);
  return {};
}

std::string LineProtocol::take_outgoing() { return std::exchange(outgoing_, {}); }
std::vector<stdio::CallAnswer> LineProtocol::take_answers() { return std::exchange(answers_, {}); }

}  // namespace ptcvm::cli

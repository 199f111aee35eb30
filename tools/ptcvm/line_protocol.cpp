#include "tools/ptcvm/line_protocol.h"

#include <utility>

#include "ptcvm/convert.hpp"

namespace ptcvm::cli {
namespace {

std::string quoted_json(std::string_view text) { return Value::of(std::string(text)).to_json(); }

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

std::string LineProtocol::receive(std::string_view line) {
  const auto answer = Value::from_json(line);
  const ValueView read = answer ? answer->view() : ValueView();
  const ValueView id = read["id"];
  auto open = open_.end();
  if (read.kind() == ValueKind::Map && id.is_nil() && open_.size() == 1) open = open_.begin();
  if (const auto number = id.as_int()) open = open_.find(static_cast<std::uint64_t>(*number));
  const bool has_error = !read["error"].is_nil();
  if (open == open_.end() || (has_error && !read["error"].as_string())) {
    return "its process wrote a line that is no answer to an open call: " + std::string(line.substr(0, 200));
  }
  using Kind = stdio::CallAnswer::Kind;
  answers_.push_back({open->second, has_error ? Kind::Error : Kind::Json,
                      has_error ? std::string(*read["error"].as_string()) : read["value"].to_json()});
  open_.erase(open);
  return {};
}

std::string LineProtocol::take_outgoing() { return std::exchange(outgoing_, {}); }
std::vector<stdio::CallAnswer> LineProtocol::take_answers() { return std::exchange(answers_, {}); }

}  // namespace ptcvm::cli

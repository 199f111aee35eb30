#include "drivers/mcp/mcp_protocol.h"

namespace ptcvm::mcp {

void McpProtocol::list_tools() {
  is_listing_ = true;
  if (client_) client_->list_tools();
}

void McpProtocol::begin() {
  const bool lists = is_listing_ && !client_;    // a list is read once
  client_.emplace();
  client_->connect();
  if (lists) client_->list_tools();
  is_listing_ = lists;
}

void McpProtocol::send(const stdio::ProcessCall& call) {
  client_->call(call.call, {call.tool, call.args_json, call.key, call.fencing_token, call.renamed});
}

bool McpProtocol::cancel(std::uint64_t call) {
  client_->cancel(call, "there was no answer in time");
  return true;
}

stdio::LineEnd McpProtocol::receive(std::string_view line, std::size_t most_bytes) {
  client_->receive(line, most_bytes);
  if (!client_->failure()) return {};
  return {client_->failure()->text(), client_->failure()->fault == McpFault::NoMemory};
}

std::string McpProtocol::take_outgoing() {
  std::string out;
  if (!client_) return out;
  for (const std::string& message : client_->take_outgoing()) out.append(message).append("\n");
  return out;
}

std::vector<stdio::CallAnswer> McpProtocol::take_answers() {
  std::vector<stdio::CallAnswer> out;
  if (!client_) return out;
  for (CallEnd& end : client_->take_ends()) {
    const auto kind = end.is_error ? stdio::CallAnswer::Kind::Error : stdio::CallAnswer::Kind::Json;
    out.push_back({end.call, kind, std::move(end.text)});
  }
  return out;
}

std::string McpProtocol::take_notes() {
  std::string out;
  if (!client_) return out;
  for (const std::string& note : client_->take_notes()) out.append(note).append("\n");
  return out;
}

}  // namespace ptcvm::mcp

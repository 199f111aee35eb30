// JSON-RPC 2.0, as the agent-to-agent protocol (A2A 0.3) uses it.
#pragma once
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <variant>

namespace ptcvm::a2a {

// Codes of errors.
enum class RpcCode : int {
  Parse = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  Internal = -32603,
  TaskNotFound = -32001,
  Unsupported = -32004,
  WrongContent = -32005,  // of clients: the server reads no such parts
  TryAgain = -32050,      // of ptcvm: the request was not carried out, and may be made again later
};

struct RpcRequest {
  boost::json::value id;          // a text, a number or null
  std::string method;
  boost::json::object params;
};

// An error of a method.
struct RpcFailure {
  RpcCode code{};
  std::string message;
};

// Reads a request, or returns the answer that refuses it. Members that the protocol does not know are left alone; one
// that is written twice is refused.
std::variant<RpcRequest, boost::json::object> read_rpc(std::string_view body);
boost::json::object rpc_result(const boost::json::value& id, boost::json::value result);
boost::json::object rpc_error(const boost::json::value& id, const RpcFailure& failure);

}  // namespace ptcvm::a2a

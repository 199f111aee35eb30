#include "agents/a2a/json_rpc.h"

#include <boost/json/parse.hpp>

#include "agents/a2a/request_id.h"
#include "ptcvm/json.hpp"

namespace ptcvm::a2a {

namespace json = boost::json;

std::variant<RpcRequest, json::object> read_rpc(std::string_view body) {
  boost::system::error_code error;
  json::value value = json::parse(body, error);
  if (error) return rpc_error(nullptr, {RpcCode::Parse, "the body is no JSON"});
  if (!value.is_object()) return rpc_error(nullptr, {RpcCode::InvalidRequest, "the body must be one JSON object"});
  const json::object& object = value.get_object();
  const std::string doubled = doubled_member(body);
  const RpcFailure twice{RpcCode::InvalidRequest, "the member " + doubled + " is written twice"};
  if (doubled == "/id") return rpc_error(nullptr, twice);
  RpcRequest request;
  if (const json::value* const id = object.if_contains("id")) request.id = *id;
  if (request.id.is_structured() || request.id.is_bool()) {
    return rpc_error(nullptr, {RpcCode::InvalidRequest, "id: must be a text or a number"});
  }
  if (request.id.is_number()) {
    const std::optional<json::value> kept = kept_number(request_id_text(body));
    if (!kept) {
      return rpc_error(nullptr, {RpcCode::InvalidRequest, "id: must be a number that a float of 64 bits keeps"});
    }
    request.id = *kept;
  }
  if (!doubled.empty()) return rpc_error(request.id, twice);
  const json::value* const version = object.if_contains("jsonrpc");
  const json::value* const method = object.if_contains("method");
  if (version == nullptr || *version != json::value("2.0") || method == nullptr || !method->is_string()) {
    return rpc_error(request.id, {RpcCode::InvalidRequest, "a request must have \"jsonrpc\": \"2.0\" and a method"});
  }
  request.method = method->get_string();
  const json::value* const params = object.if_contains("params");
  if (params != nullptr && !params->is_object()) {
    return rpc_error(request.id, {RpcCode::InvalidParams, "params: must be an object"});
  }
  if (params != nullptr) request.params = params->get_object();
  return request;
}

json::object rpc_result(const json::value& id, json::value result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

json::object rpc_error(const json::value& id, const RpcFailure& failure) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", static_cast<int>(failure.code)}, {"message", failure.message}}}};
}

}  // namespace ptcvm::a2a

#include "agents/chain/model_usage.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "agents/chain/json_member.h"

namespace ptcvm::chain {

namespace json = boost::json;

json::value usage_json(const ModelUsage& usage) {
  if (!usage.is_known()) return nullptr;
  return json::array{usage.input_tokens, usage.output_tokens};
}

ModelUsage read_usage(const json::value* value) {
  const json::array* const pair = value == nullptr ? nullptr : value->if_array();
  if (pair == nullptr || pair->size() != 2 || !(*pair)[0].is_int64() || !(*pair)[1].is_int64()) return {};
  return {(*pair)[0].get_int64(), (*pair)[1].get_int64(), 1};
}

json::value kept_reply(std::string text, const ModelUsage& usage) {
  if (!usage.is_known()) return json::value(text);
  return json::object{{"text", text}, {"tokens", usage_json(usage)}};
}

std::string reply_text(const json::value& kept) {
  if (kept.is_string()) return std::string(kept.get_string());
  return kept.is_object() ? member_text(kept.get_object(), "text") : std::string();
}

ModelUsage reply_usage(const json::value& kept) {
  return kept.is_object() ? read_usage(kept.get_object().if_contains("tokens")) : ModelUsage();
}

}  // namespace ptcvm::chain

#include "agents/chain/text/model_usage.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "agents/chain/text/json_member.h"

namespace ptcvm::chain {

namespace json = boost::json;

json::value usage_json(const ModelUsage& usage) {
  if (!usage.is_known()) return nullptr;
  return json::array{usage.input_tokens, usage.output_tokens};
}

json::value reply_usage_json(const ModelUsage& usage) {
  if (usage.calls == 1) return usage_json(usage);
  return json::array{usage.input_tokens, usage.output_tokens, usage.calls};
}

ModelUsage read_usage(const json::value* value) {
  const json::array* const found = value == nullptr ? nullptr : value->if_array();
  if (found == nullptr || found->size() < 2 || found->size() > 3) return {};
  boost::system::error_code error;
  if (!(*found)[0].is_int64() || !(*found)[1].is_int64()) return {};
  const auto calls = found->size() == 3 ? (*found)[2].to_number<std::uint32_t>(error) : 1;
  return {(*found)[0].get_int64(), (*found)[1].get_int64(), error ? 1 : calls};
}

json::value kept_reply(std::string text, const ModelUsage& usage) {
  if (!usage.is_known() && usage.calls == 1) return json::value(text);
  return json::object{{"text", text}, {"tokens", reply_usage_json(usage)}};
}

json::value kept_refusal(std::string error) { return json::object{{"refused", std::move(error)}}; }

std::string reply_refusal(const json::value& kept) {
  return kept.is_object() ? member_text(kept.get_object(), "refused") : std::string();
}

std::string reply_text(const json::value& kept) {
  if (kept.is_string()) return std::string(kept.get_string());
  return kept.is_object() ? member_text(kept.get_object(), "text") : std::string();
}

ModelUsage reply_usage(const json::value& kept) {
  if (!reply_refusal(kept).empty()) return {.calls = 0};
  return kept.is_object() ? read_usage(kept.get_object().if_contains("tokens")) : ModelUsage();
}

}  // namespace ptcvm::chain

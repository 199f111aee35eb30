#include "agents/loop/hook_verdicts.h"

#include <array>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace ptcvm::loop {

namespace json = boost::json;

namespace {

constexpr std::array<std::pair<std::string_view, HookVerdict::Kind>, 4> kKinds{
    {{"allow", HookVerdict::Kind::Allow},
     {"change", HookVerdict::Kind::Change},
     {"deny", HookVerdict::Kind::Deny},
     {"ask", HookVerdict::Kind::Ask}}};

Error unreadable(const std::string& why) {
  return {Errc::invalid_value, "the verdict of a hook cannot be read: " + why, std::nullopt, {}};
}

}  // namespace

HookVerdict failed_hook(std::string why) {
  return {HookVerdict::Kind::Deny, Value::of(kHookFailed), std::move(why)};
}

bool is_failed_hook(const HookVerdict& verdict) {
  return verdict.kind == HookVerdict::Kind::Deny && verdict.args.view().as_string() == kHookFailed;
}

std::string write_verdict(const HookVerdict& verdict) {
  json::object out;
  for (const auto& [name, kind] : kKinds) {
    if (kind == verdict.kind) out["kind"] = name;
  }
  if (verdict.kind == HookVerdict::Kind::Change) out["args"] = verdict.args.to_edn();
  if (!verdict.text.empty()) out["text"] = verdict.text;
  if (is_failed_hook(verdict)) out["reason"] = kHookFailed;
  return json::serialize(out);
}

Result<HookVerdict> read_verdict(std::string_view text) {
  boost::system::error_code error;
  const json::value body = json::parse(text, error);
  if (error || !body.is_object()) return unreadable("it is no JSON object");
  const auto member = [&](std::string_view name) {
    const json::value* const found = body.get_object().if_contains(name);
    return found != nullptr && found->is_string() ? std::string_view(found->get_string()) : std::string_view();
  };
  for (const auto& [name, kind] : kKinds) {
    if (name != member("kind")) continue;
    HookVerdict verdict{kind, {}, std::string(member("text"))};
    if (kind == HookVerdict::Kind::Deny && !member("reason").empty()) verdict.args = Value::of(member("reason"));
    if (kind != HookVerdict::Kind::Change) return verdict;
    auto args = Value::from_edn(member("args"));
    if (!args) return args.error();
    verdict.args = *std::move(args);
    return verdict;
  }
  return unreadable("its kind is none of allow, change, deny and ask");
}

}  // namespace ptcvm::loop

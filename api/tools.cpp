#include "ptcvm/tools.hpp"

#include <algorithm>
#include <array>
#include <exception>

#include "api/callable_fit.h"
#include "api/errors.h"
#include "api/tools_access.h"
#include "ptcvm/effects.hpp"
#include "vm/value/utf8.h"

namespace ptcvm {
namespace {

constexpr std::array<ptc::AsyncMode, 3> kModes = {ptc::AsyncMode::No, ptc::AsyncMode::Yes, ptc::AsyncMode::Auto};

// The public enum names the classes of effects.def, in the order of the table.
#define EFFECT(id, name, in_doubt, record, what) \
  static_assert(static_cast<int>(Effect::id) == static_cast<int>(ptc::EffectClass::id));
#include "schema/effects.def"
#undef EFFECT
static_assert(ptc::kEffectClasses.size() == static_cast<std::size_t>(Effect::Reconcilable) + 1);

Error signature_error(const std::string& tool, const ptc::SignatureError& error) {
  return host_error(Errc::invalid_signature,
                    "tool " + tool + ": " + error.message + " at column " + std::to_string(error.column));
}

// Read, and checked against what the callable takes.
Result<std::shared_ptr<const ptc::Signature>> read_signature(const std::string& tool, std::string_view text,
                                                             std::optional<std::span<const ValueShape>> shapes) {
  std::shared_ptr<const ptc::Signature> signature;
  if (!text.empty()) {
    auto parsed = ptc::parse_signature(text);
    if (const auto* error = std::get_if<ptc::SignatureError>(&parsed)) return signature_error(tool, *error);
    signature = std::make_shared<const ptc::Signature>(std::get<ptc::Signature>(std::move(parsed)));
  }
  const std::size_t named = signature == nullptr ? 0 : signature->params.size();
  if (shapes && named != shapes->size()) {
    return host_error(Errc::invalid_value, "tool " + tool + ": its callable takes " + std::to_string(shapes->size()) +
                                               " arguments, its signature names " + std::to_string(named));
  }
  const std::string misfit = shapes && signature != nullptr ? misfit_of(signature->params, *shapes) : "";
  if (!misfit.empty()) return host_error(Errc::invalid_value, "tool " + tool + ": " + misfit);
  return signature;
}

ptc::ToolDefinition definition_of(std::string name, std::string_view signature, const ToolOptions& options) {
  ptc::ToolDefinition out;
  out.name = std::move(name);
  out.signature = signature;
  out.cache = options.cache;
  out.async = kModes[static_cast<std::size_t>(options.mode)];
  out.effect = static_cast<ptc::EffectClass>(options.effect);
  out.retry = {options.retry.max_attempts, options.retry.first_delay.count(), options.retry.max_delay.count(),
               options.retry.factor, options.retry.jitter};
  return out;
}

// Calls a function of the host. What it throws is an error of its tool: nothing is thrown through the engine.
ToolReply reply_of_host(const ToolCall& call, const std::function<ToolReply()>& function) {
  try {
    return function();
  } catch (const std::exception& thrown) {
    return call.error(std::string("threw: ") + thrown.what());
  } catch (...) {
    return call.error("threw something that is no std::exception");
  }
}

// A function that throws knows nothing of the call: a person must say.
Reconciled knowledge_of(const std::function<Reconciled(ToolCall&)>& ask, ToolCall& call) {
  try {
    return ask(call);
  } catch (const std::exception& error) {
    return {.reason = error.what()};
  } catch (...) {
    return {};
  }
}

ptc::ReconcileHandler reconciler(std::function<Reconciled(ToolCall&)> ask, std::shared_ptr<const ToolExtras> extras) {
  if (!ask) return {};
  return [ask = std::move(ask), extras = std::move(extras)](const ptc::ToolCall& call) {
    ToolCall::Impl impl(call, extras.get());
    const Reconciled said = knowledge_of(ask, impl.face);
    ptc::Reconciled out;
    out.state = said.state == Reconciled::State::Happened ? ptc::Reconciled::State::Happened
                : said.state == Reconciled::State::DidNot ? ptc::Reconciled::State::DidNot
                                                          : ptc::Reconciled::State::Unknown;
    if (said.state == Reconciled::State::Happened) out.result = imported(call.heap, said.result);
    out.reason = ptc::utf8_repaired(said.reason);
    return out;
  };
}

}  // namespace

bool is_called_again(Effect effect) { return ptc::is_called_again(static_cast<ptc::EffectClass>(effect)); }

std::string_view effect_name(Effect effect) { return ptc::effect_class_name(static_cast<ptc::EffectClass>(effect)); }

std::optional<Effect> find_effect(std::string_view name) {
  const auto found = ptc::find_effect_class(name);
  return found ? std::optional(static_cast<Effect>(*found)) : std::nullopt;
}

Tools::Tools() : impl_(std::make_shared<Impl>()) {}

Result<void> Tools::add_handler(std::string name, std::string_view signature, Handler handler, ToolOptions options,
                                std::optional<std::span<const ValueShape>> shapes) {
  auto read = read_signature(name, options.checks_signature ? signature : std::string_view(), shapes);
  if (!read) return std::move(read).error();
  auto extras = std::make_shared<const ToolExtras>(
      ToolExtras{options.description, std::string(signature), *read, options.deadline});
  ptc::ToolDefinition definition = definition_of(name, signature, options);
  definition.contract = *read;
  ptc::ToolHandler called;
  if (handler) {
    called = [handler = std::move(handler), extras](const ptc::ToolCall& call) {
      ToolCall::Impl impl(call, extras.get());
      return ToolAccess::taken(reply_of_host(impl.face, [&] { return handler(impl.face); }));
    };
  } else {
    definition.deferred = true;
  }
  if (impl_.use_count() > 1) impl_ = std::make_shared<Impl>(*impl_);
  if (impl_->registry.use_count() > 1) impl_->registry = std::make_shared<ptc::ToolRegistry>(*impl_->registry);
  impl_->registry->add(std::move(definition), std::move(called), reconciler(std::move(options.reconcile), extras));
  std::erase_if(impl_->extras, [&name](const auto& entry) { return entry.first == name; });
  impl_->extras.emplace_back(std::move(name), std::move(extras));
  return {};
}

Result<void> Tools::defer(std::string name, std::string_view signature, ToolOptions options) {
  return add_handler(std::move(name), signature, {}, std::move(options), std::nullopt);
}

Tools Tools::wrapped(Around around) const {
  const auto shared = std::make_shared<const Around>(std::move(around));
  Tools out;
  for (const auto& [name, extras] : impl_->extras) {
    const ptc::Tool& tool = *impl_->registry->find(name);
    ptc::ToolHandler called;
    if (tool.handler) {
      called = [shared, extras = extras, plain = tool.handler](const ptc::ToolCall& call) {
        ToolCall::Impl impl(call, extras.get());
        const auto next = [&] { return ToolAccess::made(call.heap, plain(call)); };
        return ToolAccess::taken(reply_of_host(impl.face, [&] { return (*shared)(impl.face, next); }));
      };
    }
    out.impl_->registry->add(tool.definition, std::move(called), tool.reconcile);
    out.impl_->extras.emplace_back(name, extras);
  }
  return out;
}

namespace {

ToolInfo info_of(const ptc::ToolDefinition& known, const ToolExtras& extras) {
  ToolInfo info;
  info.name = known.name;
  info.signature = extras.signature_text;
  info.description = extras.description;
  info.effect = static_cast<Effect>(known.effect);
  info.mode = static_cast<ToolMode>(std::find(kModes.begin(), kModes.end(), known.async) - kModes.begin());
  info.deferred = known.deferred;
  info.cache = known.cache;
  return info;
}

}  // namespace

std::optional<ToolInfo> Tools::find(std::string_view name) const {
  const ptc::Tool* const tool = impl_->registry->find(name);
  if (tool == nullptr) return std::nullopt;
  const auto extras = std::find_if(impl_->extras.begin(), impl_->extras.end(),
                                   [tool](const auto& entry) { return entry.first == tool->definition.name; });
  return info_of(tool->definition, *extras->second);
}

std::vector<ToolInfo> Tools::list() const {
  std::vector<ToolInfo> out;
  for (const auto& [name, extras] : impl_->extras) {
    out.push_back(info_of(impl_->registry->find(name)->definition, *extras));
  }
  std::sort(out.begin(), out.end(), [](const ToolInfo& a, const ToolInfo& b) { return a.name < b.name; });
  return out;
}

bool Tools::empty() const { return impl_->registry->empty(); }

std::shared_ptr<const ptc::ToolRegistry> ToolAccess::registry(const Tools& tools) { return tools.impl_->registry; }

ptc::ToolReply ToolAccess::taken(ToolReply reply) {
  ptc::ToolReply out = std::move(reply.impl_->reply);
  reply.impl_->reply.result = ptc::Value::nil();
  return out;
}

namespace {

using AfterTool = std::function<std::optional<Value>(ToolCall&, ValueView)>;

// Lets the hook see the answer, and puts another one in its place. When the hook throws, nobody has judged the answer:
// it is not given, and the call has failed.
void let_judge(const AfterTool& after_tool, const ptc::ToolCall& call, ptc::ToolReply& reply) {
  ToolCall::Impl impl(call, nullptr);
  std::string failure;
  try {
    const auto other = after_tool(impl.face, ValueAccess::view(reply.result, call.heap));
    if (!other) return;
    const ptc::Value replaced = imported(call.heap, *other);
    call.heap.release(reply.result);
    reply.result = replaced;
    return;
  } catch (const std::exception& thrown) {
    failure = std::string("hook_failed: after_tool threw: ") + thrown.what();
  } catch (...) {
    failure = "hook_failed: after_tool threw something that is no std::exception";
  }
  call.heap.release(reply.result);
  reply = ptc::ToolReply::error(std::move(failure));
}

}  // namespace

std::shared_ptr<const ptc::ToolRegistry> with_after_hook(
    std::shared_ptr<const ptc::ToolRegistry> tools, const AfterTool& after_tool) {
  if (!after_tool) return tools;
  auto hooked = std::make_shared<ptc::ToolRegistry>();
  for (const std::string_view name : tools->names()) {
    const ptc::Tool* const tool = tools->find(name);
    ptc::ToolHandler called;
    if (tool->handler) {
      called = [tools, tool, after_tool](const ptc::ToolCall& call) {
        ptc::ToolReply reply = tool->handler(call);
        if (!reply.failed && !reply.is_pending) let_judge(after_tool, call, reply);
        return reply;
      };
    }
    hooked->add(tool->definition, std::move(called), tool->reconcile);
  }
  return hooked;
}

}  // namespace ptcvm

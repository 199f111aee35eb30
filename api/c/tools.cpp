#include "api/c/tools.h"

namespace ptcvm::c {
namespace {

// Holds the data of the callback, which the last holder destroys once. The deleter runs also when there is no memory.
std::shared_ptr<void> held(void* user_data, void (*destroy)(void*)) {
  return {user_data, [destroy](void* data) {
            if (destroy != nullptr) destroy(data);
          }};
}

ToolReply reply_of(ptcvm_call_fn callback, void* user_data, ToolCall& call) {
  ptcvm_call handle{call, ptcvm_call::Asked::Answer, {}, {}, {}};
  callback(user_data, &handle);
  if (handle.reply) return std::move(*handle.reply);
  return call.error("the tool gave no answer");
}

Reconciled knowledge_of(ptcvm_call_fn callback, void* user_data, ToolCall& call) {
  ptcvm_call handle{call, ptcvm_call::Asked::Reconcile, {}, {}, {}};
  callback(user_data, &handle);
  return handle.reconciled ? std::move(*handle.reconciled) : Reconciled{};
}

template <class Enum>
Enum constant_in(int32_t given, Enum last) {
  require(given >= 0 && given <= static_cast<int32_t>(last), "no such constant");
  return static_cast<Enum>(given);
}

ToolOptions tool_options(const ptcvm_tool_options& given, const std::shared_ptr<void>& data) {
  ToolOptions out;
  out.effect = constant_in(given.effect, Effect::Reconcilable);
  out.mode = constant_in(given.mode, ToolMode::Auto);
  out.cache = given.cache != 0;
  require(given.first_delay_ms >= 0 && given.max_delay_ms >= 0 && given.deadline_ms >= 0, "a time is negative");
  out.deadline = std::chrono::milliseconds(given.deadline_ms);
  if (given.max_attempts > 1) out.retry.max_attempts = given.max_attempts;
  if (given.first_delay_ms > 0) out.retry.first_delay = std::chrono::milliseconds(given.first_delay_ms);
  if (given.max_delay_ms > 0) out.retry.max_delay = std::chrono::milliseconds(given.max_delay_ms);
  out.description = string_in(given.description);
  out.checks_signature = given.no_signature_check == 0;
  if (const ptcvm_call_fn ask = given.reconcile; ask != nullptr) {
    out.reconcile = [ask, data](ToolCall& call) { return knowledge_of(ask, data.get(), call); };
  }
  return out;
}

void note_question(ptcvm_tools& tools, const std::string& name, const ptcvm_tool_options& given) {
  tools.questions.erase(name);
  if (given.question.size > 0) tools.questions.emplace(name, text_in(given.question));
}

}  // namespace

Hooks hooks_in(const ptcvm_tools* tools, ptcvm_call_fn before_tool, void* before_tool_data) {
  const bool asks = tools != nullptr && !tools->questions.empty();
  Hooks out;
  if (before_tool == nullptr && !asks) return out;
  out.before_tool = [before_tool, before_tool_data, questions = asks ? tools->questions : decltype(tools->questions)()](
                        ToolCall& call) {
    ptcvm_call handle{call, ptcvm_call::Asked::Verdict, {}, {}, {}};
    if (before_tool != nullptr) before_tool(before_tool_data, &handle);
    if (handle.verdict) return std::move(*handle.verdict);
    const auto asked = questions.find(call.name());
    return asked == questions.end() ? HookVerdict::allow() : HookVerdict::ask(asked->second);
  };
  return out;
}

}  // namespace ptcvm::c

namespace c = ptcvm::c;

ptcvm_status ptcvm_tools_new(ptcvm_tools** out, ptcvm_error** error) {
  return c::guarded(out, error, [] { return std::make_unique<ptcvm_tools>(); });
}
void ptcvm_tools_free(ptcvm_tools* tools) { delete tools; }

ptcvm_status ptcvm_tools_defer(ptcvm_tools* tools, ptcvm_text name, ptcvm_text signature,
                               const ptcvm_tool_options* options, ptcvm_error** error) {
  return c::guarded(error, [&] {
    const ptcvm_tool_options given = c::options_in(options);
    ptcvm_tools& list = c::the(tools);
    const std::string tool = c::string_in(name);
    c::taken(list.tools.defer(tool, c::text_in(signature), c::tool_options(given, nullptr)));
    c::note_question(list, tool, given);
  });
}

ptcvm_status ptcvm_tools_add(ptcvm_tools* tools, ptcvm_text name, ptcvm_text signature, ptcvm_call_fn callback,
                             void* user_data, void (*destroy)(void* user_data), const ptcvm_tool_options* options,
                             ptcvm_error** error) {
  return c::guarded(error, [&] {
    const std::shared_ptr<void> data = c::held(user_data, destroy);
    const ptcvm_tool_options given = c::options_in(options);
    ptcvm_tools& list = c::the(tools);
    c::require(callback != nullptr, "the callback is NULL");
    const std::string tool = c::string_in(name);
    const auto called = [callback, data](ptcvm::ToolCall& call) { return c::reply_of(callback, data.get(), call); };
    c::taken(list.tools.add(tool, c::text_in(signature), called, c::tool_options(given, data)));
    c::note_question(list, tool, given);
  });
}

// One call of a tool, as its callable sees it.
#include "api/tools_access.h"
#include "vm/value/map.h"
#include "vm/value/string.h"

namespace ptcvm {
namespace {

// A hook that throws has not judged the call: the call is not made.
HookVerdict verdict_of(const std::function<HookVerdict(ToolCall&)>& before, ToolCall& call) {
  try {
    return before(call);
  } catch (const std::exception& thrown) {
    return HookVerdict::deny(std::string("hook_failed: before_tool threw: ") + thrown.what());
  } catch (...) {
    return HookVerdict::deny("hook_failed: before_tool threw something that is no std::exception");
  }
}

ptc::Value keyword(ptc::Heap& heap, std::string_view name) { return ptc::Value::of(heap.intern(name)); }

}  // namespace

ToolCall::Impl::Impl(const ptc::ToolCall& c, const ToolExtras* e) : call(c), extras(e), deadline(c.deadline) {
  if (extras == nullptr || extras->deadline.count() == 0) return;
  const ptc::Deadline own = std::chrono::steady_clock::now() + extras->deadline;
  if (!deadline || own < *deadline) deadline = own;
}

ToolCall::Impl::~Impl() {
  writer.reset();
  call.heap.release(partial);
}

std::string_view ToolCall::name() const { return impl_.call.name; }
ValueView ToolCall::args() const { return ValueAccess::view(impl_.call.args, impl_.call.heap); }
ValueView ToolCall::arg(std::size_t index) const { return args()[arg_name(index)]; }

std::string_view ToolCall::arg_name(std::size_t index) const {
  if (impl_.extras == nullptr || impl_.extras->signature == nullptr) return {};
  const auto& params = impl_.extras->signature->params;
  return index < params.size() ? std::string_view(params[index].name) : std::string_view();
}

std::string_view ToolCall::run_id() const { return impl_.call.meta.run_id; }
std::uint64_t ToolCall::turn() const { return impl_.call.meta.turn; }
std::string_view ToolCall::task_id() const { return impl_.call.meta.task_id; }
std::string_view ToolCall::idempotency_key() const { return impl_.call.meta.idempotency_key; }
std::uint64_t ToolCall::fencing_token() const { return impl_.call.meta.fencing_token; }
std::uint32_t ToolCall::attempt() const { return static_cast<std::uint32_t>(impl_.call.attempt); }
std::optional<std::chrono::steady_clock::time_point> ToolCall::deadline() const { return impl_.deadline; }

bool ToolCall::expired() const {
  if (impl_.call.cancelled != nullptr && impl_.call.cancelled->load(std::memory_order_relaxed)) return true;
  return impl_.deadline && std::chrono::steady_clock::now() >= *impl_.deadline;
}

ValueWriter& ToolCall::reply_writer() {
  impl_.writer = std::make_unique<ValueWriter::Impl>(impl_.call.heap);
  return impl_.writer->writer;
}

ToolReply ToolCall::finish_reply() {
  return ToolAccess::made(impl_.call.heap, ptc::ToolReply::value(impl_.writer->finish()));
}

ValueWriter& ToolCall::partial_writer() { return reply_writer(); }

void ToolCall::finish_partial() {
  impl_.call.heap.release(impl_.partial);
  impl_.partial = impl_.writer->finish();
}

ToolReply ToolCall::value(Value&& x) {
  return ToolAccess::made(impl_.call.heap, ptc::ToolReply::value(imported(impl_.call.heap, x.view())));
}

ToolReply ToolCall::error(std::string message) const {
  return ToolAccess::made(impl_.call.heap, ptc::ToolReply::error(std::move(message)));
}

ToolReply ToolCall::unknown(std::string message) const {
  return ToolAccess::made(impl_.call.heap, ptc::ToolReply::unknown(std::move(message)));
}

ToolReply ToolCall::pending(std::string operation_id) const {
  return ToolAccess::made(impl_.call.heap, ptc::ToolReply::pending(std::move(operation_id)));
}

ToolReply ToolCall::pending(std::string operation_id, ValueView progress, std::chrono::milliseconds ttl) {
  ptc::ToolReply reply = ptc::ToolReply::pending(std::move(operation_id), imported(impl_.call.heap, progress));
  if (ttl.count() > 0) reply.ttl_ms = ttl.count();
  return ToolAccess::made(impl_.call.heap, std::move(reply));
}

ToolReply ToolCall::timed_out() {
  ptc::Heap& heap = impl_.call.heap;
  ptc::Value keys[] = {keyword(heap, "status"), keyword(heap, "partial")};
  ptc::Value values[] = {keyword(heap, "timed-out"), ptc::retained(impl_.partial)};
  ptc::ToolReply reply = ptc::ToolReply::partial(ptc::map_from(heap, keys, values));
  return ToolAccess::made(heap, std::move(reply));
}

ToolReply::ToolReply(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ToolReply::ToolReply(ToolReply&&) noexcept = default;
ToolReply& ToolReply::operator=(ToolReply&&) noexcept = default;
ToolReply::~ToolReply() = default;

std::function<ptc::ToolVerdict(const ptc::ToolCall&)> runtime_hook(std::function<HookVerdict(ToolCall&)> before) {
  if (!before) return {};
  return [before = std::move(before)](const ptc::ToolCall& call) {
    ToolCall::Impl impl(call, nullptr);
    const HookVerdict said = verdict_of(before, impl.face);
    using From = HookVerdict::Kind;
    using To = ptc::ToolVerdict::Kind;
    ptc::ToolVerdict verdict;
    verdict.kind = said.kind == From::Allow    ? To::Allow
                   : said.kind == From::Change ? To::Change
                   : said.kind == From::Deny   ? To::Deny
                                               : To::Ask;
    verdict.text = said.text;
    if (said.kind == From::Change) verdict.args = imported(call.heap, said.args);
    return verdict;
  };
}

}  // namespace ptcvm

// Tools of the public API as the runtime calls them.
#pragma once
#include <atomic>
#include <memory>

#include "api/value_access.h"
#include "ptcvm/run.hpp"
#include "ptcvm/tools.hpp"
#include "runtime/signature/signature.h"
#include "runtime/calls/tools.h"

namespace ptcvm {

// What the runtime does not know of a tool.
struct ToolExtras {
  std::string description, signature_text;
  std::shared_ptr<const ptc::Signature> signature;   // null: none
  std::chrono::milliseconds deadline{0};
};

struct PTCVM_HIDDEN Tools::Impl {
  // Runs share the registry: who adds while one does makes a new one.
  std::shared_ptr<ptc::ToolRegistry> registry = std::make_shared<ptc::ToolRegistry>();
  std::vector<std::pair<std::string, std::shared_ptr<const ToolExtras>>> extras;   // by name
};

struct PTCVM_HIDDEN ToolReply::Impl {
  Impl(ptc::Heap& h, ptc::ToolReply r) : heap(h), reply(std::move(r)) {}
  ~Impl() { heap.release(reply.result); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ptc::Heap& heap;
  ptc::ToolReply reply;
};

struct PTCVM_HIDDEN ToolCall::Impl {
  Impl(const ptc::ToolCall& c, const ToolExtras* e);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const ptc::ToolCall& call;
  const ToolExtras* extras;              // may be null
  std::optional<ptc::Deadline> deadline;
  std::unique_ptr<ValueWriter::Impl> writer;
  ptc::Value partial = ptc::Value::nil();   // owned
  ToolCall face{*this};
};

struct ToolAccess {
  using Handler = Tools::Handler;
  static std::shared_ptr<const ptc::ToolRegistry> registry(const Tools& tools);
  static ToolReply made(ptc::Heap& heap, ptc::ToolReply reply) {
    return ToolReply(std::make_unique<ToolReply::Impl>(heap, std::move(reply)));
  }
  static ptc::ToolReply taken(ToolReply reply);
};

// Returns the runtime's hook for a hook of the host.
std::function<ptc::ToolVerdict(const ptc::ToolCall&)> runtime_hook(std::function<HookVerdict(ToolCall&)> before);
// Returns the same tools, with the hook behind each of them.
std::shared_ptr<const ptc::ToolRegistry> with_after_hook(
    std::shared_ptr<const ptc::ToolRegistry> tools,
    const std::function<std::optional<Value>(ToolCall&, ValueView)>& after_tool);

}  // namespace ptcvm

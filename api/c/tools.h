// Tools of C: a callback is wrapped into a callable that holds its user data.
#pragma once
#include <map>

#include "api/c/handles.h"
#include "ptcvm/run.hpp"
#include "ptcvm/tools.hpp"

struct ptcvm_tools {
  ptcvm::Tools tools;
  std::map<std::string, std::string, std::less<>> questions;   // by tool: those that ask about every call
};

// A call while a callback has it. Which of the answers count depends on what is asked.
struct ptcvm_call {
  enum class Asked : std::uint8_t { Answer, Reconcile, Verdict };

  ptcvm::ToolCall& call;
  Asked asked;
  std::optional<ptcvm::ToolReply> reply;              // Answer
  std::optional<ptcvm::Reconciled> reconciled;        // Reconcile
  std::optional<ptcvm::HookVerdict> verdict;          // Verdict
};

namespace ptcvm::c {

// Returns the hooks of a run: what the host judges, then what the tools ask about.
Hooks hooks_in(const ptcvm_tools* tools, ptcvm_call_fn before_tool, void* before_tool_data);
inline Tools tools_in(const ptcvm_tools* tools) { return tools == nullptr ? Tools() : tools->tools; }

}  // namespace ptcvm::c

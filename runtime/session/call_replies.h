// Puts into the run what a call came to. The reply of a tool is foreign data: it is made plain data of the tool's
// signature here, or the call fails. The reader of the outbox hears of it before the program does.
#pragma once
#include <cstdint>
#include <string>

#include "runtime/calls/tools.h"
#include "runtime/session/answer_cache.h"
#include "runtime/session/outbox.h"
#include "vm/exec/run.h"

namespace ptc {

class CallReplies {
 public:
  // All of them must outlive the object.
  CallReplies(Run& run, Outbox& outbox, AnswerCache& cache) : run_(run), outbox_(outbox), cache_(cache) {}

  // Answers the call; takes the values of the reply. `request` is a copy: an answer moves the requests of the run.
  // `cache_key` is "" for an answer that is not cached.
  void put(const ToolRequest& request, const Tool& tool, ToolReply taken, std::string cache_key, std::uint64_t micros);
  void put_cached(const ToolRequest& request, Value borrowed);
  // Ends the call with a fault of the program.
  void put_fault(const ToolRequest& request, FaultKind kind, std::string message, std::string hint = {},
                 std::uint64_t micros = 0, std::string found = {});

 private:
  void make_plain(ToolReply& reply);
  void fit(const Tool& tool, ToolReply& reply);
  void fail(ToolReply& reply, std::string message);
  void put_pending(const ToolRequest& request, AsyncMode mode, ToolReply reply, std::uint64_t micros);

  Run& run_;
  Outbox& outbox_;
  AnswerCache& cache_;
};

}  // namespace ptc

// Finds the program in a reply: in a call of run_program, else in a fenced block.
#pragma once
#include <string>
#include <string_view>

#include "agents/wire/reply.h"

namespace ptcvm::loop {

inline constexpr std::string_view kRunProgram = "run_program";

struct ReplyProgram {
  bool is_found = false;
  std::string program;    // as it was written
  std::string problem;    // what the model is told when nothing is found
};

ReplyProgram find_program(const wire::Reply& reply);

// Returns the stretch of a text that is JSON: the whole text, a fenced block, or the first object or list; or "".
std::string_view find_json_text(std::string_view text);

}  // namespace ptcvm::loop

// What both programs know: the tool. A run is restored where its tools are the same as where it was suspended.
#pragma once
#include <ptcvm/ptcvm.hpp>

#include <cstdio>
#include <string>

// [tool]
// Asks a manager. Nobody waits here: the answer comes later, to whatever process has the run then.
inline ptcvm::Tools approval_tools() {
  ptcvm::Tools tools;
  tools.add("ask_manager", "(amount :int) -> {approved :bool, by :string}",
            [](ptcvm::ToolCall& call) {
              std::printf("to the manager: %lld, please?\n", static_cast<long long>(*call.arg("amount").as_int()));
              return call.pending();
            },
            {.mode = ptcvm::ToolMode::Async})
      .value();
  return tools;
}
// [/tool]

inline int complain(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  return 1;
}

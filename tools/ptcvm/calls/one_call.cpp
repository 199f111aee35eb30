#include "tools/ptcvm/calls/one_call.h"

#include <cstdint>
#include <utility>

#include "tools/ptcvm/calls/command_calls.h"
#include "tools/ptcvm/calls/tools_file.h"

namespace ptcvm::cli {

CommandReply call_command(const ExternalTool& tool, WaitingCall call, std::string args_json,
                          const std::atomic<bool>& cancelled) {
  constexpr std::uint64_t kMostBytes = 16u << 20;
  CommandTools tools;
  add_command(tools, call.tool, CommandTool(tool, false));
  CommandCalls calls(tools, 1, &cancelled);
  call.id = 1;
  calls.begin(call, std::move(args_json));
  while (calls.is_waiting()) {
    for (CommandCalls::Ended& ended : calls.wait(kMostBytes)) return std::move(ended.reply);
  }
  CommandReply none;
  none.kind = CommandReply::Kind::Unknown;
  none.text = "the command of " + call.tool + " has not ended";
  return none;
}

}  // namespace ptcvm::cli

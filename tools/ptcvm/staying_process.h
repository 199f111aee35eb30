// A process of tools that stays: it reads one request a line, and writes one answer a line, in any order.
//
//   > {"id":1,"tool":"price","args":{"id":3},"key":"run:may@1#0"}
//   < {"id":1,"value":{"price":4.5}}
//   > {"id":2,"tool":"price","args":{"id":4},"key":"run:may@1#1"}
//   < {"id":2,"error":"there is no article 4"}
//
// The process is started when the first call needs it, and again when it has ended. A call that was open when the
// process ended has an unknown outcome: the effect class of its tool decides. "id" may be missing from an answer while
// one call is open. A call whose deadline is over stops the process, because nobody knows what the process does then.
#pragma once
#include <poll.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/run.hpp"
#include "tools/ptcvm/child_spawn.h"
#include "tools/ptcvm/external_tool.h"

namespace ptcvm::cli {

// Owned by one thread. The destructor stops the process.
class StayingProcess {
 public:
  explicit StayingProcess(ExternalTool tool) : tool_(std::move(tool)) {}
  ~StayingProcess();
  StayingProcess(const StayingProcess&) = delete;
  StayingProcess& operator=(const StayingProcess&) = delete;

  // Returns whether the process is the one that this tool wants.
  bool serves(const ExternalTool& tool) const;
  bool has_room() const { return open_.size() < tool_.in_flight; }
  // Sends a call. `tool` is the name that the call has in its request.
  void begin(const WaitingCall& call, const ExternalTool& tool, std::string_view args_json);

  struct Answer {
    std::uint64_t call = 0;
    CommandReply reply;
  };
  // Exchanges what can be exchanged, and returns the calls that are answered, failed or lost.
  std::vector<Answer> look();
  // Stops the process when it has open calls, which nobody waits for any more.
  void abandon();
  // Loses all open calls: look() says that nobody knows what became of them.
  void stop(const std::string& why);

  // Adds the descriptors on which the process may have something to say.
  void add_waits(std::vector<pollfd>& waits) const;
  std::size_t held_bytes() const { return requests_.capacity() + answers_.capacity(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Open {
    std::uint64_t call = 0;
    std::optional<Clock::time_point> deadline;
    std::string overdue;                         // what is said when the deadline is over
    std::string errors = {};                     // what the process wrote to its standard error since the call began
  };
  bool start(std::string& message);
  void write_requests();
  bool read_answers();
  void read_errors();
  void note_errors(std::string_view lines);
  void take_lines();
  bool take_line(std::string_view line);
  void check_end();
  void check_deadlines();
  void end_process();
  void lose_all(const std::string& why);

  const ExternalTool tool_;
  std::unique_ptr<ChildEnds> ends_;              // null: no process
  std::string requests_, answers_, errors_;      // not yet written; not yet a line; not yet shown
  std::size_t written_ = 0;                      // of requests_
  std::map<std::uint64_t, Open> open_;           // by the id of the request
  std::uint64_t last_id_ = 0;
  std::vector<Answer> done_;
};

}  // namespace ptcvm::cli

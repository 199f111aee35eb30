// The models of `ptcvm agent`: a script, a recording, a program, a mailbox, a server, or none. Each takes requests of a
// run and gives replies when they are there.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/loop/agent_run.h"
#include "agents/replay/model_call.h"
#include "agents/replay/replay_failure.h"

namespace ptcvm::cli {

// The reason of a run that needs a model where there is only a program.
inline constexpr std::string_view kModelRequired = "llm_required";

// The name of the model that a program in the place of a model has.
inline constexpr const char* kProgramModel = "program";

struct ModelAnswer {
  std::string path;                // names the operation
  loop::ModelReply reply;
  std::int64_t delay_ms = 0;       // virtual time that passes before the reply is there
  std::optional<replay::ReplayFailure> failure;   // set when no reply will ever come
};

class ModelSource {
 public:
  virtual ~ModelSource() = default;
  // True when replies are there at once: then the time of the run is virtual and nobody waits for a retry.
  virtual bool has_virtual_time() const { return true; }
  // Sends a request. The operation is not kept.
  virtual void ask(const loop::Operation& operation) = 0;
  // Returns what has come; when nothing has, waits at most so long.
  virtual std::vector<ModelAnswer> take(int most_ms) = 0;
  // True when a request that an earlier process sent is found by its key, so that it can be sent again.
  virtual bool keeps_requests(std::string_view agent_path) const { return (void)agent_path, false; }
  // Passes over replies that an earlier process of the run has used.
  virtual void skip(std::string_view agent_path, std::size_t replies) { (void)agent_path, (void)replies; }
};

using OnBytes = std::function<void(std::string_view path, std::string_view bytes)>;

struct OpenedModel {
  loop::ModelChoice choice;
  std::unique_ptr<ModelSource> source;
};

// Opens what --model names: scripted:FILE, replay:FILE, program:FILE, mailbox:DIR, or chat|responses|messages with
// :NAME[@URL]. `on_bytes` gets the bytes of streamed replies as they come. `agent_path` names the agent in whose place
// a program answers; "" is the root. Returns nullopt when the model cannot be opened; `message` then says why.
std::optional<OpenedModel> open_model(const std::string& text, bool is_stream, OnBytes on_bytes, std::string& message,
                                      std::string_view agent_path = {});

// Opens what an agent has that needs no model: each request fails with kModelRequired.
OpenedModel open_no_model();

// Wraps a source: every request and its reply are added to the file as lines of a recording.
std::unique_ptr<ModelSource> record_model(std::unique_ptr<ModelSource> source, const std::string& path,
                                          std::string& message);

// Reads a file that has a program for a turn. Returns nullopt and why when it cannot be read or is no text.
std::optional<std::string> read_turn_program(const std::string& file, std::string& message);

// Makes the reply of a model that calls run_program with this program.
loop::ModelReply program_reply(const loop::Operation& operation, const std::string& program);

// Shows an operation as the call that replayed models answer. The operation must outlive the call.
replay::ModelCall model_call(const loop::Operation& operation);

}  // namespace ptcvm::cli

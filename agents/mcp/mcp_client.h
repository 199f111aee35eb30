// The client of the Model Context Protocol (versions 2025-06-18, 2025-03-26 and 2024-11-05) as a state machine:
// messages go in and come out as text, and the machine has no socket, file, clock or thread. drivers/mcp runs it over a
// process.
//
//   McpClient client;
//   client.connect();                                  // initialize
//   client.list_tools();                               // tools/list, page by page, once the server is ready
//   client.call(1, {"write_file", "{\"path\":\"a\"}"});  // tools/call
//   for (const std::string& message : client.take_outgoing()) send(message);
//   client.receive(message);                           // each message that the server sends
//   for (const CallEnd& end : client.take_ends()) …
//
// A server cannot do harm: sizes, depths, ids and types are checked, lists end, and each thing that is wrong is a
// failure with a name (mcp_failure.h). After a failure the client sends and takes nothing. Requests of the server are
// answered: ping with an empty result, every other one with "method not found".
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/mcp/mcp_failure.h"
#include "agents/mcp/mcp_tool.h"

namespace ptcvm::mcp {

inline constexpr std::size_t kMostMessageBytes = 16u << 20, kMostTools = 1'000, kMostPages = 100;
inline constexpr std::size_t kMostDepth = 64;
inline constexpr std::size_t kMostListBytes = 4u << 20;   // what all pages of tools take in memory

// A call of a tool.
struct McpCall {
  std::string tool;            // as the server calls it
  std::string args_json;       // an object; nothing else reaches a server
  std::string key = {};        // the idempotency key, "" for none; sent as _meta "ptcvm/idempotencyKey"
  std::uint64_t fencing_token = 0;   // sent as _meta "ptcvm/fencingToken" unless it is 0
  std::vector<std::pair<std::string, std::string>> renamed = {};   // ToolOffer::renamed
};

// How a call ended.
struct CallEnd {
  std::uint64_t call = 0;      // the number that call() was given
  bool is_error = false;       // the tool or the server says that the call failed
  std::string text;            // JSON of the answer, or why the call failed
};

class BoundedMemory;

class McpClient {
 public:
  // Begins the handshake. Once, before everything else.
  void connect();
  // Asks for all tools.
  void list_tools();
  // Begins a call, under a number that no open call has. The call is sent once the server is ready.
  void call(std::uint64_t number, const McpCall& call);
  // Gives up a call: the server is told, and an answer that comes later is dropped.
  void cancel(std::uint64_t number, std::string_view reason);

  // Takes one message of the server: one JSON text, and no more memory than `most_bytes` beside the text.
  void receive(std::string_view message, std::size_t most_bytes = SIZE_MAX);
  // Returns the messages to send, each one JSON text without a line end.
  std::vector<std::string> take_outgoing();
  std::vector<CallEnd> take_ends();
  // Returns lines for a person: progress, what the server logs, and that its tools have changed.
  std::vector<std::string> take_notes();

  bool is_ready() const { return state_ == State::Ready; }
  bool is_listed() const { return is_listed_; }
  const std::vector<McpTool>& tools() const { return tools_; }
  // Returns whether the call was sent. A call that was not sent has had no effect.
  bool is_sent(std::uint64_t number) const;
  const std::string& version() const { return version_; }
  const std::optional<McpFailure>& failure() const { return failure_; }

 private:
  enum class State : std::uint8_t { New, Connecting, Ready };
  enum class Asked : std::uint8_t { Initialize, List, Call };
  struct Open {
    Asked asked{};
    std::uint64_t call = 0;
  };
  void fail(McpFault fault, std::string detail);
  std::uint64_t ask(Asked asked, std::string_view method, boost::json::object params, std::uint64_t call = 0);
  void notify(std::string_view method, boost::json::object params);
  void send_call(std::uint64_t number, const McpCall& call);
  void ask_page(const std::string& cursor);
  void receive_within(BoundedMemory& memory, std::string_view message);
  void take(const boost::json::value& message);
  void take_request(const boost::json::object& message, const std::string& method);
  void take_notification(const boost::json::object& message, const std::string& method);
  void take_response(const boost::json::object& message);
  void take_result(const Open& open, const boost::json::value& result);
  void take_error(const Open& open, const boost::json::value& error);
  void take_initialized(const boost::json::value& result);
  void take_page(const boost::json::value& result);
  bool add_tools(const boost::json::array& page);
  void note(std::string text);

  State state_ = State::New;
  std::string version_;
  bool wants_list_ = false, is_listed_ = false;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, Open> open_;           // by id of JSON-RPC
  std::set<std::uint64_t> given_up_;             // ids whose answer is dropped
  std::map<std::uint64_t, McpCall> unsent_;      // calls that wait for the handshake
  std::set<std::string> cursors_;
  std::size_t message_bytes_ = 0, listed_bytes_ = 0;   // memory that this message takes; that all lists take
  std::vector<McpTool> tools_;
  std::vector<std::string> outgoing_, notes_;
  std::vector<CallEnd> ends_;
  std::optional<McpFailure> failure_;
};

}  // namespace ptcvm::mcp

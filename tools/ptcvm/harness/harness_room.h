// One conversation of a server: what pages show of it, what people do in it, and the planner that plans when something
// happened. Facts that other processes write are seen, too. Belongs to the thread that runs the context.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "agents/a2a/task_server.h"
#include "agents/a2a/task_view.h"
#include "drivers/http/web_exchange.h"
#include "tools/ptcvm/harness/harness_room_worker.h"

namespace ptcvm::cli {

// What the rooms of a server have together; all of it outlives the rooms.
struct RoomHouse {
  boost::asio::io_context& context;
  boost::asio::thread_pool& workers;
  Store store;
  PlannerParts usual;                      // the planner of the command line
  harness::SendMode mode = harness::SendMode::Approve;
  MakeTransport make_transport;
  harness::FetchJson fetch;                // loads scenarios, on the threads of workers
  bool asks_other_side = false;            // the transport must be asked for news
  bool begins = false;                     // an empty conversation is begun
  bool serves_a2a = false;                 // others may talk to the conversations by A2A
  bool has_other_side = false;             // a transport carries messages
  std::stop_token stop = {};               // the server ends: no further pass is begun
};

// See the top of this file.
class HarnessRoom : public std::enable_shared_from_this<HarnessRoom> {
 public:
  // Opens the conversation, whether it has facts already or not.
  static Result<std::shared_ptr<HarnessRoom>> open(const RoomHouse& house, const std::string& id);

  // Returns the state, the HUD, what is set up, and every fact that counts.
  boost::json::object shown() const;
  const harness::Conversation& conversation() const { return conversation_; }

  // Adds a reader of events. `last_event` is the id of the last event that the reader has, or "".
  void join(const std::shared_ptr<drivers::WebExchange>& reader, std::string_view last_event);
  // Does what a person wants, and answers. docs/harness.md has the actions.
  void act(const std::string& action, const boost::json::object& body, const std::string& by,
           const std::shared_ptr<drivers::WebExchange>& exchange);
  // Answers a request of A2A. A stream ends when the client has the turn, or the task is over.
  void answer_rpc(const a2a::RpcRequest& request, const std::string& by,
                  const std::shared_ptr<drivers::WebExchange>& exchange);
  // Looks for facts of others, and for loads that are due. Called several times a second.
  void look();
  // Sends a line that keeps connections open.
  void keep_open();
  // Plans, and asks the other side, when a worker is free.
  void wake();

 private:
  using Act = Result<boost::json::object> (HarnessRoom::*)(const boost::json::object& body, const harness::Author& who);
  struct Action;
  // A client of A2A who reads a stream.
  struct Follower {
    std::shared_ptr<drivers::WebExchange> exchange;
    boost::json::value id;               // names the request
    a2a::StreamPlace place;
  };

  HarnessRoom(const RoomHouse& house, harness::Conversation conversation, std::unique_ptr<RoomSetup> setup);
  void tell();
  void tell_state();
  void tell_followers();
  boost::json::object state() const;
  boost::json::array being_sent() const;
  std::string delivery() const;
  std::string facts_event(std::uint64_t after, bool is_reset) const;
  void planned(Result<void> done);
  void show_hud(std::optional<harness::Hud> hud);
  void approve(const boost::json::object& body, const std::string& by, std::shared_ptr<drivers::WebExchange> exchange);
  void open_link(const boost::json::object& body, const std::string& by,
                 std::shared_ptr<drivers::WebExchange> exchange);
  void load(const std::string& url, std::function<void(Result<boost::json::object>)> then);
  Result<void> keep_setup(const harness::Author& who);

  Result<boost::json::object> say(const boost::json::object& body, const harness::Author& who);
  Result<boost::json::object> whisper(const boost::json::object& body, const harness::Author& who);
  Result<boost::json::object> answer(const boost::json::object& body, const harness::Author& who);
  Result<boost::json::object> dismiss(const boost::json::object& body, const harness::Author& who);
  Result<boost::json::object> settle(const boost::json::object& body, const harness::Author& who);
  Result<boost::json::object> edit(const boost::json::object& body, const harness::Author& who);
  Result<boost::json::object> draft(const boost::json::object& body, const harness::Author& who);
  Result<boost::json::object> regenerate(const boost::json::object& body, const harness::Author& who);
  Result<boost::json::object> clear(const boost::json::object& body, const harness::Author& who);
  Result<boost::json::object> begin(const boost::json::object& body, const harness::Author& who);
  Result<boost::json::object> choose(const boost::json::object& body, const harness::Author& who);
  Result<boost::json::object> set_field(const boost::json::object& body, const harness::Author& who);
  Result<boost::json::object> apply(const boost::json::object& body, const harness::Author& who);

  const RoomHouse& house_;
  harness::Conversation conversation_;
  std::unique_ptr<RoomSetup> setup_;
  boost::asio::strand<boost::asio::thread_pool::executor_type> strand_;
  std::unique_ptr<RoomWorker> worker_;
  std::set<std::shared_ptr<drivers::WebExchange>> readers_;
  std::vector<Follower> followers_;
  std::optional<harness::Hud> hud_;
  boost::json::array being_sent_;          // as pages know it
  std::string notice_;                     // why planning failed last, or ""
  std::uint64_t told_seq_ = 0, told_generation_ = 0;
  bool is_planning_ = false, is_wanted_ = true, is_loading_ = false;
  int sending_ = 0;                        // approvals whose messages are being sent now
  std::int64_t next_look_ms_ = 0;
};

}  // namespace ptcvm::cli

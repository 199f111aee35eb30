// One conversation of a person with the agent: a stored run, what it waits for, and the events for those who watch it.
// Everything that matters is in the store before it is shown, so the process may die at any time.
//
// All functions are called on the thread of the io_context.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agents/loop/event_feed.h"
#include "agents/loop/stored_agent.h"
#include "bank.h"
#include "model.h"

class Conversation : public std::enable_shared_from_this<Conversation> {
 public:
  // What all conversations of a server share; all of it outlives them.
  struct House {
    boost::asio::io_context& io;
    const ptcvm::Engine& engine;
    const ptcvm::loop::AgentDefinition& definition;
    const ptcvm::Store& store;
    const Models& models;
    Bank& bank;
  };

  Conversation(House house, std::string id);

  // Goes on with the run when the store has one. Call it once, before everything else.
  ptcvm::Result<void> open();
  // Begins the conversation, or goes on with it.
  ptcvm::Result<void> say(std::string_view text);
  // Allows or refuses a call. Errors: unknown_operation, already_resolved.
  ptcvm::Result<void> answer(std::string_view path, bool allow, std::string_view why);

  // Ends the calls of the model. Call it when the io_context has stopped; the store keeps the run.
  void leave() { model_.reset(); }

  const std::string& id() const { return id_; }
  // Returns the last fact whose event the readers of feed() were given.
  std::uint64_t seen() const { return seen_; }
  ptcvm::loop::EventFeed& feed() { return feed_; }
  // Returns what a page that comes now must know besides the events of the log: what is waited for, how it ended.
  std::vector<ptcvm::loop::RunEvent> present() const;
  // A timer that is cancelled when there are events for readers.
  void add_waiter(boost::asio::steady_timer& timer) { waiters_.insert(&timer); }
  void remove_waiter(boost::asio::steady_timer& timer) { waiters_.erase(&timer); }

 private:
  class Reply;

  ptcvm::Result<ptcvm::loop::Agent> made_agent();
  ptcvm::Result<std::size_t> used_replies() const;
  ptcvm::Result<void> begin(std::string data_json);
  ptcvm::Result<void> go_on();
  void ask(const ptcvm::loop::Operation& request);
  void take_reply(const std::string& path, const ptcvm::loop::ModelReply& reply);
  ptcvm::Result<void> call_tool(const ptcvm::loop::Operation& call);
  ptcvm::Result<void> publish();
  void wait_for_next_attempt();
  void complain(const ptcvm::Error& error);

  House house_;
  std::string id_;
  ptcvm::loop::EventFeed feed_;
  std::optional<ptcvm::loop::StoredAgent> run_;
  std::unique_ptr<Model> model_;
  std::map<std::string, ptcvm::drivers::CallId> coming_;   // calls of the model, by path
  std::set<boost::asio::steady_timer*> waiters_;
  boost::asio::steady_timer attempt_;                      // the next attempt of a request
  std::uint64_t seen_ = 0;
  std::string told_;                                       // what present() said when it was told last
};

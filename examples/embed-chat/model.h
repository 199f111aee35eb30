// The models that may answer: a script, so that the example runs without a network, or a server. Both give the bytes of
// a stream to a receiver and wait when the receiver has no place.
#pragma once
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "agents/loop/agent_run.h"
#include "drivers/curl/curl_calls.h"

class Model {
 public:
  virtual ~Model() = default;
  virtual ptcvm::drivers::CallId ask(const ptcvm::loop::Operation& request,
                                     std::shared_ptr<ptcvm::drivers::HttpReceiver> receiver) = 0;
  // Lets a call go on whose receiver had no place. A call that is over or goes on already is left alone.
  virtual void resume(ptcvm::drivers::CallId call) = 0;
};

// What all conversations of a server use.
struct Models {
  ptcvm::loop::ModelChoice choice;
  // Makes the model of a conversation. `replies` says how many replies the conversation has used before.
  std::function<std::unique_ptr<Model>(std::size_t replies)> make;
};

// Opens "scripted:FILE", whose text comes in pieces of a few bytes, one each `pace_ms`; or "chat:NAME[@URL]",
// "responses:…", "messages:…", with keys from the environment (docs/agents.md). Returns a sentence when it cannot.
std::variant<Models, std::string> open_models(boost::asio::io_context& io, const std::string& address, int pace_ms);

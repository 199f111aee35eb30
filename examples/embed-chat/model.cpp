#include "model.h"

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "agents/replay/scripted_model.h"
#include "drivers/curl/asio_calls.h"
#include "drivers/curl/model_server.h"

namespace {

namespace asio = boost::asio;
namespace drivers = ptcvm::drivers;
namespace loop = ptcvm::loop;
namespace replay = ptcvm::replay;

constexpr std::size_t kPieceBytes = 160;   // a few events of a stream

// One reply of a script on its way to the receiver.
class ScriptedCall : public std::enable_shared_from_this<ScriptedCall> {
 public:
  ScriptedCall(asio::io_context& io, int pace_ms, replay::HttpAnswer answer,
               std::shared_ptr<drivers::HttpReceiver> receiver)
      : timer_(io), pace_(pace_ms), answer_(std::move(answer)), receiver_(std::move(receiver)) {}

  void begin() {
    wait([self = shared_from_this()] {
      self->receiver_->take_head(self->answer_.status, self->answer_.headers);
      self->give();
    });
  }
  void resume() {
    if (std::exchange(is_paused_, false)) wait([self = shared_from_this()] { self->give(); });
  }

 private:
  void give() {
    const std::string_view piece = std::string_view(answer_.body).substr(at_, kPieceBytes);
    if (piece.empty()) return receiver_->take_end(std::nullopt);
    is_paused_ = !receiver_->take_bytes(piece);
    if (is_paused_) return;
    at_ += piece.size();
    wait([self = shared_from_this()] { self->give(); });
  }
  void wait(std::function<void()> then) {
    timer_.expires_after(pace_);
    timer_.async_wait([then = std::move(then)](const boost::system::error_code& error) {
      if (!error) then();
    });
  }

  asio::steady_timer timer_;
  std::chrono::milliseconds pace_;
  replay::HttpAnswer answer_;
  std::shared_ptr<drivers::HttpReceiver> receiver_;
  std::size_t at_ = 0;
  bool is_paused_ = false;
};

class ScriptedConversation : public Model {
 public:
  ScriptedConversation(asio::io_context& io, int pace_ms, replay::ScriptedModel script)
      : io_(io), pace_ms_(pace_ms), script_(std::move(script)) {}

  drivers::CallId ask(const loop::Operation& request, std::shared_ptr<drivers::HttpReceiver> receiver) override {
    auto said = script_.answer(
        {request.agent, request.model.protocol, request.model.is_stream, request.body, request.callable});
    replay::HttpAnswer answer;
    if (auto* const scripted = std::get_if<replay::ScriptedAnswer>(&said)) {
      answer = std::move(scripted->http);
    } else {
      answer.status = 400;   // a status that nobody tries again
      answer.body = std::get<replay::ReplayFailure>(said).message;
    }
    const auto call = std::make_shared<ScriptedCall>(io_, pace_ms_, std::move(answer), std::move(receiver));
    calls_[++last_] = call;
    call->begin();
    return last_;
  }
  void resume(drivers::CallId id) override {
    if (const auto call = calls_[id].lock()) call->resume();
  }

 private:
  asio::io_context& io_;
  int pace_ms_;
  replay::ScriptedModel script_;
  std::map<drivers::CallId, std::weak_ptr<ScriptedCall>> calls_;
  drivers::CallId last_ = 0;
};

class ServedConversation : public Model {
 public:
  ServedConversation(std::shared_ptr<drivers::AsioCalls> calls, drivers::ModelServer server)
      : calls_(std::move(calls)), server_(std::move(server)) {}

  drivers::CallId ask(const loop::Operation& request, std::shared_ptr<drivers::HttpReceiver> receiver) override {
    return calls_->calls().start(drivers::model_request(server_, std::string(request.body)), std::move(receiver));
  }
  void resume(drivers::CallId call) override { calls_->calls().resume(call); }

 private:
  std::shared_ptr<drivers::AsioCalls> calls_;   // all conversations share its connections
  drivers::ModelServer server_;
};

std::variant<Models, std::string> open_script(asio::io_context& io, const std::string& path, int pace_ms) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return "the script " + path + " cannot be read";
  auto script = replay::ScriptedModel::read(text.str());
  if (const auto* const failure = std::get_if<replay::ReplayFailure>(&script)) return path + ": " + failure->message;
  Models models;
  models.choice = {ptcvm::wire::Protocol::Chat, "scripted", "scripted", true, {}, {}};
  models.make = [&io, pace_ms, script = std::get<replay::ScriptedModel>(std::move(script))](std::size_t replies) {
    auto model = script;
    model.skip("", replies);
    return std::make_unique<ScriptedConversation>(io, pace_ms, std::move(model));
  };
  return models;
}

}  // namespace

std::variant<Models, std::string> open_models(asio::io_context& io, const std::string& address, int pace_ms) {
  constexpr std::string_view kScripted = "scripted:";
  if (address.starts_with(kScripted)) return open_script(io, address.substr(kScripted.size()), pace_ms);
  auto read = drivers::read_model_address(address, [](const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    return std::string(value == nullptr ? "" : value);
  });
  if (const auto* const wrong = std::get_if<std::string>(&read)) return *wrong + "; scripted:FILE is a model, too";
  const auto& server = std::get<drivers::ModelServer>(read);
  Models models;
  models.choice = {server.protocol, server.base_url, server.model, true, {}, {}};
  models.make = [calls = std::make_shared<drivers::AsioCalls>(io), server](std::size_t) {
    return std::make_unique<ServedConversation>(calls, server);
  };
  return models;
}

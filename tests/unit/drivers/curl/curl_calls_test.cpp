#include "drivers/curl/curl_calls.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "drivers/curl/asio_calls.h"

namespace ptcvm::drivers {
namespace {

// The server of model_server.py, one for all tests.
class LocalServer {
 public:
  static const LocalServer& get() {
    static const LocalServer server;
    return server;
  }
  std::string url(std::string_view path) const { return "http://127.0.0.1:" + http_ + "/" + std::string(path); }
  std::string secure_url(std::string_view host) const {
    return "https://" + std::string(host) + ":" + https_ + "/echo";
  }
  const std::string& certificate() const { return certificate_; }

 private:
  LocalServer() {
    std::array<int, 2> in{}, out{};
    if (pipe(in.data()) != 0 || pipe(out.data()) != 0) std::abort();
    child_ = fork();
    if (child_ == 0) {
      dup2(in[0], 0);
      dup2(out[1], 1);
      close(in[1]);
      close(out[0]);
      execlp("python3", "python3", PTC_MODEL_SERVER, nullptr);
      std::abort();
    }
    close(in[0]);
    close(out[1]);
    stdin_ = in[1];
    std::string line;
    for (char c = 0; read(out[0], &c, 1) == 1 && c != '\n';) line += c;
    std::istringstream(line) >> http_ >> https_ >> certificate_;
  }
  ~LocalServer() {
    close(stdin_);
    waitpid(child_, nullptr, 0);
  }

  pid_t child_ = 0;
  int stdin_ = -1;
  std::string http_, https_, certificate_;
};

// A server that takes no more connections: a further one waits.
class FullServer {
 public:
  FullServer() : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    if (bind(listener_, name(), size) != 0 || listen(listener_, 0) != 0) std::abort();
    if (getsockname(listener_, name(), &size) != 0) std::abort();
    for (int& one : fillers_) {
      one = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
      static_cast<void>(connect(one, name(), size));
    }
  }
  ~FullServer() {
    for (const int one : fillers_) close(one);
    close(listener_);
  }
  FullServer(const FullServer&) = delete;
  FullServer& operator=(const FullServer&) = delete;
  std::string url() const { return "http://127.0.0.1:" + std::to_string(ntohs(address_.sin_port)) + "/"; }

 private:
  sockaddr* name() { return reinterpret_cast<sockaddr*>(&address_); }
  sockaddr_in address_{};
  int listener_;
  std::array<int, 8> fillers_{};
};

class Kept : public HttpReceiver {
 public:
  void take_head(int status, const wire::Headers& headers) override {
    status_ = status;
    headers_ = headers;
  }
  bool take_bytes(std::string_view bytes) override {
    if (place_ == 0) {
      ++pauses_;
      return false;
    }
    place_ -= std::min(place_, bytes.size());
    body_ += bytes;
    return true;
  }
  void take_end(const std::optional<HttpFailure>& failure) override {
    ends_ += 1;
    failure_ = failure;
  }

  int status_ = 0, ends_ = 0, pauses_ = 0;
  std::size_t place_ = SIZE_MAX;
  wire::Headers headers_;
  std::string body_;
  std::optional<HttpFailure> failure_;
};

HttpRequest request_to(std::string url) {
  HttpRequest request;
  request.url = std::move(url);
  request.body = "{}";
  request.proxy = "";
  return request;
}

void run(CurlCalls& calls) {
  while (calls.in_flight() > 0) calls.poll(1000);
}

std::shared_ptr<Kept> answer_to(HttpRequest request) {
  CurlCalls calls;
  auto kept = std::make_shared<Kept>();
  calls.start(std::move(request), kept);
  run(calls);
  EXPECT_EQ(kept->ends_, 1);
  return kept;
}

HttpFailure::Kind failure_of(HttpRequest request) {
  const auto kept = answer_to(std::move(request));
  return kept->failure_ ? kept->failure_->kind : HttpFailure::Kind::Broken;
}

TEST(CurlCalls, AnAnswerHasStatusHeadersAndBody) {
  HttpRequest request = request_to(LocalServer::get().url("echo"));
  request.headers = {{"X-More", "1"}};
  request.secret = SecretHeader{"Authorization", "Bearer ", [] { return std::string("s3cret"); }};
  const auto kept = answer_to(std::move(request));
  EXPECT_FALSE(kept->failure_);
  EXPECT_EQ(kept->status_, 200);
  EXPECT_FALSE(wire::header(kept->headers_, "content-length").empty());
  EXPECT_NE(kept->body_.find("\"authorization\": \"Bearer s3cret\""), std::string::npos) << kept->body_;
  EXPECT_NE(kept->body_.find("\"x-more\": \"1\""), std::string::npos);
  EXPECT_NE(kept->body_.find("\"content-type\": \"application/json\""), std::string::npos);
}

TEST(CurlCalls, ARefusalComesWholeAndWithoutTheKey) {
  HttpRequest request = request_to(LocalServer::get().url("refusal"));
  request.secret = SecretHeader{"Authorization", "Bearer ", [] { return std::string("s3cret"); }};
  const auto kept = answer_to(std::move(request));
  EXPECT_EQ(kept->status_, 429);
  EXPECT_EQ(wire::header(kept->headers_, "retry-after"), "7");
  EXPECT_EQ(kept->body_, R"({"error": {"message": "no place for Bearer [key]"}})");
}

TEST(CurlCalls, AStreamThatEndsEarlyIsCut) {
  for (const std::string_view path : {"cut", "short"}) {
    const auto kept = answer_to(request_to(LocalServer::get().url(path)));
    ASSERT_TRUE(kept->failure_) << path;
    EXPECT_EQ(kept->failure_->kind, HttpFailure::Kind::Cut) << path << ": " << kept->failure_->message;
    EXPECT_FALSE(kept->body_.empty());
  }
  EXPECT_FALSE(answer_to(request_to(LocalServer::get().url("stream")))->failure_);
}

TEST(CurlCalls, ACertificateThatIsNotTrustedSaysWhatToDo) {
  const auto kept = answer_to(request_to(LocalServer::get().secure_url("localhost")));
  ASSERT_TRUE(kept->failure_);
  EXPECT_EQ(kept->failure_->kind, HttpFailure::Kind::Certificate) << kept->failure_->message;
  EXPECT_NE(kept->failure_->message.find("SSL_CERT_FILE"), std::string::npos);

  HttpRequest trusted = request_to(LocalServer::get().secure_url("localhost"));
  trusted.authorities_file = LocalServer::get().certificate();
  EXPECT_EQ(answer_to(trusted)->status_, 200);

  HttpRequest other_name = request_to(LocalServer::get().secure_url("127.0.0.1"));
  other_name.authorities_file = LocalServer::get().certificate();
  EXPECT_EQ(failure_of(other_name), HttpFailure::Kind::Certificate);
}

TEST(CurlCalls, TimeoutsEndACall) {
  HttpRequest request = request_to(LocalServer::get().url("silent"));
  request.timeouts.total_ms = 50;
  EXPECT_EQ(failure_of(request), HttpFailure::Kind::TimedOut);
  EXPECT_TRUE(answer_to(request)->failure_->may_be_sent);
  request.timeouts.total_ms = 0;
  request.timeouts.idle_ms = 1000;
  EXPECT_EQ(failure_of(request), HttpFailure::Kind::TimedOut);
}

TEST(CurlCalls, AnAddressThatCannotBeReachedGetsNothingOfTheRequest) {
  const FullServer full;
  HttpRequest request = request_to(full.url());
  request.timeouts.connect_ms = 50;
  const auto kept = answer_to(request);
  ASSERT_TRUE(kept->failure_);
  EXPECT_EQ(kept->failure_->kind, HttpFailure::Kind::TimedOut) << kept->failure_->message;
  EXPECT_FALSE(kept->failure_->may_be_sent) << kept->failure_->message;
}

TEST(CurlCalls, WhatCannotBeSentEndsThroughTheReceiver) {
  EXPECT_EQ(failure_of(request_to("ftp://localhost/")), HttpFailure::Kind::BadRequest);
  EXPECT_EQ(failure_of(request_to("")), HttpFailure::Kind::BadRequest);
  EXPECT_EQ(failure_of(request_to("http://127.0.0.1:1/")), HttpFailure::Kind::Unreachable);
  HttpRequest request = request_to(LocalServer::get().url("echo"));
  request.secret = SecretHeader{"Authorization", "", [] { return std::string("s3cret\r\nx: y"); }};
  const auto kept = answer_to(std::move(request));
  EXPECT_EQ(kept->failure_->kind, HttpFailure::Kind::BadRequest);
  EXPECT_EQ(kept->failure_->message.find("s3cret"), std::string::npos);
}

TEST(CurlCalls, AReceiverWithoutPlaceStopsTheTransfer) {
  CurlCalls calls;
  const auto kept = std::make_shared<Kept>();
  kept->place_ = 100'000;
  const CallId call = calls.start(request_to(LocalServer::get().url("big")), kept);
  while (kept->pauses_ == 0) calls.poll(100);
  const std::size_t before = kept->body_.size();
  for (int i = 0; i < 20; ++i) calls.poll(1);
  EXPECT_EQ(kept->body_.size(), before);
  EXPECT_EQ(kept->ends_, 0);
  kept->place_ = SIZE_MAX;
  calls.resume(call);
  run(calls);
  EXPECT_EQ(kept->body_, std::string(8u << 20u, 'x'));
  EXPECT_FALSE(kept->failure_);
}

TEST(CurlCalls, ACancelledCallEndsOnceAndTheOthersGoOn) {
  CurlCalls calls;
  const auto silent = std::make_shared<Kept>(), late = std::make_shared<Kept>();
  const CallId call = calls.start(request_to(LocalServer::get().url("silent")), silent);
  calls.start(request_to(LocalServer::get().url("late")), late);
  calls.poll(10);
  calls.cancel(call);
  calls.cancel(call);
  run(calls);
  EXPECT_EQ(silent->ends_, 1);
  EXPECT_EQ(silent->failure_->kind, HttpFailure::Kind::Cancelled);
  EXPECT_EQ(late->status_, 200);
}

TEST(CurlCalls, FiftyCallsAreInFlightTogether) {
  CurlCalls calls;
  std::vector<std::shared_ptr<Kept>> all;
  for (int i = 0; i < 50; ++i) {
    all.push_back(std::make_shared<Kept>());
    calls.start(request_to(LocalServer::get().url("late")), all.back());
  }
  EXPECT_EQ(calls.in_flight(), 50U);
  run(calls);
  for (const auto& kept : all) EXPECT_EQ(kept->status_, 200);
}

TEST(CurlCalls, ConnectionsAreUsedAgain) {
  CurlCalls calls;
  std::string first;
  for (int i = 0; i < 3; ++i) {
    const auto kept = std::make_shared<Kept>();
    calls.start(request_to(LocalServer::get().url("echo")), kept);
    run(calls);
    if (i == 0) first = kept->body_;
    EXPECT_EQ(kept->body_, first);   // it names the port of the client
  }
}

TEST(CurlCalls, AProxyOfTheEnvironmentIsUsed) {
  const std::string proxy = LocalServer::get().url("");
  ASSERT_EQ(setenv("http_proxy", proxy.c_str(), 1), 0);
  HttpRequest request = request_to("http://models.invalid/v1/chat");
  request.proxy.reset();
  const auto kept = answer_to(std::move(request));
  EXPECT_EQ(kept->body_, R"({"proxied": "http://models.invalid/v1/chat"})");
  ASSERT_EQ(setenv("no_proxy", "models.invalid", 1), 0);
  request = request_to("http://models.invalid/");
  request.proxy.reset();
  EXPECT_EQ(failure_of(std::move(request)), HttpFailure::Kind::Unreachable);
  unsetenv("http_proxy");
  unsetenv("no_proxy");
}

// Starts the next call when one ends, and cancels another from within.
class Chain : public Kept {
 public:
  Chain(CurlCalls& calls, std::shared_ptr<Kept> next, CallId other)
      : calls_(calls), next_(std::move(next)), other_(other) {}
  void take_end(const std::optional<HttpFailure>& failure) override {
    Kept::take_end(failure);
    calls_.start(request_to(LocalServer::get().url("echo")), next_);
    calls_.cancel(other_);
  }

 private:
  CurlCalls& calls_;
  std::shared_ptr<Kept> next_;
  CallId other_;
};

TEST(CurlCalls, AReceiverMayStartAndCancelCalls) {
  CurlCalls calls;
  const auto next = std::make_shared<Kept>(), other = std::make_shared<Kept>();
  const CallId silent = calls.start(request_to(LocalServer::get().url("silent")), other);
  calls.start(request_to(LocalServer::get().url("echo")), std::make_shared<Chain>(calls, next, silent));
  run(calls);
  EXPECT_EQ(next->status_, 200);
  EXPECT_EQ(other->failure_->kind, HttpFailure::Kind::Cancelled);
}

TEST(AsioCalls, CallsRunInTheLoopOfTheHost) {
  boost::asio::io_context context;
  AsioCalls host(context);
  const auto stream = std::make_shared<Kept>(), big = std::make_shared<Kept>(), silent = std::make_shared<Kept>();
  big->place_ = 1000;
  host.calls().start(request_to(LocalServer::get().url("stream")), stream);
  const CallId paused = host.calls().start(request_to(LocalServer::get().url("big")), big);
  const CallId call = host.calls().start(request_to(LocalServer::get().url("silent")), silent);
  while (stream->ends_ == 0 || big->pauses_ == 0) context.run_one();
  big->place_ = SIZE_MAX;
  host.calls().resume(paused);
  host.calls().cancel(call);
  while (host.calls().in_flight() > 0) context.run_one();
  EXPECT_EQ(big->body_.size(), 8u << 20u);
  EXPECT_NE(stream->body_.find("data: 19\n\n"), std::string::npos);
  EXPECT_EQ(silent->failure_->kind, HttpFailure::Kind::Cancelled);
}

}  // namespace
}  // namespace ptcvm::drivers

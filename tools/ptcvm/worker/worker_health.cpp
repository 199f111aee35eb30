#include "tools/ptcvm/worker/worker_health.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <charconv>
#include <thread>

#include "drivers/http/web_guard.h"
#include "drivers/http/web_server.h"

namespace ptcvm::cli {
namespace {

namespace asio = boost::asio;
using drivers::WebReply;

WebReply answer_to(const drivers::WebRequest& request, const std::function<WorkerSample()>& sample) {
  const bool is_known = request.path.size() == 1 && (request.path[0] == "health" || request.path[0] == "metrics");
  if (!is_known) return {404, "application/json", "{\"error\":\"there are /health and /metrics\"}\n"};
  if (request.method != "GET" && request.method != "HEAD") {
    return {405, "application/json", "{\"error\":\"only GET and HEAD\"}\n", {{"allow", "GET, HEAD"}}};
  }
  const WorkerSample now = sample();
  if (request.path[0] == "metrics") return {200, "text/plain; version=0.0.4; charset=utf-8", metrics_text(now)};
  return {worker_state(now) == "ok" ? 200U : 503U, "application/json", health_json(now)};
}

bool is_loopback(const std::string& address) {
  return address == "127.0.0.1" || address == "::1" || address == "localhost";
}

}  // namespace

std::optional<HealthPlace> read_health_place(std::string_view text) {
  HealthPlace out;
  const std::size_t colon = text.rfind(':');
  std::string_view address = colon == std::string_view::npos ? std::string_view() : text.substr(0, colon);
  const std::string_view port = colon == std::string_view::npos ? text : text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (error != std::errc() || end != port.data() + port.size() || port.empty()) return std::nullopt;
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  if (!address.empty()) out.address = address;
  if (out.address == "localhost") out.address = "127.0.0.1";
  return out;
}

struct WorkerHealth::Parts {
  explicit Parts(std::function<WorkerSample()> wanted) : sample(std::move(wanted)) {}

  void answer(const drivers::WebRequest& request, drivers::WebExchange& exchange) {
    // A page of another place must not read a server that only this machine can reach.
    if (is_loopback(place.address)) {
      if (auto refusal = guard.refuse_place(request)) return exchange.reply(*std::move(refusal));
    }
    exchange.reply(answer_to(request, sample));
  }

  const std::function<WorkerSample()> sample;
  HealthPlace place;
  drivers::WebGuard guard{{}, {}};
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> keeps{context.get_executor()};
  drivers::WebServer server{context, [this](const drivers::WebRequest& request,
                                            const std::shared_ptr<drivers::WebExchange>& exchange) {
                              answer(request, *exchange);
                            }};
  std::thread thread;
};

WorkerHealth::WorkerHealth(std::function<WorkerSample()> sample)
    : parts_(std::make_unique<Parts>(std::move(sample))) {}

WorkerHealth::~WorkerHealth() {
  parts_->context.stop();
  if (parts_->thread.joinable()) parts_->thread.join();
}

std::optional<std::string> WorkerHealth::listen(const HealthPlace& place) {
  parts_->place = place;
  if (auto failed = parts_->server.listen(place.address, place.port)) return failed;
  parts_->place.port = parts_->server.port();
  parts_->guard.set_port(parts_->place.port);
  parts_->thread = std::thread([this] { parts_->context.run(); });
  return std::nullopt;
}

std::string WorkerHealth::url() const {
  const bool is_v6 = parts_->place.address.find(':') != std::string::npos;
  return "http://" + (is_v6 ? '[' + parts_->place.address + ']' : parts_->place.address) + ':' +
         std::to_string(parts_->place.port);
}

}  // namespace ptcvm::cli

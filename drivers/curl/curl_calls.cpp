// libcurl must not be told to add, remove or resume a transfer from within a callback of its own. So start(), resume()
// and cancel() only note what is wanted, and settle() does it when libcurl is not at work.
#include "drivers/curl/curl_calls.h"

#include <map>
#include <utility>
#include <vector>

#include "drivers/curl/curl_failure.h"
#include "drivers/curl/curl_transfer.h"

namespace ptcvm::drivers {

namespace {

bool is_curl_ready() {
  static const CURLcode made = curl_global_init(CURL_GLOBAL_DEFAULT);   // once, and others wait for it
  return made == CURLE_OK;
}

}  // namespace

class CurlCalls::State {
 public:
  explicit State(EventHost* host) : host_(host), multi_(is_curl_ready() ? curl_multi_init() : nullptr) {
    if (multi_ == nullptr || host == nullptr) return;
    curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &State::watch);
    curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &State::set_timer);
    curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  }
  ~State() {
    is_at_work_ = true;
    for (const auto& [id, transfer] : transfers_) curl_multi_remove_handle(multi_, transfer->handle());
    transfers_.clear();
    curl_multi_cleanup(multi_);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  CallId start(HttpRequest request, std::shared_ptr<HttpReceiver> receiver) {
    const CallId id = ++last_id_;
    new_.push_back(std::make_unique<CurlTransfer>(id, std::move(request), std::move(receiver)));
    ask_for_work();
    return id;
  }

  void resume(CallId id) {
    resumed_.push_back(id);
    ask_for_work();
  }

  void cancel(CallId id) {
    cancelled_.push_back(id);
    ask_for_work();
  }

  std::size_t in_flight() const { return transfers_.size() + new_.size(); }

  void poll(std::uint32_t most_ms) {
    if (multi_ == nullptr || host_ != nullptr) return settle();
    int running = 0;
    settle();
    work([&] { curl_multi_perform(multi_, &running); });
    if (has_told_ || in_flight() == 0) {
      has_told_ = false;
      return;
    }
    curl_multi_poll(multi_, nullptr, 0, static_cast<int>(most_ms), nullptr);
    work([&] { curl_multi_perform(multi_, &running); });
    has_told_ = false;
  }

  void wake() {
    if (multi_ != nullptr) curl_multi_wakeup(multi_);
  }

  void socket_is_ready(int socket, int events) {
    int running = 0;
    work([&] { curl_multi_socket_action(multi_, socket, events, &running); });
  }

 private:
  static int watch(CURL*, curl_socket_t socket, int what, void* self, void*) {
    auto& state = *static_cast<State*>(self);
    const bool reads = what == CURL_POLL_IN || what == CURL_POLL_INOUT;
    const bool writes = what == CURL_POLL_OUT || what == CURL_POLL_INOUT;
    state.host_->watch(static_cast<int>(socket), reads, writes);
    return 0;
  }

  static int set_timer(CURLM*, long after_ms, void* self) {
    auto& state = *static_cast<State*>(self);
    if (after_ms < 0) {
      state.host_->set_timer(std::nullopt);
    } else {
      state.host_->set_timer(static_cast<std::uint32_t>(after_ms));
    }
    return 0;
  }

  // Makes the host come back soon when libcurl is not at work; work() settles otherwise.
  void ask_for_work() {
    if (!is_at_work_ && host_ != nullptr) host_->set_timer(0);
  }

  template <class F>
  void work(F&& do_work) {
    settle();
    is_at_work_ = true;
    do_work();
    is_at_work_ = false;
    tell_ends();
    settle();
  }

  void settle() {
    while (!new_.empty() || !resumed_.empty() || !cancelled_.empty()) {
      for (auto& transfer : std::exchange(new_, {})) begin(std::move(transfer));
      for (const CallId id : std::exchange(resumed_, {})) {
        if (const auto found = transfers_.find(id); found != transfers_.end()) {
          is_at_work_ = true;   // bytes that wait are handed out at once
          found->second->resume();
          is_at_work_ = false;
        }
      }
      for (const CallId id : std::exchange(cancelled_, {})) {
        const auto found = transfers_.find(id);
        if (found == transfers_.end()) continue;
        const std::string server = found->second->server();
        end(id, HttpFailure{HttpFailure::Kind::Cancelled, "The call to " + server + " was cancelled.", true});
      }
    }
  }

  void begin(std::unique_ptr<CurlTransfer> transfer) {
    auto failure = multi_ == nullptr ? HttpFailure{HttpFailure::Kind::Broken, "libcurl cannot be used."}
                                     : transfer->prepare();
    if (!failure) {
      CURL* const handle = transfer->handle();
      transfers_.emplace(transfer->id(), std::move(transfer));
      is_at_work_ = true;
      curl_multi_add_handle(multi_, handle);
      is_at_work_ = false;
      return;
    }
    has_told_ = true;
    transfer->end(failure);
  }

  void end(CallId id, const HttpFailure& failure) {
    const auto transfer = take(id);
    has_told_ = true;
    transfer->end(failure);
  }

  std::unique_ptr<CurlTransfer> take(CallId id) {
    const auto found = transfers_.find(id);
    std::unique_ptr<CurlTransfer> transfer = std::move(found->second);
    transfers_.erase(found);
    is_at_work_ = true;
    curl_multi_remove_handle(multi_, transfer->handle());
    is_at_work_ = false;
    return transfer;
  }

  void tell_ends() {
    std::vector<std::pair<CallId, CURLcode>> ended;
    int left = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      char* found = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &found);
      ended.emplace_back(reinterpret_cast<CurlTransfer*>(found)->id(), message->data.result);
    }
    for (const auto& [id, code] : ended) {
      const auto transfer = take(id);
      has_told_ = true;
      transfer->end(code);
    }
  }

  EventHost* const host_;
  CURLM* const multi_;
  std::map<CallId, std::unique_ptr<CurlTransfer>> transfers_;
  std::vector<std::unique_ptr<CurlTransfer>> new_;
  std::vector<CallId> resumed_, cancelled_;
  CallId last_id_ = 0;
  bool is_at_work_ = false, has_told_ = false;
};

CurlCalls::CurlCalls() : state_(std::make_unique<State>(nullptr)) {}
CurlCalls::CurlCalls(EventHost& host) : state_(std::make_unique<State>(&host)) {}
CurlCalls::~CurlCalls() = default;

CallId CurlCalls::start(HttpRequest request, std::shared_ptr<HttpReceiver> receiver) {
  return state_->start(std::move(request), std::move(receiver));
}
void CurlCalls::resume(CallId call) { state_->resume(call); }
void CurlCalls::cancel(CallId call) { state_->cancel(call); }
std::size_t CurlCalls::in_flight() const { return state_->in_flight(); }
void CurlCalls::poll(std::uint32_t most_ms) { state_->poll(most_ms); }
void CurlCalls::wake() { state_->wake(); }
void CurlCalls::timer_fired() { state_->socket_is_ready(CURL_SOCKET_TIMEOUT, 0); }

void CurlCalls::socket_is_ready(int socket, bool can_read, bool can_write, bool has_error) {
  const int events =
      (can_read ? CURL_CSELECT_IN : 0) | (can_write ? CURL_CSELECT_OUT : 0) | (has_error ? CURL_CSELECT_ERR : 0);
  state_->socket_is_ready(socket, events);
}

}  // namespace ptcvm::drivers

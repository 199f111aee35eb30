// One transfer of libcurl: the handle, what it sends, and what has come so far.
#pragma once
#include <curl/curl.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "drivers/curl/curl_calls.h"
#include "drivers/curl/curl_failure.h"

namespace ptcvm::drivers {

class CurlTransfer {
 public:
  CurlTransfer(CallId id, HttpRequest request, std::shared_ptr<HttpReceiver> receiver);
  ~CurlTransfer();
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  // Sets the handle up. Returns why the request cannot be sent, or nullopt.
  std::optional<HttpFailure> prepare();
  CURL* handle() const { return curl_; }
  CallId id() const { return id_; }
  // Goes on after a pause.
  void resume();
  // Tells the receiver how the transfer ended. A handle that comes from libcurl has the code.
  void end(CURLcode code);
  void end(const std::optional<HttpFailure>& failure) { receiver_->take_end(failure); }
  bool is_cancelled() const { return is_cancelled_; }
  void set_cancelled() { is_cancelled_ = true; }
  std::string server() const;

 private:
  static std::size_t take_header_line(char* bytes, std::size_t one, std::size_t count, void* self);
  static std::size_t take_body(char* bytes, std::size_t one, std::size_t count, void* self);
  void take_line(std::string_view line);
  void tell_head();
  std::optional<HttpFailure> add_headers();
  void set_options();
  bool add_header(const std::string& line);
  std::string without_secret(std::string text) const;
  TransferPlace place() const;

  CallId id_;
  HttpRequest request_;
  std::shared_ptr<HttpReceiver> receiver_;
  CURL* curl_ = nullptr;
  curl_slist* list_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> detail_{};
  std::string secret_;           // for taking it out of what the server says
  wire::Headers headers_;        // the head that is being read
  std::string refusal_body_;     // kept until the end
  long status_ = 0;
  bool head_is_told_ = false, is_paused_ = false, is_cancelled_ = false;
};

}  // namespace ptcvm::drivers

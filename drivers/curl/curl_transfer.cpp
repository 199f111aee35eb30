#include "drivers/curl/curl_transfer.h"

#include <algorithm>
#include <utility>

#include "drivers/curl/curl_failure.h"

namespace ptcvm::drivers {

namespace {

constexpr std::size_t kMostRefusalBytes = 1u << 20;
constexpr int kFirstRefusal = 400;

// A line break in a header would begin another header.
bool is_header(std::string_view name, std::string_view value) {
  const auto is_token = [](char c) { return c > ' ' && c < 127 && c != ':'; };
  const auto is_control = [](char c) { return c == '\r' || c == '\n' || c == '\0'; };
  return !name.empty() && std::all_of(name.begin(), name.end(), is_token) &&
         std::none_of(value.begin(), value.end(), is_control);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

}  // namespace

CurlTransfer::CurlTransfer(CallId id, HttpRequest request, std::shared_ptr<HttpReceiver> receiver)
    : id_(id), request_(std::move(request)), receiver_(std::move(receiver)), curl_(curl_easy_init()) {}

CurlTransfer::~CurlTransfer() {
  curl_easy_cleanup(curl_);
  curl_slist_free_all(list_);
}

bool CurlTransfer::add_header(const std::string& line) {
  curl_slist* const longer = curl_slist_append(list_, line.c_str());
  if (longer != nullptr) list_ = longer;
  return longer != nullptr;
}

std::optional<HttpFailure> CurlTransfer::add_headers() {
  bool added = add_header("Content-Type: application/json") && add_header("Expect:");
  for (const auto& [name, value] : request_.headers) {
    if (!is_header(name, value)) {
      return HttpFailure{HttpFailure::Kind::BadRequest, "A header has a malformed name or value."};
    }
    // libcurl takes a header without a value away, unless it is written with a semicolon.
    added = added && add_header(value.empty() ? name + ';' : name + ": " + value);
  }
  if (request_.secret && request_.secret->value) secret_ = request_.secret->value();
  if (!secret_.empty()) {
    if (!is_header(request_.secret->name, secret_)) {
      return HttpFailure{HttpFailure::Kind::BadRequest,
                         "The key for " + server() + " has a line break in it. Set the key again."};
    }
    added = added && add_header(request_.secret->name + ": " + request_.secret->prefix + secret_);
  }
  if (!added) return HttpFailure{HttpFailure::Kind::Broken, "There is no memory for the headers."};
  return std::nullopt;
}

std::optional<HttpFailure> CurlTransfer::prepare() {
  if (curl_ == nullptr) return HttpFailure{HttpFailure::Kind::Broken, "libcurl cannot be used."};
  if (!request_.url.starts_with("http://") && !request_.url.starts_with("https://")) {
    return curl_failure(CURLE_URL_MALFORMAT, "\"" + request_.url + "\" is no URL of http or https", server(),
                        TransferPlace::Connecting);
  }
  if (auto failure = add_headers()) return failure;
  set_options();
  return std::nullopt;
}

void CurlTransfer::set_options() {
  const auto set = [this](CURLoption option, auto value) { curl_easy_setopt(curl_, option, value); };
  set(CURLOPT_PRIVATE, static_cast<void*>(this));
  set(CURLOPT_ERRORBUFFER, detail_.data());
  set(CURLOPT_URL, request_.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_HTTPHEADER, list_);
  if (request_.is_get) {
    set(CURLOPT_HTTPGET, 1L);
  } else {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    set(CURLOPT_POSTFIELDS, request_.body.data());
  }
  set(CURLOPT_HEADERFUNCTION, &CurlTransfer::take_header_line);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &CurlTransfer::take_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  if (!request_.authorities_file.empty()) set(CURLOPT_CAINFO, request_.authorities_file.c_str());
  if (request_.proxy) set(CURLOPT_PROXY, request_.proxy->c_str());   // empty: no proxy, whatever the environment says
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request_.timeouts.connect_ms));
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(request_.timeouts.total_ms));
  if (request_.timeouts.idle_ms > 0) {
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, static_cast<long>((request_.timeouts.idle_ms + 999) / 1000));
  }
}

std::string CurlTransfer::server() const {
  std::string_view rest = request_.url;
  const std::size_t scheme = rest.find("://");
  if (scheme != std::string_view::npos) rest.remove_prefix(scheme + 3);
  rest = rest.substr(0, rest.find_first_of("/?#"));
  const std::size_t user = rest.rfind('@');   // a name and a password in a URL are secrets, too
  if (user != std::string_view::npos) rest.remove_prefix(user + 1);
  return std::string(rest);
}

std::size_t CurlTransfer::take_header_line(char* bytes, std::size_t, std::size_t count, void* self) {
  try {
    static_cast<CurlTransfer*>(self)->take_line({bytes, count});
  } catch (...) {
    return 0;   // ends the transfer; an exception must not pass through libcurl
  }
  return count;
}

void CurlTransfer::take_line(std::string_view line) {
  if (line.starts_with("HTTP/")) {
    headers_.clear();
  } else if (trimmed(line).empty()) {
    curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status_);
    constexpr long kFirstFinal = 200;
    if (status_ >= kFirstFinal) tell_head();
  } else if (const std::size_t colon = line.find(':'); colon != std::string_view::npos && !head_is_told_) {
    headers_.emplace_back(line.substr(0, colon), trimmed(line.substr(colon + 1)));
  }
}

void CurlTransfer::tell_head() {
  if (!std::exchange(head_is_told_, true)) receiver_->take_head(static_cast<int>(status_), headers_);
}

std::size_t CurlTransfer::take_body(char* bytes, std::size_t, std::size_t count, void* self) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  if (transfer.is_cancelled_) return 0;
  try {
    if (transfer.status_ >= kFirstRefusal) {
      const std::size_t place = kMostRefusalBytes - transfer.refusal_body_.size();
      transfer.refusal_body_.append(bytes, std::min(count, place));
      return count;
    }
    if (transfer.receiver_->take_bytes({bytes, count})) return count;
  } catch (...) {
    return 0;
  }
  transfer.is_paused_ = true;
  return CURL_WRITEFUNC_PAUSE;
}

void CurlTransfer::resume() {
  if (std::exchange(is_paused_, false)) curl_easy_pause(curl_, CURLPAUSE_CONT);
}

std::string CurlTransfer::without_secret(std::string text) const {
  constexpr std::string_view kInstead = "[key]";
  if (secret_.empty()) return text;
  for (std::size_t at = 0; (at = text.find(secret_, at)) != std::string::npos; at += kInstead.size()) {
    text.replace(at, secret_.size(), kInstead);
  }
  return text;
}

TransferPlace CurlTransfer::place() const {
  if (head_is_told_) return TransferPlace::Answering;
  curl_off_t began = 0;   // when the connection was there, in µs; 0 before
  long sent = 0;
  curl_easy_getinfo(curl_, CURLINFO_PRETRANSFER_TIME_T, &began);
  curl_easy_getinfo(curl_, CURLINFO_REQUEST_SIZE, &sent);
  return began == 0 && sent == 0 ? TransferPlace::Connecting : TransferPlace::Asking;
}

void CurlTransfer::end(CURLcode code) {
  if (!refusal_body_.empty()) receiver_->take_bytes(without_secret(std::move(refusal_body_)));
  if (code == CURLE_OK) return receiver_->take_end(std::nullopt);
  receiver_->take_end(curl_failure(code, without_secret(detail_.data()), server(), place()));
}

}  // namespace ptcvm::drivers

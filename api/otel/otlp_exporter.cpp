// Requests are made with the easy interface of libcurl, one handle an exporter. libcurl itself is made ready once in a
// process, by the first exporter; it is never torn down, because other parts of the process may use it.
#include "ptcvm/otel.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <random>
#include <thread>

namespace ptcvm {
namespace {

constexpr std::size_t kMostAnswerBytes = 64u << 10;
constexpr std::size_t kShownAnswerBytes = 200;

bool is_curl_ready() {
  static const CURLcode made = curl_global_init(CURL_GLOBAL_DEFAULT);   // once, and others wait for it
  return made == CURLE_OK;
}

struct FreeCurl {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  void operator()(char* text) const { curl_free(text); }
};
template <class T>
using Curl = std::unique_ptr<T, FreeCurl>;

// Returns the whole URL, or "" when the text is not a URL for http or https.
std::string whole_url(const std::string& endpoint) {
  const Curl<CURLU> url(curl_url());
  if (url == nullptr || curl_url_set(url.get(), CURLUPART_URL, endpoint.c_str(), 0) != CURLUE_OK) return {};
  const auto part = [&url](CURLUPart which) {
    char* text = nullptr;
    if (curl_url_get(url.get(), which, &text, 0) != CURLUE_OK) return std::string();
    const Curl<char> owned(text);
    return std::string(text);
  };
  const std::string scheme = part(CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") return {};
  if (part(CURLUPART_PATH) == "/") curl_url_set(url.get(), CURLUPART_PATH, "/v1/traces", 0);
  return part(CURLUPART_URL);
}

// A line break in a header would begin another header.
bool is_header(const std::string& name, const std::string& value) {
  const auto is_token = [](char c) { return c > ' ' && c < 127 && c != ':'; };
  const auto is_control = [](char c) { return c == '\r' || c == '\n' || c == '\0'; };
  return !name.empty() && std::all_of(name.begin(), name.end(), is_token) &&
         std::none_of(value.begin(), value.end(), is_control);
}

std::size_t keep_answer(char* bytes, std::size_t, std::size_t count, void* into) {
  auto& answer = *static_cast<std::string*>(into);
  try {
    answer.append(bytes, std::min(count, kMostAnswerBytes - answer.size()));
  } catch (...) {
    return 0;       // ends the transfer
  }
  return count;
}

// What a collector refused of a request that it took: partialSuccess. "": nothing.
std::string partial_refusal(const std::string& answer) {
  boost::system::error_code error;
  const boost::json::value read = boost::json::parse(answer, error);
  const boost::json::object* const object = error ? nullptr : read.if_object();
  const boost::json::value* const partial = object == nullptr ? nullptr : object->if_contains("partialSuccess");
  const boost::json::object* const said = partial == nullptr ? nullptr : partial->if_object();
  const boost::json::value* const count = said == nullptr ? nullptr : said->if_contains("rejectedSpans");
  if (count == nullptr) return {};
  const boost::json::string* const text = count->if_string();    // 64 bits are a text in this encoding
  const std::string number = text != nullptr ? std::string(text->c_str()) : boost::json::serialize(*count);
  if (number == "0") return {};
  const boost::json::value* const why = said->if_contains("errorMessage");
  const bool is_said = why != nullptr && why->is_string();
  return "refused " + number + " spans" + (is_said ? ": " + std::string(why->as_string().c_str()) : "");
}

// Failures of the way to the collector. Others (a certificate that is refused) stay as they are.
bool may_pass(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE: return true;
    default: return false;
  }
}

std::string one_line(std::string text) {
  if (text.size() > kShownAnswerBytes) text.resize(kShownAnswerBytes);
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c > 126; }, ' ');
  const std::size_t end = text.find_last_not_of(' ');
  return text.substr(0, end + 1);
}

}  // namespace

struct OtlpExporter::State {
  enum class Next { Done, Again, Failed };

  explicit State(OtlpOptions wanted) : options(std::move(wanted)) {
    if (!is_curl_ready()) return;
    url = whole_url(options.endpoint);
    curl.reset(curl_easy_init());
    if (options.seed == 0) options.seed = (std::uint64_t{std::random_device()()} << 32u) | std::random_device()();
    jitter.seed(options.seed);
  }

  std::optional<OtlpError> failed(OtlpError::Kind kind, std::string message) const {
    return OtlpError{kind, http_status, attempts, std::move(message)};
  }

  std::optional<OtlpError> prepare(std::string_view body) {
    http_status = attempts = 0;
    if (curl == nullptr) return failed(OtlpError::Kind::Broken, "libcurl cannot be used");
    if (url.empty()) return failed(OtlpError::Kind::BadOptions, "the endpoint is no URL of http or https");
    curl_easy_reset(curl.get());
    list.reset();
    if (!add_header("Content-Type: application/json") || !add_header("Expect:")) {
      return failed(OtlpError::Kind::Broken, "out of memory");
    }
    for (const auto& [name, value] : options.headers) {
      if (!is_header(name, value)) return failed(OtlpError::Kind::BadOptions, "a header is malformed");
      // An empty value is written with a semicolon, else libcurl takes the header away.
      if (!add_header(value.empty() ? name + ';' : name + ": " + value)) {
        return failed(OtlpError::Kind::Broken, "out of memory");
      }
    }
    CURL* const handle = curl.get();
    curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(options.timeout_ms));
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, list.get());
    curl_easy_setopt(handle, CURLOPT_POST, 1L);
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, body.data());
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, keep_answer);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &answer);
    return std::nullopt;
  }

  bool add_header(const std::string& line) {
    curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) return false;
    static_cast<void>(list.release());
    list.reset(longer);
    return true;
  }

  // One request. What went wrong, when it was not taken, is in `complaint`.
  Next attempt(std::string& complaint) {
    ++attempts;
    answer.clear();
    http_status = 0;
    if (const CURLcode code = curl_easy_perform(curl.get()); code != CURLE_OK) {
      complaint = curl_easy_strerror(code);
      return may_pass(code) ? Next::Again : Next::Failed;
    }
    long status = 0;
    curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
    http_status = static_cast<std::uint32_t>(status);
    if (status >= 200 && status < 300) return Next::Done;
    complaint = "HTTP status " + std::to_string(status);
    if (const std::string said = one_line(answer); !said.empty()) complaint += ": " + said;
    const bool passes = status == 429 || status == 502 || status == 503 || status == 504;
    return passes ? Next::Again : Next::Failed;
  }

  // Half of the time is certain, the other half is left to chance, so that many exporters do not come back together.
  std::chrono::milliseconds pause() {
    std::uint64_t most = options.backoff_ms;
    for (std::uint32_t k = 1; k < attempts && most < options.most_backoff_ms; ++k) most *= 2;
    const std::uint64_t chance = jitter() % (most / 2 + 1);
    std::uint64_t millis = most / 2 + chance;
    curl_off_t asked = 0;
    curl_easy_getinfo(curl.get(), CURLINFO_RETRY_AFTER, &asked);
    const auto asked_s = static_cast<std::uint64_t>(std::clamp<curl_off_t>(asked, 0, 1'000'000));
    millis = std::max(millis, asked_s * 1000);
    return std::chrono::milliseconds(std::min<std::uint64_t>(millis, options.most_backoff_ms));
  }

  std::optional<OtlpError> send(std::string_view body) {
    if (auto error = prepare(body)) return error;
    std::string complaint;
    for (;;) {
      switch (attempt(complaint)) {
        case Next::Done:
          complaint = partial_refusal(answer);
          if (complaint.empty()) return std::nullopt;
          return failed(OtlpError::Kind::Partial, one_line(std::move(complaint)));
        case Next::Failed:
          return failed(http_status == 0 ? OtlpError::Kind::Unavailable : OtlpError::Kind::Refused,
                        std::move(complaint));
        case Next::Again: break;
      }
      if (attempts >= options.most_attempts) {
        complaint += " (after " + std::to_string(attempts) + (attempts == 1 ? " attempt)" : " attempts)");
        return failed(OtlpError::Kind::Unavailable, std::move(complaint));
      }
      std::this_thread::sleep_for(pause());
    }
  }

  OtlpOptions options;
  std::string url, answer;
  Curl<CURL> curl;
  Curl<curl_slist> list;
  std::mt19937_64 jitter;
  std::uint32_t http_status = 0, attempts = 0;
};

OtlpExporter::OtlpExporter(OtlpOptions options) noexcept {
  try {
    state_ = std::make_unique<State>(std::move(options));
  } catch (...) {
    state_ = nullptr;      // send() says so
  }
}

OtlpExporter::~OtlpExporter() = default;
OtlpExporter::OtlpExporter(OtlpExporter&& other) noexcept = default;
OtlpExporter& OtlpExporter::operator=(OtlpExporter&& other) noexcept = default;

std::optional<OtlpError> OtlpExporter::send(std::string_view otlp_json) noexcept {
  OtlpError broken;
  broken.kind = OtlpError::Kind::Broken;
  broken.message = "out of memory";      // short enough to need none
  if (state_ == nullptr) return broken;
  try {
    return state_->send(otlp_json);
  } catch (...) {
    return broken;
  }
}

}  // namespace ptcvm

#include "agents/wire/refusal.h"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <chrono>
#include <optional>

#include "agents/wire/json_member.h"

namespace ptcvm::wire {

namespace {

namespace json = boost::json;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::optional<double> read_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= 0)) return std::nullopt;
  return number;
}

std::optional<unsigned> read_digits(std::string_view text, std::size_t at, std::size_t count) {
  unsigned number = 0;
  const char* const first = text.data() + at;
  const auto [end, error] = std::from_chars(first, first + count, number);
  if (error != std::errc() || end != first + count) return std::nullopt;
  return number;
}

// Reads `Wed, 21 Oct 2015 07:28:00 GMT` (RFC 9110, section 5.6.7), in milliseconds since 1970.
std::optional<std::int64_t> read_http_date(std::string_view text) {
  constexpr std::size_t kLength = 29;
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (text.size() != kLength || !text.ends_with(" GMT")) return std::nullopt;
  const auto month = std::find(kMonths.begin(), kMonths.end(), text.substr(8, 3));
  const auto day = read_digits(text, 5, 2), year = read_digits(text, 12, 4);
  const auto hour = read_digits(text, 17, 2), minute = read_digits(text, 20, 2), second = read_digits(text, 23, 2);
  if (month == kMonths.end() || !day || !year || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(month - kMonths.begin()) + 1),
                                         std::chrono::day(*day)};
  if (!date.ok()) return std::nullopt;
  const auto time = std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
                    std::chrono::seconds(*second);
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

std::optional<std::int64_t> read_wait(const Headers& headers, std::int64_t now_unix_ms) {
  constexpr double kMostMs = 1e15;
  if (const auto ms = read_number(header(headers, "retry-after-ms")); ms && *ms > 0 && *ms < kMostMs) {
    return static_cast<std::int64_t>(*ms);
  }
  const std::string_view after = header(headers, "retry-after");
  if (const auto seconds = read_number(after)) {
    if (*seconds <= 0 || *seconds * 1000 >= kMostMs) return std::nullopt;
    return static_cast<std::int64_t>(*seconds * 1000);
  }
  const auto date = read_http_date(after);
  if (!date || *date <= now_unix_ms) return std::nullopt;
  return *date - now_unix_ms;
}

bool is_used_up(const json::value& error) {
  for (const std::string_view name : {"code", "type"}) {
    const std::string_view word = text_member(error, name).value_or("");
    if (word == "insufficient_quota" || word == "billing_error" || word == "billing_hard_limit_reached" ||
        word == "billing_not_active") {
      return true;
    }
  }
  return false;
}

// The words of a refusal, as the clients of the providers put them together.
void describe(Protocol protocol, const json::value& document, ReplyError& error) {
  const json::value* const inner = member(document, "error");
  if (protocol == Protocol::Messages) {
    const json::value* const type = inner == nullptr ? nullptr : member(*inner, "type");
    if (has_value(type)) error.code = *type;
    const auto message = text_member(document, "message");
    error.message += message ? std::string(*message) : json::serialize(document);
    return;
  }
  if (!has_value(inner)) {
    error.message += json::serialize(document);
    return;
  }
  error.code = first_member(*inner, "type", "code");
  const auto message = text_member(*inner, "message");
  error.message += message ? std::string(*message) : json::serialize(*inner);
}

}  // namespace

std::string_view header(const Headers& headers, std::string_view name) {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  for (const auto& [key, value] : headers) {
    if (std::equal(key.begin(), key.end(), name.begin(), name.end(), same)) return value;
  }
  return {};
}

bool status_allows_retry(int status, const Headers& headers) {
  const std::string_view word = header(headers, "x-should-retry");
  if (word == "true") return true;
  if (word == "false") return false;
  return status == 408 || status == 409 || status == 429 || status >= 500;
}

ReplyError read_refusal(Protocol protocol, int status, const Headers& headers, std::string_view body,
                        std::int64_t now_unix_ms) {
  ReplyError error{ReplyError::Kind::Status, status, nullptr, std::to_string(status) + ' ', false, {}};
  boost::system::error_code not_json;
  const json::value document = json::parse(body, not_json);
  if (not_json) {
    error.message += body.empty() ? std::string_view("status code (no body)") : body;
  } else {
    describe(protocol, document, error);
  }
  const json::value* const inner = member(document, "error");
  error.is_retryable = status_allows_retry(status, headers) && !(inner != nullptr && is_used_up(*inner));
  if (error.is_retryable) error.retry_wait_ms = read_wait(headers, now_unix_ms);
  return error;
}

}  // namespace ptcvm::wire

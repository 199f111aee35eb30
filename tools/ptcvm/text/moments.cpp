#include "tools/ptcvm/text/moments.h"

#include <chrono>

#include "vm/value/calendar.h"

namespace ptcvm::cli {
namespace {

constexpr std::int64_t kLastSecond = 253'402'300'799;   // the end of the year 9999

bool is_date(std::int64_t millis) { return millis >= 0 && millis / 1000 <= kLastSecond; }

std::string span_text(std::int64_t millis) {
  const std::int64_t seconds = millis / 1000;
  if (seconds < 120) return std::to_string(seconds) + " s";
  if (seconds < 7200) return std::to_string(seconds / 60) + " min";
  if (seconds < 172'800) return std::to_string(seconds / 3600) + " h";
  return std::to_string(seconds / 86'400) + " d";
}

}  // namespace

std::int64_t now_millis() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::string moment_text(std::int64_t millis) {
  if (!is_date(millis)) return std::to_string(millis) + " ms";
  std::string text;
  ptc::append_instant(text, {millis / 1000, 0});
  return text;
}

std::string moment_text(std::int64_t millis, std::int64_t now_ms) {
  if (!is_date(millis)) return moment_text(millis);
  return moment_text(millis) + " (" + distance_text(millis, now_ms) + ')';
}

std::string distance_text(std::int64_t millis, std::int64_t now_ms) {
  const std::int64_t left = millis - now_ms;
  return left > 0 ? "in " + span_text(left) : span_text(-left) + " ago";
}

std::string duration_text(std::uint64_t micros) {
  const auto tenths = [](std::uint64_t count) { return std::to_string(count / 10) + '.' + std::to_string(count % 10); };
  if (micros < 1000) return std::to_string(micros) + " us";
  if (micros < 1'000'000) return tenths(micros / 100) + " ms";
  if (micros < 120'000'000) return tenths(micros / 100'000) + " s";
  return span_text(static_cast<std::int64_t>(micros / 1000));
}

}  // namespace ptcvm::cli

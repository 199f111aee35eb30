#include "agents/loop/model_retry.h"

#include <algorithm>
#include <array>
#include <string>

namespace ptcvm::loop {

namespace {

constexpr std::uint32_t kMostAttempts = 10;
constexpr std::int64_t kFirstPauseMs = 1'000, kLongestPauseMs = 60'000, kLongestWaitMs = 3'600'000;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

std::string code_text(const wire::ReplyError& error) {
  return error.code.is_string() ? lower(std::string_view(error.code.get_string())) : std::string();
}

template <std::size_t N>
bool says_one(const wire::ReplyError& error, const std::array<std::string_view, N>& words) {
  const std::string said = code_text(error) + " " + lower(error.message);
  return std::any_of(words.begin(), words.end(), [&](auto word) { return said.find(word) != std::string::npos; });
}

constexpr auto kTooLong = std::to_array<std::string_view>(
    {"context_length_exceeded", "prompt is too long", "maximum context length", "context window", "input is too long"});
constexpr auto kOpaque = std::to_array<std::string_view>(
    {"signature in thinking", "invalid signature", "encrypted_content", "encrypted content", "thinking block",
     "reasoning item"});
constexpr auto kPassing = std::to_array<std::string_view>(
    {"overloaded", "rate_limit", "server_error", "api_error", "timeout", "unavailable"});

// Returns a number for the text that looks random (FNV-1a).
std::uint64_t scattered(std::string_view text, std::uint32_t attempt) {
  std::uint64_t hash = 14'695'981'039'346'656'037u + attempt;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211u;
  return hash ^ (hash >> 31);
}

}  // namespace

FailureRemedy remedy_of(const wire::ReplyError& error, std::uint32_t attempt) {
  using Kind = wire::ReplyError::Kind;
  const bool is_refused = error.kind == Kind::Status && (error.status == 400 || error.status == 413);
  if (is_refused && says_one(error, kTooLong)) return FailureRemedy::Shorten;
  if (is_refused && says_one(error, kOpaque)) return FailureRemedy::LeaveOpaqueOut;
  const bool passes = error.is_retryable || (error.kind == Kind::InStream && says_one(error, kPassing));
  return passes && attempt < kMostAttempts ? FailureRemedy::TryAgain : FailureRemedy::GiveUp;
}

std::int64_t pause_ms(const wire::ReplyError& error, std::uint32_t attempt, std::string_view run) {
  if (error.retry_wait_ms) return std::clamp<std::int64_t>(*error.retry_wait_ms, 0, kLongestWaitMs);
  const std::uint32_t doublings = std::min(attempt - 1, 6u);
  const std::int64_t pause = std::min(kFirstPauseMs << doublings, kLongestPauseMs);
  return pause / 2 + static_cast<std::int64_t>(scattered(run, attempt) % static_cast<std::uint64_t>(pause / 2 + 1));
}

}  // namespace ptcvm::loop

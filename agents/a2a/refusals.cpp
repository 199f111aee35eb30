#include "agents/a2a/refusals.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "agents/a2a/json_rpc.h"
#include "agents/harness/facts/json_members.h"
#include "agents/harness/sending/outbox.h"

namespace ptcvm::a2a {

namespace json = boost::json;

namespace {

using harness::kNotReached;
using harness::kNotTaken;

// An answer after which the message was surely not taken. What is not in the tables leaves it in flight.
struct Refusal {
  int code;
  std::string_view detail;
  std::string_view why;   // what the answer means: for who reads the table
};

constexpr Refusal kStatuses[] = {
    {400, kNotTaken, "the request was not understood"},
    {401, kNotTaken, "nobody is served without a token that is known"},
    {403, kNotTaken, "this token opens nothing here"},
    {404, kNotTaken, "there is no agent at this address"},
    {405, kNotTaken, "nothing is posted to this address"},
    {407, kNotTaken, "the proxy let nothing through"},
    {410, kNotTaken, "the agent at this address is gone"},
    {411, kNotTaken, "the request was not read without its length"},
    {413, kNotTaken, "the request is too large, and was not read"},
    {414, kNotTaken, "the address is too long"},
    {415, kNotTaken, "no such type of a body is read"},
    {417, kNotTaken, "the body was not waited for"},
    {421, kNotTaken, "the server does not answer for this host"},
    {422, kNotTaken, "the request was read, and cannot be carried out"},
    {426, kNotTaken, "nothing is read with this protocol"},
    {429, kNotReached, "too many requests: this one was put off, and may be made again"},
    {431, kNotTaken, "the head is too large, and the body was not read"},
};
// Not in the table: 2xx but 200 (carried out, or begun), 3xx (somebody else may have it), 402, 406 and 409 (said after
// the request was looked at, perhaps after it was carried out), 408 and 499 (the time was over in the middle), and all
// from 500 on.

constexpr Refusal kCodes[] = {
    {static_cast<int>(RpcCode::Parse), {}, "the request was not read"},
    {static_cast<int>(RpcCode::InvalidRequest), {}, "it is no request"},
    {static_cast<int>(RpcCode::MethodNotFound), {}, "there is no such method"},
    {static_cast<int>(RpcCode::InvalidParams), {}, "the message is not taken as it is"},
    {static_cast<int>(RpcCode::TaskNotFound), {}, "there is no such task"},
    {static_cast<int>(RpcCode::Unsupported), {}, "the server does no such thing"},
    {static_cast<int>(RpcCode::WrongContent), {}, "the server reads no such parts"},
    {static_cast<int>(RpcCode::TryAgain), kNotReached, "of ptcvm: not now"},
};
// Not in the table: -32603 (something broke in the middle), -32006 (the agent had the message, and answered nonsense),
// and the codes of servers and applications, which mean what nobody here knows.

// Returns the row of the code, or nullptr.
template <std::size_t N>
const Refusal* row_of(const Refusal (&rows)[N], std::int64_t code) {
  const auto* const found = std::ranges::find(rows, code, &Refusal::code);
  return found == std::end(rows) ? nullptr : found;
}

}  // namespace

std::string_view detail_of_status(int status) {
  const Refusal* const row = row_of(kStatuses, status);
  return row == nullptr ? harness::kMayBeSent : row->detail;
}

// By JSON-RPC a code is a whole number and a message is a text, which may be empty: an error with others says nothing.
std::string_view detail_of_failure(const json::object& failure) {
  const json::value* const code = failure.if_contains("code");
  const json::value* const message = failure.if_contains("message");
  const bool is_error = code != nullptr && code->is_int64() && message != nullptr && message->is_string();
  const Refusal* const row = is_error ? row_of(kCodes, code->get_int64()) : nullptr;
  return row == nullptr ? harness::kMayBeSent : row->detail;
}

bool is_of_unread_request(const json::object& failure) {
  const json::value* const code = failure.if_contains("code");
  if (code == nullptr || !code->is_int64()) return false;
  return code->get_int64() == static_cast<int>(RpcCode::Parse) ||
         code->get_int64() == static_cast<int>(RpcCode::InvalidRequest);
}

}  // namespace ptcvm::a2a

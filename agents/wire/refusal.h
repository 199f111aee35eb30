// What an HTTP status other than 200 means: what went wrong, whether the request may be sent again, and when.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/wire/reply.h"

namespace ptcvm::wire {

using Headers = std::vector<std::pair<std::string, std::string>>;   // names in any case

// Returns the value of the first header of that name, or an empty view. Case does not count.
std::string_view header(const Headers& headers, std::string_view name);

// Reads the body of a refused request. `now_unix_ms` is the time of the host, which a date in `retry-after` needs.
//
// Retried are 408, 409, 429 and everything from 500 on; `x-should-retry` goes before the status. A 429 that says that a
// quota or the money is used up is never retried, whatever the headers say.
ReplyError read_refusal(Protocol protocol, int status, const Headers& headers, std::string_view body,
                        std::int64_t now_unix_ms);

// Returns whether status and headers alone allow another attempt, as the clients of the providers decide.
bool status_allows_retry(int status, const Headers& headers);

}  // namespace ptcvm::wire

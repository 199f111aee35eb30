// The rules of a mailbox: a folder in which each request to a model is a file N.request.json, and its answer is awaited
// as N.reply.json. A person or another program is the model. Files are read and written by drivers/mailbox.
//
//   N.request.json   {"number": 1, "key": "…", "path": "", "protocol": "chat", "callable": ["pay"], "request": {…}}
//   N.reply.json     a line of a script without `for` and `expect`: {"program": "…"}, {"text": "…"}, {"http": 429, …}
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "agents/replay/model_call.h"
#include "agents/replay/replay_failure.h"

namespace ptcvm::replay {

// Numbers begin with 1.
std::string mailbox_request_name(std::size_t number);
std::string mailbox_reply_name(std::size_t number);
// Returns the number of a request or a reply from the name of its file, or nullopt for every other name.
std::optional<std::size_t> mailbox_number(std::string_view file_name);

// Writes a request. `key` names the call of the model, and a driver that starts again finds its request by the key.
std::string write_mailbox_request(std::size_t number, std::string_view key, const ModelCall& call);
// Returns the key of a request, or nullopt when the text is no request of a mailbox.
std::optional<std::string> mailbox_key(std::string_view request);
// Reads a reply. Failure: mailbox_invalid, with the name of the file.
Replayed<HttpAnswer> read_mailbox_reply(std::size_t number, std::string_view reply, const ModelCall& call);

}  // namespace ptcvm::replay

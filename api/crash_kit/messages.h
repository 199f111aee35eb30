// What processes of the crash kit send each other: lists of texts over a socket.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace ptcvm::crash {

using Message = std::vector<std::string>;

// Return the fields as one text, and the fields of such a text.
std::string encode(const Message& fields);
Message decode(const std::string& bytes);

// Sends a message. Returns false when the other side has gone.
bool send_message(int socket, const Message& fields);
// Waits for a message. Returns nullopt when the other side has gone before the end of a message.
std::optional<Message> receive_message(int socket);

}  // namespace ptcvm::crash

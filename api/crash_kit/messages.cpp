#include "api/crash_kit/messages.h"

#include <sys/socket.h>

#include <cstdint>
#include <cstring>

namespace ptcvm::crash {
namespace {

using Size = std::uint32_t;

std::string size_bytes(std::size_t size) {
  const auto number = static_cast<Size>(size);
  std::string out(sizeof number, '\0');
  std::memcpy(out.data(), &number, sizeof number);
  return out;
}

std::size_t size_at(const std::string& bytes, std::size_t at) {
  Size number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

std::optional<std::string> receive_bytes(int socket, std::size_t size) {
  std::string out(size, '\0');
  for (std::size_t had = 0; had < size;) {
    const ssize_t count = recv(socket, out.data() + had, size - had, 0);
    if (count <= 0) return std::nullopt;
    had += static_cast<std::size_t>(count);
  }
  return out;
}

}  // namespace

std::string encode(const Message& fields) {
  std::string out;
  for (const std::string& field : fields) out += size_bytes(field.size()) + field;
  return out;
}

Message decode(const std::string& bytes) {
  Message out;
  for (std::size_t at = 0; at + sizeof(Size) <= bytes.size();) {
    const std::size_t size = size_at(bytes, at);
    out.push_back(bytes.substr(at + sizeof(Size), size));
    at += sizeof(Size) + size;
  }
  return out;
}

// A message is its size and its fields.
bool send_message(int socket, const Message& fields) {
  const std::string body = encode(fields);
  const std::string bytes = size_bytes(body.size()) + body;
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<Message> receive_message(int socket) {
  const auto head = receive_bytes(socket, sizeof(Size));
  if (!head) return std::nullopt;
  const auto body = receive_bytes(socket, size_at(*head, 0));
  if (!body) return std::nullopt;
  return decode(*body);
}

}  // namespace ptcvm::crash

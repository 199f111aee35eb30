#include "tests/postgres/cutting_proxy.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace ptc::test {
namespace {

constexpr char kSocket[] = "/.s.PGSQL.5432";

sockaddr_un address_of(const std::string& path) {
  sockaddr_un out{};
  out.sun_family = AF_UNIX;
  std::strncpy(out.sun_path, path.c_str(), sizeof out.sun_path - 1);
  return out;
}

// Passes on what is there. Returns false when the side has ended.
bool pass(int from, int to) {
  std::array<char, 65'536> bytes;
  const ssize_t size = read(from, bytes.data(), bytes.size());
  for (ssize_t done = 0; done < size;) {
    const ssize_t part = send(to, bytes.data() + done, static_cast<std::size_t>(size - done), MSG_NOSIGNAL);
    if (part <= 0) return false;
    done += part;
  }
  return size > 0;
}

}   // namespace

CuttingProxy::CuttingProxy(std::string socket) : server_(std::move(socket)) {
  std::string pattern = "/tmp/ptc_proxy_XXXXXX";
  if (mkdtemp(pattern.data()) != nullptr) folder_ = pattern;
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(folder_ + kSocket);
  if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || listen(listener_, 16) != 0) {
    std::abort();
  }
  acceptor_ = std::thread([this] { accept_all(); });
}

CuttingProxy::~CuttingProxy() {
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  for (std::thread& each : forwarders_) each.join();
  close(listener_);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string CuttingProxy::url(const std::string& database) const {
  return "postgresql://ptc@/" + database + "?host=" + folder_;
}

void CuttingProxy::accept_all() {
  for (;;) {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    forwarders_.emplace_back([this, client] { forward(client); });
  }
}

void CuttingProxy::forward(int client) {
  const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(server_);
  bool goes_on = connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  CutPlace place = CutPlace::Nowhere;   // where the call that is under way is cut
  while (goes_on) {
    std::array<pollfd, 2> sides{{{client, POLLIN, 0}, {server, POLLIN, 0}}};
    poll(sides.data(), sides.size(), -1);
    if (sides[0].revents != 0) {
      if (next_ != CutPlace::Nowhere && parts_-- <= 0) place = next_.exchange(CutPlace::Nowhere);
      if (place == CutPlace::BeforeCall) break;
      goes_on = pass(client, server);
      if (place == CutPlace::AfterCall) break;
    }
    if (goes_on && sides[1].revents != 0) {
      if (place == CutPlace::BeforeAnswer) break;
      goes_on = pass(server, client);
    }
  }
  if (goes_on) ++cuts_;
  close(client);
  close(server);
}

}   // namespace ptc::test

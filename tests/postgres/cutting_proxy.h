// Stands between a store and its server, and cuts the connection when it is told to: before a call reaches the server,
// when the server has it, or when the server has answered and the answer is on its way.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace ptc::test {

enum class CutPlace : std::uint8_t { Nowhere, BeforeCall, AfterCall, BeforeAnswer };

class CuttingProxy {
 public:
  // `socket` is the path of the server's socket. Listens in a temporary folder of its own.
  explicit CuttingProxy(std::string socket);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  std::string url(const std::string& database) const;
  // Cuts the next call, once. A call of many parts can be cut at a later one: `parts` go through before.
  void cut_next(CutPlace place, int parts = 0) {
    parts_ = parts;
    next_ = place;
  }
  int cuts() const { return cuts_; }

 private:
  void accept_all();
  void forward(int client);

  const std::string server_;
  std::string folder_;
  int listener_ = -1;
  std::atomic<CutPlace> next_{CutPlace::Nowhere};
  std::atomic<int> parts_{0}, cuts_{0};
  std::thread acceptor_;
  std::vector<std::thread> forwarders_;   // used by the acceptor until it has ended
};

}   // namespace ptc::test

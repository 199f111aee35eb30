// How often one server of models is asked: a rule of the host, and what the server has said about waiting. A pure state
// of a few numbers, which a host keeps in memory or in a store.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::loop {

// At most so many requests in each window of time, wherever the window begins; 0 requests: only the server's own words
// count.
struct RateRule {
  std::uint32_t requests = 0;
  std::int64_t window_ms = 60'000;
};

class RateBucket {
 public:
  explicit RateBucket(RateRule rule) : rule_(rule) {}
  // Reads what text() wrote. A text that cannot be read gives a bucket that nobody has used.
  static RateBucket read(RateRule rule, std::string_view text);

  // Takes a place for a request that goes out now, and returns 0; or returns the time, in ms since 1970, at which to
  // ask again. A request leaves the window as long after it went out as the window is.
  std::int64_t take(std::int64_t now_ms);
  // Lets nothing out before this time, because the server said so. An earlier time than the one that is known changes
  // nothing, and returns false.
  bool close(std::int64_t until_ms);
  std::string text() const;

 private:
  // Requests that went out up to this time, and after the moment before.
  struct Moment {
    std::int64_t last_ms = 0;
    std::uint32_t requests = 0;
  };
  void forget(std::int64_t now_ms);
  std::int64_t moment_of(std::int64_t now_ms) const;   // Moment::last_ms for a request that goes out now

  RateRule rule_;
  std::int64_t closed_ms_ = 0;
  std::vector<Moment> sent_;       // in the window, oldest first
};

}  // namespace ptcvm::loop

// A store for lists of runs: runs() reads a page of overviews in one call, and the calls that follow about a run of it
// are answered from the page. They say what was so when the page was read. What an overview leaves out is asked of the
// store below, and so is what is asked about other runs. parked() gives no snapshot.
//
// For reading: what is written through it changes no overview.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/log/forwarding_store.h"

namespace ptc {

// What lists show of a run.
struct Overview {
  RunInfo info;
  bool is_known = false;                   // false: only `info` was read
  std::vector<Fact> facts;                 // all facts of a short log; else the notable ones up to the head, in order
  std::vector<Fact> open_calls;            // the intents of open calls, in order
  std::optional<Parked> parked;            // without its snapshot
};

// A store that is far away, and reads a page of overviews at once. It may leave out what is large.
class OverviewSource {
 public:
  virtual ~OverviewSource() = default;
  // Returns what FactStore::runs() returns, with more of each run.
  virtual StoreResult<std::vector<Overview>> overviews(std::string_view after, std::size_t most) = 0;
};

// Returns the overviews of a store of that kind, and else lines alone.
StoreResult<std::vector<Overview>> overviews_of(FactStore& store, std::string_view after, std::size_t most);

class ListingStore : public ForwardingStore {
 public:
  explicit ListingStore(FactStore& store) : ForwardingStore(store) {}

  StoreResult<std::vector<RunInfo>> runs(std::string_view after, std::size_t most) override;
  StoreResult<std::optional<RunInfo>> info(std::string_view log) override;
  StoreResult<std::vector<Fact>> read(std::string_view log, std::uint64_t after, std::size_t most) override;
  StoreResult<std::vector<Fact>> read_notable(std::string_view log, std::uint64_t after, std::size_t most) override;
  StoreResult<std::vector<Fact>> open_calls(std::string_view log) override;
  StoreResult<std::optional<Parked>> parked(std::string_view log) override;

 private:
  // Returns the overview of a run of the page that has more than its line, or null.
  std::shared_ptr<const Overview> known(std::string_view log) const;

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Overview>, std::less<>> page_;   // the last one
};

}   // namespace ptc

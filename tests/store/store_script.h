// A fixed run against a store whose disk may fail: puts, parks, answers, a resume. Remembers of each call what it said,
// and compares that with a store in which no fault is left.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "runtime/log/fact_store.h"

namespace ptc {

class StoreScript {
 public:
  static std::uint64_t prepare(FactStore& store);           // on a good disk; gives the token of the run
  explicit StoreScript(std::uint64_t token) : token_(token) {}

  // With `flushes`, a call that went well holds only when a later flush() did.
  void run(FactStore& store, bool flushes);
  // Everything that was said is so; whatever belongs together is there together.
  void check(FactStore& store) const;
  // For disks that lie: what is there is a beginning of what was written, or the store says that it is damaged.
  void check_beginning(FactStore& store) const;

 private:
  enum class Fate : std::uint8_t { No, Soft, Yes, Unknown };

  void put(FactStore& store, std::uint64_t token, std::vector<Fact> facts);
  void park(FactStore& store, const std::string& name, std::size_t snapshot_bytes);
  void flush(FactStore& store);
  template <class T>
  void note(const std::vector<Fact>& facts, const StoreResult<T>& result);

  const std::uint64_t token_;
  bool flushes_ = false;
  std::map<std::string, Fate> fates_;       // of keys
  std::vector<std::string> order_;          // in which they were tried
};

}  // namespace ptc

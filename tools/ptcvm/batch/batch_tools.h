// The tools of batch --tools FILE: commands that requests call. A call blocks the thread that answers the request, and
// threads answer requests at the same time, so each call takes a set of commands of its own. A process that stays is
// started once for each set.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ptcvm/tools.hpp"

namespace ptcvm::cli {

class BatchTools {
 public:
  // Reads the files. Returns nullopt when one cannot be read; `message` then says why.
  static std::optional<BatchTools> read(const std::vector<std::string>& paths, std::string& message);

  // Adds every tool that the list does not have. Safe to call from several threads.
  void add_to(Tools& tools) const;

 private:
  struct Pool;
  explicit BatchTools(std::shared_ptr<Pool> pool) : pool_(std::move(pool)) {}

  std::shared_ptr<Pool> pool_;
};

}  // namespace ptcvm::cli

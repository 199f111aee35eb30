// Jobs as lines of JSON: ptcvm enqueue --bulk.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "ptcvm/queues.hpp"

namespace ptcvm::cli {

// Reads lines over and over. A file of a program is read once.
class BulkJobs {
 public:
  // `usual` has what lines leave out: the program of the command line, the queue, and so on.
  explicit BulkJobs(QueuedJob usual) : usual_(std::move(usual)) {}

  // Returns the job of a line. Returns nullopt and why when the line is refused: it is no JSON, has a member that
  // nobody knows, or a value that makes no sense.
  std::optional<QueuedJob> read(std::string_view line, std::string& message);

 private:
  const std::string* program_of(const std::string& path, std::string& message);

  const QueuedJob usual_;
  std::map<std::string, std::string, std::less<>> programs_;   // by path
};

}  // namespace ptcvm::cli

// The outside world of the example: an account whose transfers are lines of a file. A transfer that comes again under
// its key is the same transfer, so that a call may be made again when nobody knows whether it happened.
#pragma once
#include <boost/json.hpp>
#include <map>
#include <string>
#include <string_view>

#include "ptcvm/result.hpp"

class Bank {
 public:
  // The file may be missing; the first transfer makes it.
  explicit Bank(std::string path);

  // Calls a tool of agent.json with its arguments. The error is a sentence for the model.
  ptcvm::Result<boost::json::value> call(std::string_view tool, std::string_view key, const std::string& args_json);

 private:
  ptcvm::Result<boost::json::value> transfer(std::string_view key, const boost::json::object& args);

  std::string path_;
  std::map<std::string, std::string, std::less<>> receipts_;   // by key
  std::int64_t cents_ = 1'250'000;
};

#include "tools/ptcvm/text/json_file.h"

#include <boost/json/parse.hpp>
#include <utility>

#include "ptcvm/json.hpp"
#include "tools/ptcvm/text/json_problem.h"

namespace ptcvm::cli {
namespace json = boost::json;

std::optional<json::value> read_json_file(const std::string& path, const FileBound& bound, std::string& message) {
  const auto text = read_file(path, message, bound);
  if (!text) return std::nullopt;
  boost::system::error_code error;
  json::value value = json::parse(*text, error);
  if (error) {
    message = path + " is no JSON: " + json_problem(*text, error.message());
    return std::nullopt;
  }
  const std::string doubled = doubled_member(*text);
  if (doubled.empty()) return value;
  message = path + ": the member " + doubled + " is written twice";
  return std::nullopt;
}

}  // namespace ptcvm::cli

#include "bank.h"

#include <fstream>

namespace json = boost::json;

namespace {

ptcvm::Error refusal(std::string why) { return {ptcvm::Errc::refused, std::move(why), std::nullopt, {}}; }

}  // namespace

Bank::Bank(std::string path) : path_(std::move(path)) {
  std::ifstream file(path_);
  std::string key, receipt;
  std::int64_t cents = 0;
  while (file >> key >> receipt >> cents) {
    receipts_[key] = receipt;
    cents_ -= cents;
  }
}

ptcvm::Result<json::value> Bank::call(std::string_view tool, std::string_view key, const std::string& args_json) {
  if (tool == "balance") return json::value{{"cents", cents_}};
  boost::system::error_code error;
  const json::value args = json::parse(args_json, error);
  if (tool == "transfer" && !error && args.is_object()) return transfer(key, args.get_object());
  return refusal("The bank has no such service.");
}

ptcvm::Result<json::value> Bank::transfer(std::string_view key, const json::object& args) {
  const auto known = receipts_.find(key);
  if (known != receipts_.end()) return json::value{{"receipt", known->second}};
  const json::value* const cents = args.if_contains("cents");
  if (cents == nullptr || !cents->is_int64() || cents->get_int64() <= 0 || cents->get_int64() > cents_) {
    return refusal("The amount must be more than 0 and no more than the balance.");
  }
  const std::string receipt = "receipt-" + std::to_string(4711 + receipts_.size());
  std::ofstream file(path_, std::ios::app);
  file << key << ' ' << receipt << ' ' << cents->get_int64() << '\n' << std::flush;
  if (!file) return refusal("The bank cannot write its book. Try again later.");
  cents_ -= cents->get_int64();
  receipts_.emplace(key, receipt);
  return json::value{{"receipt", receipt}};
}

// How much the models of a task may cost, and at which prices, as the command line says it and the store keeps it.
#pragma once
#include <CLI/CLI.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/loop/model_prices.h"

namespace ptcvm::cli {

struct ChainMoney {
  std::uint64_t most = 0;          // in millionths; 0: no limit
  loop::ModelPrices prices = {};   // with which the task was begun

  // Reads LIMIT=NUMBER of --limit and the file of --prices, or "". Returns nullopt when one of them cannot be used;
  // `message` then says why.
  static std::optional<ChainMoney> of(const std::vector<std::string>& limits, const std::string& prices,
                                      std::string& message);
  // Write it into a setup, and read that.
  void keep(boost::json::object& setup) const;
  static ChainMoney kept(const boost::json::object& setup);
};

void declare_chain_limit(CLI::App& command, std::vector<std::string>& limits);   // --limit
void declare_prices(CLI::App& command, std::string& file);                       // --prices
// Reads money=NUMBER. Returns nullopt for other words; `message` then says why.
std::optional<std::uint64_t> read_chain_limit(const std::string& words, std::string& message);

}  // namespace ptcvm::cli

// Costs of models as a person or a script reads them.
#include <boost/json.hpp>
#include <iostream>
#include <utility>

#include "tools/ptcvm/agent/agent_cost.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/text/text_table.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

json::object cost_json(const CostLine& line, json::object out) {
  out["model"] = line.model;
  out["calls"] = line.calls;
  out["input"] = line.input;
  out["cached"] = line.cached;
  out["cache_written"] = line.cache_written;
  out["output"] = line.output;
  out["reasoning"] = line.reasoning;
  out["money"] = line.money() ? json::value(*line.money()) : json::value();
  return out;
}

std::vector<std::string> cost_row(const CostLine& line, std::vector<std::string> cells) {
  for (std::string cell : {line.model, std::to_string(line.calls), std::to_string(line.input),
                           std::to_string(line.cached), std::to_string(line.output), line.money_text()}) {
    cells.push_back(std::move(cell));
  }
  return cells;
}

}  // namespace

void show_costs(const std::vector<CostLine>& lines, const CostNames& names, bool as_json) {
  if (const std::string why = unknown_cost(lines); !why.empty()) complain(why);
  const CostLine sum = sum_of(lines);
  if (as_json) {
    json::array rows;
    for (const CostLine& line : lines) rows.push_back(cost_json(line, names.members(line)));
    const json::object shown{{"lines", std::move(rows)}, {"sum", cost_json(sum, names.members(sum))}};
    std::cout << json::serialize(shown) << '\n';
    return;
  }
  std::vector<std::vector<std::string>> rows = {names.headings};
  for (const char* const heading : {"model", "calls", "input", "cached", "output", "money"}) {
    rows.front().emplace_back(heading);
  }
  for (const CostLine& line : lines) rows.push_back(cost_row(line, names.cells(line)));
  rows.push_back(cost_row(sum, names.cells_of_sum));
  std::cout << text_table(rows);
}

}  // namespace ptcvm::cli

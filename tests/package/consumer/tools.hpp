// The tools of both programs: a run is restored with the tools that it began with.
#pragma once
#include <cstdint>
#include <string>

#include <boost/describe.hpp>
#include <ptcvm/ptcvm.hpp>

struct Order {
  std::string customer;
  std::int64_t total = 0;
};
BOOST_DESCRIBE_STRUCT(Order, (), (customer, total))

inline ptcvm::Tools order_tools() {
  ptcvm::Tools tools;
  tools.add("order", "(id :int) -> {customer :string, total :int}",
            [](std::int64_t id) { return Order{"Ada", id * 1000}; }).value();
  tools.add("approve", "(amount :int, why :string) -> :any", [](ptcvm::ToolCall& call) { return call.pending(); },
            {.mode = ptcvm::ToolMode::Async}).value();
  return tools;
}

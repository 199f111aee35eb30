#include <ptcvm/ptcvm.hpp>

#include <cstdio>
#include <string>
#include <vector>

struct Order {
  std::string customer;
  std::int64_t amount = 0;
};
BOOST_DESCRIBE_STRUCT(Order, (), (customer, amount))

int main() {
  const ptcvm::Engine engine;          // compiles and keeps programs; shared by threads

  ptcvm::Tools tools;                  // what programs may call
  const auto added = tools.add("orders", "(most :int?) -> [{customer :string, amount :int}]",
                               [](std::optional<std::size_t> most) {
                                 std::vector<Order> all{{"Ada", 50}, {"Bo", 5}, {"Ada", 20}};
                                 if (most && *most < all.size()) all.resize(*most);
                                 return all;
                               });
  if (!added) return std::fprintf(stderr, "%s\n", added.error().message.c_str()), 1;

  const auto program = engine.compile(R"(
    (->> (tool/orders)
         (group-by :customer)
         (map (fn [[customer orders]] {:customer customer :total (sum-by :amount orders)}))
         (filter (where :total > data/least)))
  )", {.tools = &tools});
  if (!program) return std::fprintf(stderr, "%s\n", program.error().message.c_str()), 1;

  ptcvm::RunOptions options;
  options.tools = tools;
  options.data_json = R"({"least": 10})";
  options.limits.fuel = 100'000;       // a budget of work, the same on every machine
  auto run = ptcvm::Run::start(engine, *program, options);
  if (!run) return std::fprintf(stderr, "%s\n", run.error().message.c_str()), 1;

  if (run->step() == ptcvm::RunState::Failed) {
    const auto why = run->diagnostic();
    return std::fputs(why ? why->text.c_str() : run->result().to_edn().c_str(), stderr), 1;
  }
  for (const ptcvm::ValueView row : run->result().items()) {
    std::printf("%s %lld\n", std::string(*row["customer"].as_string()).c_str(),
                static_cast<long long>(*row["total"].as_int()));
  }
}

// embed_batch [RECORDS [THREADS]]: scores records in parallel. All threads share one engine and one program; each
// record is a run of its own with its own data and limits: one that is broken or endless costs the others nothing.
#include <ptcvm/ptcvm.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

// What somebody else wrote, perhaps a model. It does not know of records that are broken.
constexpr const char* kProgram = R"(
  (let [late (count (filter (where :days > 30) data/payments))
        open (loop [left data/open months 0] (if (<= left 0) months (recur (- left data/rate) (inc months))))]
    (-> 100 (- (* 15 late)) (- open) (max 0)))
)";

struct Payment {
  std::int64_t days = 0;
};
BOOST_DESCRIBE_STRUCT(Payment, (), (days))

struct Customer {
  std::string name;
  std::vector<Payment> payments;
  std::int64_t open = 0, rate = 0;
};
BOOST_DESCRIBE_STRUCT(Customer, (), (name, payments, open, rate))

struct Score {
  std::int64_t points = 0;
  std::string error;          // "" when there are points
};

std::vector<ptcvm::Value> records(std::size_t count) {
  std::vector<ptcvm::Value> out;
  for (std::size_t i = 0; i < count; ++i) {
    const auto n = static_cast<std::int64_t>(i);
    Customer customer{"c" + std::to_string(n), {}, 12 * (n % 7), 12};
    for (std::int64_t k = 0; k < n % 5; ++k) customer.payments.push_back({10 + 9 * k});
    if (n % 10 == 3) customer.rate = 0, customer.open = 1;   // would pay for ever
    if (n % 10 == 8) {
      out.push_back(ptcvm::Value::from_edn("{:payments 7, :open 1, :rate 1}").value());
    } else {
      out.push_back(ptcvm::Value::of(customer));
    }
  }
  return out;
}

Score score(const ptcvm::Engine& engine, const ptcvm::Program& program, const ptcvm::Value& record) {
  ptcvm::RunOptions options;
  options.data = record;
  options.signature = ":int";
  options.limits.fuel = 20'000;
  options.limits.memory_bytes = 1u << 20;
  auto run = ptcvm::Run::start(engine, program, options);
  if (!run) return {0, run.error().message};
  run->step();
  if (const auto fault = run->diagnostic()) return {0, fault->kind};
  const auto points = ptcvm::read<std::int64_t>(run->result());
  return points ? Score{*points, {}} : Score{0, points.error().message};
}

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1'000;
  const std::size_t threads = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 4;
  const ptcvm::Engine engine;
  const auto program = engine.compile(kProgram, {.name = "score.ptc"});
  if (!program) return std::fprintf(stderr, "%s\n", program.error().message.c_str()), 1;

  const std::vector<ptcvm::Value> batch = records(count);
  std::vector<Score> scores(count);
  std::atomic<std::size_t> next{0};
  // [workers]
  std::vector<std::thread> workers;
  for (std::size_t t = 0; t < threads; ++t) {
    workers.emplace_back([&] {
      for (std::size_t i = next++; i < count; i = next++) scores[i] = score(engine, *program, batch[i]);
    });
  }
  for (std::thread& worker : workers) worker.join();
  // [/workers]

  std::map<std::string, std::size_t> errors;
  std::int64_t sum = 0;
  std::size_t good = 0;
  for (const Score& one : scores) {
    if (one.error.empty()) sum += one.points, ++good;
    if (!one.error.empty()) ++errors[one.error];
  }
  const double average = good == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(good);
  std::printf("%zu scored, %.1f points on average\n", good, average);
  for (const auto& [kind, times] : errors) std::printf("%zu %s\n", times, kind.c_str());
}

// kill -9 at random: ptc_random_kills [--count KILLS] [--seed S] [--first RUN]
//
// Runs of twenty tasks, or of calls in branches with up to eight calls in flight, each killed up to six times, until
// there were KILLS kills: after a random time, at a random write or call, at a random operation of the disk. A run's
// kills follow from S and the number of the run alone: `--seed S --first RUN --count 1` plays it again; only kills by
// time may then fall elsewhere.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "tests/crash/crash_program.h"
#include "tests/crash/watched_disk.h"
#include "tests/support/random.h"

namespace {

namespace crash = ptcvm::crash;
using ptc::test::Random;

// A way to run the program.
struct Way {
  const char* name;
  crash::Kit kit;
};

crash::Options on_disk() {
  crash::Options options = crash::crash_options(crash::kTwentyTasks);
  options.open = crash::open_on_watched_disk;
  return options;
}
// Up to eight calls in flight.
crash::Options in_flight(crash::Options options) {
  options.source = crash::kFanOut;
  options.drive = crash::stepping(8, 1);
  return options;
}
crash::Options in_groups() {
  crash::Options options = crash::crash_options(crash::kTwentyTasks);
  options.durability = ptcvm::Durability::Group;
  return options;
}

struct Sums {
  std::uint64_t runs = 0, kills = 0, processes = 0, asked = 0, repeats = 0, complaints = 0;
  std::size_t most_kills = 0;
  std::map<std::string, std::uint64_t> places;
};

std::string place_of(const std::string& death) {
  if (death.ends_with(" us")) return "by time";
  if (death.find(" call ") != std::string::npos) return "at a call";
  return death.find(" of the ") != std::string::npos ? "at the disk" : "at a write";
}

void add(Sums& sums, const crash::Row& row) {
  ++sums.runs;
  sums.kills += row.deaths.size();
  sums.processes += static_cast<std::uint64_t>(row.processes);
  sums.asked += static_cast<std::uint64_t>(row.asked);
  sums.repeats += row.repeats();
  sums.most_kills = std::max(sums.most_kills, row.deaths.size());
  if (!row.ok()) ++sums.complaints;
  for (const std::string& death : row.deaths) ++sums.places[place_of(death)];
}

void print(const char* name, const Sums& sums) {
  std::printf("%-16s %8llu %8llu %9llu %9llu %8llu %10llu\n", name, static_cast<unsigned long long>(sums.runs),
              static_cast<unsigned long long>(sums.kills), static_cast<unsigned long long>(sums.processes),
              static_cast<unsigned long long>(sums.asked), static_cast<unsigned long long>(sums.repeats),
              static_cast<unsigned long long>(sums.complaints));
}

void merge(Sums& all, const Sums& one) {
  all.runs += one.runs;
  all.kills += one.kills;
  all.processes += one.processes;
  all.asked += one.asked;
  all.repeats += one.repeats;
  all.complaints += one.complaints;
  all.most_kills = std::max(all.most_kills, one.most_kills);
  for (const auto& [place, count] : one.places) all.places[place] += count;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t count = 300, seed = 1, first = 0;
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::uint64_t number = std::strtoull(argv[k + 1], nullptr, 10);
    if (std::strcmp(argv[k], "--count") == 0) count = number;
    if (std::strcmp(argv[k], "--seed") == 0) seed = number;
    if (std::strcmp(argv[k], "--first") == 0) first = number;
  }
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Way ways[] = {{"writes and calls", crash::Kit(crash::crash_options(crash::kTwentyTasks))},
                {"disk", crash::Kit(on_disk())},
                {"group commit", crash::Kit(in_groups())},
                {"in flight", crash::Kit(in_flight(crash::crash_options("")))},
                {"in flight, disk", crash::Kit(in_flight(on_disk()))},
                {"in flight, group", crash::Kit(in_flight(in_groups()))}};
  Sums all;
  std::map<std::string, Sums> sums;
  for (std::uint64_t run = first; all.kills < count; ++run) {
    const std::uint64_t seed_of_run = seed * 1'000'003 + run;
    Way& way = ways[Random(seed_of_run).below(std::size(ways))];
    const crash::Row row = way.kit.with_random_kills(seed_of_run);
    Sums one;
    add(one, row);
    merge(all, one);
    merge(sums[way.name], one);
    if (!row.ok()) {
      std::printf("FAILED --seed %llu --first %llu --count 1 (%s)\n%s", static_cast<unsigned long long>(seed),
                  static_cast<unsigned long long>(run), way.name, row.text().c_str());
      for (const std::string& death : row.deaths) std::printf("      killed %s\n", death.c_str());
    }
    if (run % 500 == 499) std::fprintf(stderr, "%llu kills\n", static_cast<unsigned long long>(all.kills));
  }
  std::printf("%-16s %8s %8s %9s %9s %8s %10s\n", "way", "runs", "kills", "processes", "questions", "repeats",
              "complaints");
  for (const auto& [name, one] : sums) print(name.c_str(), one);
  print("all", all);
  for (const auto& [place, number] : all.places) {
    std::printf("%8llu kills %s\n", static_cast<unsigned long long>(number), place.c_str());
  }
  std::printf("up to %zu kills in one run\n", all.most_kills);
  return all.complaints == 0 ? 0 : 1;
}

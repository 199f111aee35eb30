// A search for programs that cost more than their account says: processor time for each unit of fuel, and bytes from
// malloc beside the bytes that the run counts. Programs come from the generator and from builtins with large values,
// and the costliest ones are changed further.
//
//   ptc_cost_search [--seconds N] [--seed N] [--known FILE] [--keep FOLDER]
//   ptc_cost_search --program FILE
//   ptc_cost_search --found FILE
//
// Prints the costliest programs, and writes them to FOLDER. Exit status 0 exactly when none costs more than 60 times a
// plain addition for a unit, or takes more than 16 MiB and 5 % beside its account. --known lists what does today: a
// text that such programs have, a program that shows it, a reason; each program must still cost too much. --found lists
// programs that the search found earlier, with what they were found for: none may cost too much any more.
#include <csignal>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "limits/cost/cost_trial.h"
#include "limits/cost/form_mutation.h"
#include "tools/generator/generator.h"
#include "tools/generator/random.h"

namespace {

using ptc::generator::Random;
using ptc::test::Cost;

constexpr std::size_t kPopulation = 40, kShown = 10;
constexpr int kRepeats = 3, kMostTrialSeconds = 20;
constexpr int kAttempts = 8;              // another process disturbs what is measured, and never makes it better
constexpr double kLeastSeconds = 0.002;   // what is done sooner is not measured well

struct Found {
  std::string source, end;
  double ratio = 0;       // of time in additions for a unit, or of bytes in what is allowed
};

struct KnownCost {
  std::string mark, program, reason;
};

struct Arguments {
  double seconds = 60;
  std::uint64_t seed = 1;
  std::string known, keep, program, found;
  bool refused = false;
};

// The best of one objective, the costliest first. Of programs that cost the same, only the first is kept: the others
// are nearly always copies of it.
class Population {
 public:
  void offer(const Found& found) {
    if (found.ratio <= 0 || (best_.size() == kPopulation && found.ratio <= best_.back().ratio)) return;
    const auto costs_the_same = [&](const Found& f) { return std::abs(f.ratio - found.ratio) < found.ratio / 1'000; };
    if (std::any_of(best_.begin(), best_.end(), costs_the_same)) return;
    const auto place = std::find_if(best_.begin(), best_.end(), [&](const Found& f) { return f.ratio < found.ratio; });
    best_.insert(place, found);
    if (best_.size() > kPopulation) best_.pop_back();
  }
  const std::vector<Found>& best() const { return best_; }

 private:
  std::vector<Found> best_;
};

// A trial that does not end is the worst of all, and ends the search with its program.
char running[8'192];
void end_with_program(int) {
  static constexpr std::string_view kText = "\nno end after 20 s of processor time:\n";
  const auto ignored =
      write(STDOUT_FILENO, kText.data(), kText.size()) + write(STDOUT_FILENO, running, std::strlen(running));
  static_cast<void>(ignored);
  _exit(1);
}

class Search {
 public:
  Search(const Arguments& arguments, std::vector<KnownCost> known)
      : random_(arguments.seed), known_(std::move(known)), unit_(ptc::test::seconds_of_addition()) {}

  double seconds_of_unit() const { return unit_; }
  // The machine may be slower than it was.
  void measure_unit() { unit_ = ptc::test::seconds_of_addition(); }
  std::uint64_t trials() const { return trials_; }
  const Population& slow() const { return slow_; }
  const Population& large() const { return large_; }

  Cost measure(const std::string& source) {
    std::snprintf(running, sizeof running, "%s\n", source.c_str());
    const itimerval watch{{0, 0}, {kMostTrialSeconds, 0}}, none{};
    setitimer(ITIMER_PROF, &watch, nullptr);
    Cost cost = ptc::test::cost_of(source);
    for (int i = 1; i < kRepeats && cost.time_ratio(unit_) > ptc::test::kMostTimeRatio / 2; ++i) {
      cost.seconds = std::min(cost.seconds, ptc::test::cost_of(source).seconds);
    }
    setitimer(ITIMER_PROF, &none, nullptr);
    return cost;
  }

  void try_one() {
    const std::string source = next_program();
    for (const KnownCost& known : known_) {
      if (source.find(known.mark) != std::string::npos) return;
    }
    const Cost cost = measure(source);
    if (cost.was_starved()) return;
    ++trials_;
    if (cost.seconds >= kLeastSeconds) slow_.offer({source, cost.end, cost.time_ratio(unit_)});
    large_.offer({source, cost.end, cost.byte_ratio()});
  }

  bool is_too_much(const Cost& cost) const {
    return !cost.was_starved() && (cost.time_ratio(unit_) > ptc::test::kMostTimeRatio || cost.byte_ratio() > 1);
  }

 private:
  std::string next_program() {
    const unsigned choice = random_.below(10);
    if (choice == 0) return generated();
    const std::vector<Found>& best = random_.below(2) == 0 ? slow_.best() : large_.best();
    if (choice <= 4 || best.empty()) return ptc::test::costly_call(random_);
    const std::string other = random_.chance(50) ? generated() : random_.pick(best).source;
    return ptc::test::mutated_forms(random_.pick(best).source, other, random_);
  }

  std::string generated() {
    ptc::generator::GeneratorOptions options;
    options.seed = random_.next();
    options.size = 40;
    options.async_tools = options.timers = false;
    return ptc::generator::generate_program(options).source;
  }

  Random random_;
  std::vector<KnownCost> known_;
  double unit_;
  std::uint64_t trials_ = 0;
  Population slow_, large_;
};

Arguments read_arguments(int count, char** texts) {
  Arguments out;
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = texts[i], value = i + 1 < count ? texts[i + 1] : "";
    const char* const end = value.data() + value.size();
    if (name == "--seconds") out.refused |= std::from_chars(value.data(), end, out.seconds).ec != std::errc();
    else if (name == "--seed") out.refused |= std::from_chars(value.data(), end, out.seed).ec != std::errc();
    else if (name == "--known") out.known = value;
    else if (name == "--keep") out.keep = value;
    else if (name == "--program") out.program = value;
    else if (name == "--found") out.found = value;
    else out.refused = true;
    out.refused |= value.empty();
  }
  return out;
}

// A line has a text, a program and a reason, with tabs between them.
bool read_known(const std::string& path, std::vector<KnownCost>& out) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream columns(line);
    KnownCost known;
    std::getline(columns, known.mark, '\t');
    std::getline(columns, known.program, '\t');
    std::getline(columns, known.reason, '\t');
    if (known.reason.empty() || known.program.find(known.mark) == std::string::npos) return false;
    out.push_back(std::move(known));
  }
  return file.eof();
}

void show(const Cost& cost, double unit) {
  std::printf("%s: %.1f additions a unit (%.1f ms, %llu units), %.2f MiB counted, %.2f MiB beside it\n",
              cost.end.c_str(), cost.time_ratio(unit), cost.seconds * 1e3, static_cast<unsigned long long>(cost.fuel),
              static_cast<double>(cost.counted_bytes) / (1 << 20),
              static_cast<double>(cost.outside_bytes()) / (1 << 20));
}

// Measures the programs that were found earlier: a line has a program and what it was found for, with a tab between
// them. Returns how many cost too much, at least 1 when there is no program.
int measure_found(Search& search, const std::string& path) {
  std::ifstream file(path);
  int programs = 0, costly = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    ++programs;
    const std::size_t tab = std::min(line.find('\t'), line.size());
    Cost cost = search.measure(line.substr(0, tab));
    const auto is_bad = [&] { return search.is_too_much(cost) || cost.was_starved(); };
    for (int i = 1; i < kAttempts && is_bad(); ++i) {
      search.measure_unit();
      cost = search.measure(line.substr(0, tab));
    }
    const bool is_costly = is_bad() || cost.is_refused;
    costly += is_costly ? 1 : 0;
    std::printf("%s %s\n     %s: ", is_costly ? "BAD " : "good", line.substr(0, tab).c_str(),
                line.substr(std::min(tab + 1, line.size())).c_str());
    show(cost, search.seconds_of_unit());
  }
  std::printf("%d programs, %d cost too much\n", programs, costly);
  return programs == 0 ? 1 : costly;
}

void show(const char* title, const Population& population, const std::string& keep) {
  std::printf("\n%s\n", title);
  for (std::size_t i = 0; i < std::min(kShown, population.best().size()); ++i) {
    const Found& found = population.best()[i];
    std::printf("%8.2f  %s\n          %.300s\n", found.ratio, found.end.c_str(), found.source.c_str());
    if (keep.empty()) continue;
    const std::string name = std::string(1, title[0]) + std::to_string(i) + ".ptc";
    std::ofstream(std::filesystem::path(keep) / name) << found.source;
  }
}

}  // namespace

int main(int count, char** texts) {
  const Arguments arguments = read_arguments(count, texts);
  std::vector<KnownCost> known;
  if (arguments.refused || (!arguments.known.empty() && !read_known(arguments.known, known))) {
    std::fprintf(stderr, "usage: ptc_cost_search [--seconds N] [--seed N] [--known FILE] [--keep FOLDER]\n"
                         "       ptc_cost_search --program FILE\n"
                         "       ptc_cost_search --found FILE\n");
    return 2;
  }
  if (!arguments.keep.empty()) std::filesystem::create_directories(arguments.keep);
  std::signal(SIGPROF, end_with_program);
  Search search(arguments, known);
  std::printf("a plain addition: %.1f ns a unit\n", search.seconds_of_unit() * 1e9);
  if (!arguments.program.empty()) {
    std::ifstream file(arguments.program);
    const Cost cost = search.measure(std::string(std::istreambuf_iterator<char>(file), {}));
    show(cost, search.seconds_of_unit());
    return search.is_too_much(cost) ? 1 : 0;
  }
  if (!arguments.found.empty()) return measure_found(search, arguments.found) == 0 ? 0 : 1;
  bool outdated = false;
  for (const KnownCost& entry : known) {
    const Cost cost = search.measure(entry.program);
    std::printf("known: %s: ", entry.mark.c_str());
    show(cost, search.seconds_of_unit());
    if (search.is_too_much(cost)) continue;
    outdated = true;
    std::printf("       it costs no more than it may; take the line out\n");
  }
  using Clock = std::chrono::steady_clock;
  const std::chrono::duration<double> length(arguments.seconds);
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(length);
  while (Clock::now() < end) search.try_one();
  show("time for each unit of fuel, in plain additions (60 are allowed)", search.slow(), arguments.keep);
  show("bytes beside the account, in what is allowed (16 MiB and 5 %)", search.large(), arguments.keep);
  const double slow = search.slow().best().empty() ? 0 : search.slow().best()[0].ratio;
  const double large = search.large().best().empty() ? 0 : search.large().best()[0].ratio;
  std::printf("\n%llu programs, seed %llu: %.1f additions a unit, %.2f of the bytes allowed\n",
              static_cast<unsigned long long>(search.trials()), static_cast<unsigned long long>(arguments.seed), slow,
              large);
  return search.trials() == 0 || outdated || slow > ptc::test::kMostTimeRatio || large > 1 ? 1 : 0;
}

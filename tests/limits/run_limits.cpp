// Limits against everything: every program under each limit and in memory that ends, and the table of what grows.
//
//   ptc_limits_test FOLDER [--full | --points N --refusals N] [--one-in N] [--filter TEXT] [--only LIMIT]
//   ptc_limits_test --growth GROWTH.tsv OTHERS.tsv PAGE.md [--write]
//
// --full tries every point up to 2,000 of each limit and every block of memory. With --one-in each N-th program is
// tried. LIMIT is the name of a row of
// limit_sweep.cpp, refusal or restored.
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "limits/growth_table.h"
#include "limits/limit_sweep.h"
#include "support/program_file.h"

namespace {

using ptc::test::LimitSweep;
using ptc::test::ProgramFile;
using ptc::test::SweepSize;

struct Arguments {
  SweepSize size;
  std::string folder, filter, only;
  std::vector<std::string> tables;
  std::uint64_t one_in = 1;
  bool writes = false, refused = false;
};

bool read_number(std::string_view text, std::uint64_t& out) {
  return std::from_chars(text.data(), text.data() + text.size(), out).ec == std::errc();
}

Arguments read_arguments(int count, char** texts) {
  Arguments out;
  for (int i = 1; i < count; ++i) {
    const std::string_view text = texts[i];
    const bool has_next = i + 1 < count;
    if (text == "--full") {
      out.size.is_full = true;
      out.size.refusals = UINT64_MAX;
    } else if (text == "--filter" && has_next) {
      out.filter = texts[++i];
    } else if (text == "--only" && has_next) {
      out.only = texts[++i];
    } else if (text == "--points" && has_next) {
      out.refused |= !read_number(texts[++i], out.size.points);
    } else if (text == "--refusals" && has_next) {
      out.refused |= !read_number(texts[++i], out.size.refusals);
    } else if (text == "--one-in" && has_next) {
      out.refused |= !read_number(texts[++i], out.one_in) || out.one_in == 0;
    } else if (text == "--growth" && i + 3 < count) {
      out.tables = {texts[i + 1], texts[i + 2], texts[i + 3]};
      i += 3;
    } else if (text == "--write") {
      out.writes = true;
    } else if (!text.starts_with("-") && out.folder.empty()) {
      out.folder = text;
    } else {
      out.refused = true;
    }
  }
  out.refused |= out.folder.empty() == out.tables.empty();
  return out;
}

int run_growth(const Arguments& arguments) {
  std::size_t rows = 0;
  std::string failures = ptc::test::growth_failures(arguments.tables[0], arguments.tables[1], rows);
  failures += ptc::test::growth_page_failure(arguments.tables[0], arguments.tables[2], arguments.writes);
  std::fputs(failures.c_str(), stdout);
  std::printf("%zu rows, %s\n", rows, failures.empty() ? "all hold" : "not all hold");
  return failures.empty() && rows > 0 ? 0 : 1;
}

int run_sweep(const Arguments& arguments) {
  LimitSweep sweep(arguments.size, arguments.only);
  std::size_t failed = 0;
  std::uint64_t number = 0;
  for (const ProgramFile& file : ptc::test::read_program_files(arguments.folder, arguments.filter)) {
    if (file.heavy || !file.complaint.empty() || number++ % arguments.one_in != 0) continue;
    const std::string failures = sweep.failures_of(file);
    if (!failures.empty()) {
      ++failed;
      std::printf("FAILED %s\n%s", file.name.c_str(), failures.c_str());
    }
    if (sweep.counts().programs % 100 == 0) {
      std::printf("%llu programs\n", static_cast<unsigned long long>(sweep.counts().programs));
    }
    std::fflush(stdout);
  }
  const auto& counts = sweep.counts();
  std::printf("%llu programs, %zu failed; %llu runs, %llu ended by a limit, %llu without memory\n",
              static_cast<unsigned long long>(counts.programs), failed, static_cast<unsigned long long>(counts.runs),
              static_cast<unsigned long long>(counts.faults), static_cast<unsigned long long>(counts.refusals));
  return failed == 0 && counts.programs > 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** texts) {
  const Arguments arguments = read_arguments(count, texts);
  if (arguments.refused) {
    std::fputs("usage: ptc_limits_test FOLDER [--full | --points N --refusals N] [--one-in N] [--filter TEXT] "
               "[--only LIMIT]\n"
               "       ptc_limits_test --growth GROWTH.tsv OTHERS.tsv PAGE.md [--write]\n",
               stderr);
    return 2;
  }
  return arguments.tables.empty() ? run_sweep(arguments) : run_growth(arguments);
}

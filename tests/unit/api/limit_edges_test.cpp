// Every limit at the edges of its range, at every entrance of the C++ and the C API. Made from schema/limits.def: a new
// limit is in here by its row.
#include <array>
#include <cstdint>
#include <utility>

#include "c_fixture.h"
#include "ptcvm/session.hpp"
#include "ptcvm/stored_run.hpp"
#include "run_fixture.h"

namespace ptcvm {
namespace {

// A whole number from INT64_MIN to UINT64_MAX.
struct Edge {
  std::uint64_t magnitude = 0;
  bool is_negative = false;
};

struct Row {
  const char* name;
  std::uint64_t least, most;
  // Sets the member. Returns false when its type cannot hold the number.
  bool (*set)(Limits&, Edge);
  bool (*set_c)(ptcvm_limits&, Edge);
};

template <class Member>
bool set_member(Member& member, Edge edge) {
  const auto negative = static_cast<std::int64_t>(-edge.magnitude);
  if (edge.is_negative ? !std::in_range<Member>(negative) : !std::in_range<Member>(edge.magnitude)) return false;
  member = edge.is_negative ? static_cast<Member>(negative) : static_cast<Member>(edge.magnitude);
  return true;
}

constexpr auto kRows = std::to_array<Row>({
#define LIMIT(name, type, initial, least, most, ...)                                  \
  {#name, least, most, [](Limits& l, Edge edge) { return set_member(l.name, edge); }, \
   [](ptcvm_limits& l, Edge edge) { return set_member(l.name, edge); }},
#define EARLIER(name, place, spelling)
#include "schema/limits.def"
#undef EARLIER
#undef LIMIT
});

std::vector<Edge> edges_of(const Row& row) {
  std::vector<Edge> edges = {{1, true}, {std::uint64_t{1} << 63, true}, {0}, {1}, {row.least}, {row.most}};
  if (row.least > 0) edges.push_back({row.least - 1});
  if (row.most < UINT64_MAX) edges.push_back({row.most + 1});
  for (const std::uint64_t far : {std::uint64_t{UINT32_MAX}, std::uint64_t{UINT32_MAX} + 1, std::uint64_t{INT64_MAX},
                                  std::uint64_t{INT64_MAX} + 1, UINT64_MAX}) {
    edges.push_back({far});
  }
  return edges;
}

std::string text_of(Edge edge) { return (edge.is_negative ? "-" : "") + std::to_string(edge.magnitude); }

bool is_in_range(const Row& row, Edge edge) {
  return !edge.is_negative && edge.magnitude >= row.least && edge.magnitude <= row.most;
}

// Work of every kind that a limit counts, and a wait.
constexpr const char* kProgram = R"((do (def f (fn f [n] (if (= n 0) 0 (inc (f (dec n))))))
  (task "t" [(f 5) (loop [i 0] (if (< i 5) (recur (inc i)) i)) (str [1 2] "x") (* 99999999999 99999999999)])
  (println (re-find (re-pattern "a+") "caat"))
  [(reduce + (pmap inc [1 2 3])) (await-signal "go")]))";

class LimitEdgesTest : public ApiTest {
 protected:
  template <class Answer>
  void look_at(const Row& row, Edge edge, const char* entrance, const Answer& answer) {
    const std::string at = std::string(row.name) + " " + text_of(edge) + " in " + entrance;
    EXPECT_EQ(static_cast<bool>(answer), is_in_range(row, edge)) << at;
    if (answer) return;
    const Error error = answer.error();
    EXPECT_EQ(error.code, Errc::invalid_value) << at;
    EXPECT_EQ(error.message.rfind("the limit " + std::string(row.name) + " must be a whole number from ", 0), 0u)
        << at << ": " << error.message;
    EXPECT_NE(error.message.find("; found " + text_of(edge)), std::string::npos) << at << ": " << error.message;
  }

  // Runs to an end of any kind, with a look at the state before each step.
  static RunState run_to_end(Run& run) {
    RunState state = RunState::Yielded;
    for (int steps = 0; steps < 50 && state == RunState::Yielded; ++steps) {
      EXPECT_FALSE(run.snapshot().empty());
      state = run.step(1'000);
    }
    return state;
  }

  void try_runs(const Row& row, Edge edge, const Limits& limits) {
    RunOptions options;
    options.limits = limits;
    auto run = Run::start(engine_, compiled(kProgram), options);
    look_at(row, edge, "Run::start", run);
    if (run) run_to_end(*run);
    auto session = Session::create(engine_, options);
    look_at(row, edge, "Session::create", session);
    RestoreOptions most;
    most.limits = limits;
    Run begun = started(kProgram);
    begun.step(20);
    auto restored = Run::restore(engine_, begun.snapshot(), most);
    if (is_in_range(row, edge) && !restored) {
      EXPECT_EQ(restored.error().code, Errc::invalid_snapshot) << row.name << ": it needs more than the limit";
    } else {
      look_at(row, edge, "Run::restore", restored);
    }
    if (restored) run_to_end(*restored);
  }

  void try_stores(const Row& row, Edge edge, const Limits& limits) {
    Store store = Store::in_memory();
    StoredOptions options;
    options.limits = limits;
    auto begun = StoredRun::start(engine_, store, tools_, kProgram, options);
    look_at(row, edge, "StoredRun::start", begun);
    if (begun) EXPECT_TRUE(begun->step());
    options.id = "other";
    auto outcome = run_stored(engine_, store, tools_, kProgram, options);
    look_at(row, edge, "run_stored", outcome);
    StoredOptions defaults;
    defaults.id = "third";
    ASSERT_TRUE(run_stored(engine_, store, tools_, kProgram, defaults));
    options.id = "third";
    auto opened = StoredRun::open(engine_, store, tools_, options);
    look_at(row, edge, "StoredRun::open", opened);
    if (opened) EXPECT_TRUE(opened->step());
    auto continued = continue_stored(engine_, store, tools_, options);
    look_at(row, edge, "continue_stored", continued);
    defaults.most_limits = limits;
    auto bounded = StoredRun::open(engine_, store, tools_, defaults);
    look_at(row, edge, "most_limits", bounded);
  }
};

TEST_F(LimitEdgesTest, TheProgramWaitsUnderTheUsualLimits) {
  Run run = started(kProgram);
  EXPECT_EQ(run_to_end(run), RunState::Suspended);
}

TEST_F(LimitEdgesTest, OfEveryLimitHoldAtEveryEntranceOfRuns) {
  for (const Row& row : kRows) {
    for (const Edge edge : edges_of(row)) {
      Limits limits;
      if (row.set(limits, edge)) try_runs(row, edge, limits);
    }
  }
}

TEST_F(LimitEdgesTest, OfEveryLimitHoldAtEveryEntranceOfStores) {
  for (const Row& row : kRows) {
    for (const Edge edge : edges_of(row)) {
      Limits limits;
      if (row.set(limits, edge)) try_stores(row, edge, limits);
    }
  }
}

class CLimitEdgesTest : public CApiTest {
 protected:
  void expect_taken(const Row& row, Edge edge, const char* entrance, ptcvm_status status) {
    const std::string at = std::string(row.name) + " " + text_of(edge) + " in " + entrance;
    EXPECT_EQ(status, is_in_range(row, edge) ? PTCVM_OK : PTCVM_INVALID_VALUE) << at << ": " << message();
    if (status == PTCVM_OK) return;
    EXPECT_EQ(message().rfind("the limit " + std::string(row.name) + " must be a whole number from ", 0), 0u)
        << at << ": " << message();
    EXPECT_NE(message().find("; found " + text_of(edge)), std::string::npos) << at << ": " << message();
  }

  void try_runs(const Row& row, Edge edge, const ptcvm_limits& limits) {
    auto options = initialised<ptcvm_run_options>();
    options.limits = &limits;
    CRun run;
    expect_taken(row, edge, "ptcvm_run_start",
                 ptcvm_run_start(engine_, compiled("(inc 1)"), &options, run.out(), error_.out()));
    CSession session;
    expect_taken(row, edge, "ptcvm_session_new", ptcvm_session_new(engine_, &options, session.out(), error_.out()));
    auto most = initialised<ptcvm_restore_options>();
    most.limits = &limits;
    const std::string bytes = snapshot(started("(inc 1)"));
    const ptcvm_status status = ptcvm_run_restore(engine_, text(bytes), &most, run.out(), error_.out());
    if (!is_in_range(row, edge) || status == PTCVM_OK) expect_taken(row, edge, "ptcvm_run_restore", status);
    EXPECT_TRUE(status == PTCVM_OK || status == PTCVM_INVALID_VALUE || status == PTCVM_INVALID_SNAPSHOT);
  }

  void try_stores(const Row& row, Edge edge, const ptcvm_limits& limits) {
    CStore store;
    ASSERT_EQ(ptcvm_store_in_memory(store.out(), nullptr), PTCVM_OK);
    auto options = initialised<ptcvm_stored_options>();
    CStored outcome;
    ASSERT_EQ(ptcvm_run_stored(engine_, store, tools_, text("(await-signal \"go\")"), &options, outcome.out(), nullptr),
              PTCVM_OK);
    options.limits = &limits;
    CStepper stepper;
    expect_taken(row, edge, "ptcvm_stepper_open",
                 ptcvm_stepper_open(engine_, store, tools_, &options, stepper.out(), error_.out()));
    options.id = text("other");
    expect_taken(row, edge, "ptcvm_stepper_start",
                 ptcvm_stepper_start(engine_, store, tools_, text("(inc 1)"), &options, stepper.out(), error_.out()));
    expect_taken(row, edge, "ptcvm_run_stored", ptcvm_run_stored(engine_, store, tools_, text("(inc 1)"), &options,
                                                                 outcome.out(), error_.out()));
  }

  using CStepper = Owned<ptcvm_stepper, ptcvm_stepper_free>;
};

TEST_F(CLimitEdgesTest, OfEveryLimitHoldAtEveryEntranceOfC) {
  for (const Row& row : kRows) {
    for (const Edge edge : edges_of(row)) {
      auto limits = initialised<ptcvm_limits>();
      ASSERT_EQ(ptcvm_limits_default(&limits), PTCVM_OK);
      if (!row.set_c(limits, edge)) continue;
      try_runs(row, edge, limits);
      try_stores(row, edge, limits);
    }
  }
}

}  // namespace
}  // namespace ptcvm

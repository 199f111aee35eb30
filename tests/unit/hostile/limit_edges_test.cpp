// Every limit at the edges of its range in the bytes of a snapshot, and the host's limit above the snapshot's. Made
// from schema/limits.def: a new limit is in here by its row. tests/cli/limit_edges_test.py has the JSON face.
#include "hostile/hostile_fixture.h"
#include "schema/limits.h"

namespace ptc::test {
namespace {

class LimitEdges : public HostileSnapshot {
 protected:
  static Octets with_limit(const Octets& whole, const LimitInfo& limit, std::uint64_t number) {
    return changed(whole, [&](schema::SnapshotT& s) {
      if (s.limits == nullptr) s.limits = std::make_unique<schema::LimitsT>();
      put(*s.limits, limit, number);
      if (limit.name == "symbols") s.session->max_symbols = static_cast<std::uint32_t>(number);
      if (limit.name == "timeout_ms") s.session->timeout_ms = number;
    });
  }

  // The edges that the field can hold.
  static std::vector<std::uint64_t> edges_of(const LimitInfo& limit) {
    std::vector<std::uint64_t> edges = {0, 1, limit.least, limit.most};
    const std::uint64_t widest = limit.type == LimitType::U32 ? UINT32_MAX : UINT64_MAX;
    if (limit.least > 0) edges.push_back(limit.least - 1);
    if (limit.most < widest) edges.push_back(limit.most + 1);
    edges.push_back(widest);   // -1, for a signed limit
    return edges;
  }

  Engine engine_;

  // What the snapshot says; the default, when it says nothing.
  static std::uint64_t limit_in(const Octets& whole, const LimitInfo& limit) {
    const auto snapshot = parts(whole);
    if (limit.name == "symbols") return snapshot->session->max_symbols;
    if (limit.name == "timeout_ms") return snapshot->session->timeout_ms;
    std::uint64_t number = limit.initial;
    if (snapshot->limits != nullptr) {
      visit(*snapshot->limits, limit, [&](auto& field) { number = static_cast<std::uint64_t>(field); });
    }
    return number;
  }

 private:
  template <class Table>
  static void put(Table& table, const LimitInfo& limit, std::uint64_t number) {
    visit(table, limit, [number](auto& field) {
      field = static_cast<std::remove_reference_t<decltype(field)>>(number);
    });
  }

  // Calls see(field) for the field of the limit, if the table has one.
  template <class Table, class See>
  static void visit(Table& table, const LimitInfo& limit, See see) {
#define LIMIT(row, ...)                            \
  if constexpr (requires { table.row; }) {         \
    if (limit.name == #row) see(table.row);        \
  }
#define EARLIER(name, place, spelling)
#include "schema/limits.def"
#undef EARLIER
#undef LIMIT
  }
};

TEST_F(LimitEdges, ALimitOutsideOfItsRangeIsRefusedByName) {
  const Octets whole = suspended("(inc (await (tool/ask)))");
  for (const LimitInfo& limit : kLimits) {
    for (const std::uint64_t edge : edges_of(limit)) {
      const std::string why = refusal(with_limit(whole, limit, edge));
      const std::string wanted = "snapshot_invalid: the limit " + std::string(limit.name) + " must be a whole number";
      const bool is_inside = edge >= limit.least && edge <= limit.most;
      // A state that needs more than its limits is refused, too.
      EXPECT_EQ(why.starts_with(wanted), !is_inside) << limit.name << ' ' << edge << ": " << why;
    }
  }
}

TEST_F(LimitEdges, TheSmallerOfTheSnapshotsAndTheHostsLimitCounts) {
  const Octets whole = suspended("(inc (await (tool/ask)))");
  for (const LimitInfo& limit : kLimits) {
    const std::uint64_t half = limit.initial == 0 ? 1'000 : limit.initial / 2;
    for (const bool is_hosts : {false, true}) {
      SessionRestore wanted;
      ASSERT_EQ(set_limit(wanted.most, limit, std::to_string(is_hosts ? half : limit.most)), "");
      const Octets bytes = with_limit(whole, limit, is_hosts ? limit.most : half);
      auto result = Session::restore(engine_, bytes, std::make_shared<const ToolRegistry>(tools()), wanted);
      ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Session>>(result)) << limit.name;
      const Octets again = std::get<std::unique_ptr<Session>>(result)->snapshot();
      EXPECT_EQ(limit_in(again, limit), half) << limit.name << ' ' << is_hosts;
    }
  }
}

}  // namespace
}  // namespace ptc::test

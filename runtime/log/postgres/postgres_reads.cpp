// The calls of the PostgreSQL store that read.
#include "runtime/log/postgres/packed_snapshot.h"
#include "runtime/log/postgres/postgres_answers.h"
#include "runtime/log/postgres/postgres_rows.h"
#include "runtime/log/postgres/postgres_seals.h"
#include "runtime/log/postgres/postgres_store.h"

namespace ptc {
namespace {

using Kind = StoreError::Kind;

constexpr char kFactsAfter[] = "SELECT * FROM ptcvm.facts($1,$2,$3,$4)";
constexpr char kFind[] = "SELECT * FROM ptcvm.find($1,$2)";
constexpr char kOpenCalls[] = "SELECT * FROM ptcvm.open_calls($1)";
constexpr char kRuns[] = "SELECT * FROM ptcvm.runs($1,$2)";
constexpr char kWoken[] = "SELECT * FROM ptcvm.woken_runs($1,$2)";
constexpr std::int64_t kReadPieceBytes = std::int64_t{128} << 10;
// A row for each piece of the snapshot; the first one has the rest of the run. Appending nothing reads the whole value
// once, where taking parts of what is kept would read it for each.
constexpr char kParked[] =
    "WITH whole AS MATERIALIZED (SELECT p.*, p.snapshot || ''::bytea AS bytes FROM ptcvm.parked_run($1) p) "
    "SELECT at, length(bytes), substring(bytes FROM at + 1 FOR $2::int), continuation, deadline_ms, observed_seq, "
    "CASE at WHEN 0 THEN wait_keys END FROM whole, generate_series(0, greatest(length(bytes) - 1, 0), $2::int) at";

std::uint64_t last_of(const std::vector<Fact>& facts) { return facts.empty() ? 0 : facts.back().seq; }
std::uint64_t last_of(const std::optional<Fact>& fact) { return fact ? fact->seq : 0; }

}   // namespace

// With a ring, reads until all that was read is checked.
template <class T, class Read>
StoreResult<T> PostgresStore::checked(std::string_view log, Read read) {
  if (!has_ring()) return read();
  for (;;) {
    const auto now = seals_->check(log);
    if (const auto* error = std::get_if<StoreError>(&now)) return *error;
    StoreResult<T> out = read();
    const auto* const found = std::get_if<T>(&out);
    if (found == nullptr || last_of(*found) <= std::get<CheckedLog>(now).head.seq) return out;
  }
}

StoreResult<std::vector<Fact>> PostgresStore::facts_after(std::string_view log, std::uint64_t after, std::size_t most,
                                                          bool notable) {
  if (auto wrong = check_postgres_log(log)) return *std::move(wrong);
  PostgresParameters parameters;
  parameters.bytes(log).count(after).count(most).boolean(notable);
  return checked<std::vector<Fact>>(
      log, [&] { return answer_of<std::vector<Fact>>(calls_.look(kFactsAfter, parameters), facts_in); });
}

StoreResult<std::vector<Fact>> PostgresStore::read(std::string_view log, std::uint64_t after, std::size_t most) {
  auto out = facts_after(log, after, most, false);
  if (const auto* facts = std::get_if<std::vector<Fact>>(&out)) {
    for (std::size_t i = 0; i < facts->size(); ++i) {
      if ((*facts)[i].seq == after + i + 1) continue;
      return StoreError{Kind::Corrupt, "fact " + std::to_string(after + i + 1) + " of the log is missing"};
    }
  }
  return out;
}

StoreResult<std::vector<Fact>> PostgresStore::read_notable(std::string_view log, std::uint64_t after,
                                                           std::size_t most) {
  return facts_after(log, after, most, true);
}

StoreResult<std::optional<Fact>> PostgresStore::find(std::string_view log, std::string_view key) {
  if (auto wrong = check_postgres_log(log)) return *std::move(wrong);
  const std::string indexed = indexed_key(key);
  PostgresParameters parameters;
  parameters.bytes(log).bytes(indexed);
  const auto found_in = [&](const PostgresRows& rows) -> StoreResult<std::optional<Fact>> {
    if (rows.count() == 0) return std::optional<Fact>();
    auto fact = fact_in(rows, 0, 0);
    if (auto* error = std::get_if<StoreError>(&fact)) return std::move(*error);
    if (std::get<Fact>(fact).key != key) return StoreError{Kind::Corrupt, "the index of keys is damaged"};
    return std::optional(std::get<Fact>(std::move(fact)));
  };
  return checked<std::optional<Fact>>(
      log, [&] { return answer_of<std::optional<Fact>>(calls_.look(kFind, parameters), found_in); });
}

StoreResult<std::vector<Fact>> PostgresStore::open_calls(std::string_view log) {
  if (auto wrong = check_postgres_log(log)) return *std::move(wrong);
  PostgresParameters parameters;
  parameters.bytes(log);
  return checked<std::vector<Fact>>(
      log, [&] { return answer_of<std::vector<Fact>>(calls_.look(kOpenCalls, parameters), facts_in); });
}

StoreResult<std::optional<Parked>> PostgresStore::parked(std::string_view log) {
  if (auto wrong = check_postgres_log(log)) return *std::move(wrong);
  return has_ring() ? seals_->parked(log) : unchecked_parked(log);
}

StoreResult<std::optional<Parked>> PostgresStore::unchecked_parked(std::string_view log) {
  std::optional<Parked> out;
  std::size_t size = 0;
  PostgresParameters parameters;
  parameters.bytes(log).integer(kReadPieceBytes);
  const auto begin = [&] { out.reset(); };
  const auto take = [&](const PostgresRows& rows) {
    if (!out) {
      out.emplace();
      size = static_cast<std::size_t>(rows.count_at(0, 1));
      out->snapshot.reserve(size);
      out->continuation = rows.bytes_at(0, 3);
      if (!rows.null_at(0, 4)) out->deadline_ms = rows.integer_at(0, 4);
      out->observed_seq = rows.count_at(0, 5);
      out->wait_keys = rows.byte_array_at(0, 6);
    }
    if (rows.count_at(0, 0) != out->snapshot.size()) return;   // out of order, and so the size will not be right
    const std::string_view piece = rows.bytes_at(0, 2);
    out->snapshot.insert(out->snapshot.end(), piece.begin(), piece.end());
  };
  auto done = calls_.look_each(kParked, parameters, begin, take);
  if (auto* error = std::get_if<StoreError>(&done)) return std::move(*error);
  if (out && out->snapshot.size() != size) return StoreError{Kind::Corrupt, "pieces of a parked run are missing"};
  if (out && size <= kMostPackedBytes + kMostPackedBytes / 4) {
    out->snapshot = unpacked_snapshot({reinterpret_cast<const char*>(out->snapshot.data()), size});
  }
  return out;
}

StoreResult<std::vector<RunInfo>> PostgresStore::infos(std::string_view after, std::optional<std::size_t> most) {
  PostgresParameters parameters;
  parameters.bytes(after);
  if (most) {
    parameters.count(*most);
  } else {
    parameters.integer(std::nullopt);
  }
  return answer_of<std::vector<RunInfo>>(calls_.look(kRuns, parameters), infos_in);
}

StoreResult<std::optional<RunInfo>> PostgresStore::info(std::string_view log) {
  if (auto wrong = check_postgres_log(log)) return *std::move(wrong);
  auto all = infos(log, std::nullopt);
  if (auto* error = std::get_if<StoreError>(&all)) return std::move(*error);
  auto& found = std::get<std::vector<RunInfo>>(all);
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

StoreResult<std::vector<RunInfo>> PostgresStore::runs(std::string_view after, std::size_t most) {
  return infos(after, most);
}

StoreResult<std::vector<std::string>> PostgresStore::woken(std::int64_t now_ms, std::size_t most) {
  PostgresParameters parameters;
  parameters.integer(now(now_ms)).count(most);
  return answer_of<std::vector<std::string>>(calls_.look(kWoken, parameters),
                                             [](const PostgresRows& rows) -> StoreResult<std::vector<std::string>> {
                                               std::vector<std::string> out;
                                               for (int row = 0; row < rows.count(); ++row)
                                                 out.emplace_back(rows.bytes_at(row, 0));
                                               return out;
                                             });
}

}   // namespace ptc

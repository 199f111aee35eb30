#include "runtime/log/postgres/postgres_connection.h"

#include <sodium.h>

#include <algorithm>
#include <limits>

#include "runtime/log/postgres/packed_snapshot.h"

namespace ptc {
namespace {

using Kind = StoreError::Kind;

// Types of PostgreSQL. Their numbers never change.
constexpr Oid kBool = 16, kBytes = 17, kBigint = 20, kSmallint = 21, kOid = 26, kUuid = 2950;
constexpr Oid kBytesArray = 1001, kSmallintArray = 1005, kBigintArray = 1016, kUuidArray = 2951;

// libpq has a whole message in memory, and keeps the room for the largest one.
constexpr std::size_t kPieceBytes = std::size_t{128} << 10, kLeastInPieces = std::size_t{1} << 20;

void append_number(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}

std::uint64_t number_in(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<std::uint8_t>(byte);
  return value;
}

// Writes an array of one dimension; `write` appends the bytes of one element, or returns false for null.
template <class Values, class Write>
std::string array_of(Oid type, const Values& values, Write write) {
  std::string out;
  append_number(out, values.empty() ? 0 : 1, 4);
  append_number(out, 1, 4);   // there may be nulls
  append_number(out, type, 4);
  if (values.empty()) return out;
  append_number(out, values.size(), 4);
  append_number(out, 1, 4);   // the first index
  for (const auto& value : values) {
    const std::size_t at = out.size();
    append_number(out, 0, 4);
    const bool is_there = write(out, value);
    std::string size;
    append_number(size, is_there ? out.size() - at - 4 : 0xFFFF'FFFF, 4);
    std::copy(size.begin(), size.end(), out.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return out;
}

std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view as_text(const PostgresUuid& value) {
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}

// A server that ends, or does not take calls yet: what is asked again may be answered.
bool is_of_a_server_that_ends(std::string_view state) { return state.starts_with("57P") || state.starts_with("08"); }

StoreError error_of(std::string_view state, std::string message) {
  while (message.ends_with('\n')) message.pop_back();
  if (state.starts_with("53100")) return {Kind::Full, std::move(message)};
  if (state.starts_with("XX")) return {Kind::Corrupt, std::move(message)};
  if (state == "55P03" || state == "57014") return {Kind::Locked, std::move(message)};
  if (state == "PT002") return {Kind::WrongTenant, std::move(message)};   // ptcvm.arrive()
  if (state.starts_with("54")) return {Kind::Misuse, std::move(message)};
  if (state == "3F000" || state == "42P01" || state == "42883") {
    return {Kind::Version, "the database has no store of this version: run `ptcvm store migrate` (" + message + ")"};
  }
  return {Kind::Io, std::move(message)};
}

}   // namespace

PostgresParameters& PostgresParameters::add(Oid type, const char* data, std::size_t size) {
  types_.push_back(type);
  data_.push_back(data);
  sizes_.push_back(static_cast<int>(std::min<std::size_t>(size, std::numeric_limits<int>::max())));
  formats_.push_back(1);
  return *this;
}

PostgresParameters& PostgresParameters::own(Oid type, std::string value) {
  owned_.push_back(std::move(value));
  return add(type, owned_.back().data(), owned_.back().size());
}

PostgresParameters& PostgresParameters::bytes(std::string_view value) {
  return add(kBytes, value.data() == nullptr ? "" : value.data(), value.size());
}

PostgresParameters& PostgresParameters::null_bytes() { return add(kBytes, nullptr, 0); }

PostgresParameters& PostgresParameters::snapshot(const Parked& parked) {
  if (parked.snapshot_size() >= kLeastInPieces) {
    in_pieces_ = &parked;
    null_bytes().own(kOid, std::string(4, '\0'));
    object_ = &owned_.back();
    return *this;
  }
  if (parked.snapshot_size() <= kMostPackedBytes) {
    return own(kBytes, packed_snapshot(as_text(parked.whole_snapshot()))).add(kOid, nullptr, 0);
  }
  if (parked.pieces == nullptr) return bytes(as_text(parked.snapshot)).add(kOid, nullptr, 0);
  return own(kBytes, std::string(as_text(parked.whole_snapshot()))).add(kOid, nullptr, 0);
}

PostgresParameters& PostgresParameters::null_snapshot() { return null_bytes().add(kOid, nullptr, 0); }

void PostgresParameters::set_object(Oid object) {
  for (std::size_t i = 0; i < object_->size(); ++i) (*object_)[i] = static_cast<char>(object >> (24 - 8 * i));
}

PostgresParameters& PostgresParameters::integer(std::optional<std::int64_t> value) {
  if (!value) return add(kBigint, nullptr, 0);
  std::string out;
  append_number(out, static_cast<std::uint64_t>(*value), 8);
  return own(kBigint, std::move(out));
}

PostgresParameters& PostgresParameters::count(std::uint64_t value) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return integer(static_cast<std::int64_t>(std::min(value, kMost)));
}

PostgresParameters& PostgresParameters::small(std::int16_t value) {
  std::string out;
  append_number(out, static_cast<std::uint16_t>(value), 2);
  return own(kSmallint, std::move(out));
}

PostgresParameters& PostgresParameters::boolean(bool value) { return own(kBool, std::string(1, value ? '\1' : '\0')); }

PostgresParameters& PostgresParameters::uuid(const PostgresUuid& value) {
  return own(kUuid, std::string(as_text(value)));
}

PostgresParameters& PostgresParameters::byte_array(const std::vector<std::optional<std::string>>& values) {
  return own(kBytesArray, array_of(kBytes, values, [](std::string& out, const std::optional<std::string>& value) {
               if (value) out += *value;
               return value.has_value();
             }));
}

PostgresParameters& PostgresParameters::integer_array(const std::vector<std::int64_t>& values) {
  return own(kBigintArray, array_of(kBigint, values, [](std::string& out, std::int64_t value) {
               append_number(out, static_cast<std::uint64_t>(value), 8);
               return true;
             }));
}

PostgresParameters& PostgresParameters::small_array(const std::vector<std::int16_t>& values) {
  return own(kSmallintArray, array_of(kSmallint, values, [](std::string& out, std::int16_t value) {
               append_number(out, static_cast<std::uint16_t>(value), 2);
               return true;
             }));
}

PostgresParameters& PostgresParameters::uuid_array(const std::vector<PostgresUuid>& values) {
  return own(kUuidArray, array_of(kUuid, values, [](std::string& out, const PostgresUuid& value) {
               out += as_text(value);
               return true;
             }));
}

std::int64_t PostgresRows::integer_at(int row, int column) const {
  const std::string_view bytes = bytes_at(row, column);
  const std::uint64_t value = number_in(bytes);
  return bytes.size() == 2 ? static_cast<std::int16_t>(value) : static_cast<std::int64_t>(value);
}

std::string_view PostgresRows::bytes_at(int row, int column) const {
  return {PQgetvalue(result_.get(), row, column), static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::vector<std::string> PostgresRows::byte_array_at(int row, int column) const {
  std::string_view bytes = bytes_at(row, column);
  std::vector<std::string> out;
  const auto take = [&](std::size_t size) {
    size = std::min(size, bytes.size());
    const std::string_view taken = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return taken;
  };
  if (number_in(take(4)) == 0) return out;   // the number of dimensions
  take(8);
  const std::uint64_t count = number_in(take(4));
  take(4);
  for (std::uint64_t i = 0; i < count && !bytes.empty(); ++i) {
    const auto size = static_cast<std::size_t>(number_in(take(4)));
    out.emplace_back(take(size));
  }
  return out;
}

std::vector<std::uint64_t> PostgresRows::count_array_at(int row, int column) const {
  std::vector<std::uint64_t> out;
  for (const std::string& bytes : byte_array_at(row, column)) out.push_back(number_in(bytes));
  return out;
}

// Later words win, so what the URL says wins over the first two.
std::variant<std::unique_ptr<PostgresConnection>, StoreError> PostgresConnection::open(const std::string& url) {
  const char* const words[] = {"connect_timeout", "fallback_application_name", "dbname", nullptr};
  const char* const values[] = {"10", "ptcvm", url.c_str(), nullptr};
  std::unique_ptr<PostgresConnection> out(new PostgresConnection(PQconnectdbParams(words, values, 1)));
  if (out->is_broken()) return error_of("", PQerrorMessage(out->connection_.get()));
  PQsetNoticeProcessor(
      out->connection_.get(), [](void*, const char*) {}, nullptr);
  return out;
}

// An error without a code is not from the server.
PostgresFailure PostgresConnection::failure(const PGresult* result) {
  const char* const field = result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const std::string_view state = field == nullptr ? "" : field;
  is_lost_ = is_lost_ || state.empty();
  StoreError error = error_of(state, PQerrorMessage(connection_.get()));
  if (state == "40001" || state == "40P01") return {std::move(error), PostgresFate::Again};
  if (is_broken() || is_of_a_server_that_ends(state)) return {std::move(error), PostgresFate::Unknown};
  return {std::move(error), PostgresFate::Refused};
}

std::variant<PostgresRows, PostgresFailure> PostgresConnection::command(const std::string& sql) {
  PGresult* const result = PQexec(connection_.get(), sql.c_str());
  PostgresRows rows(result);
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return rows;
  return failure(result);
}

std::optional<PostgresFailure> PostgresConnection::send_pieces(PostgresParameters& parameters, Oid& object) {
  std::optional<PostgresFailure> failed;
  std::uint64_t at = 0;
  SnapshotSlicer pieces(kPieceBytes, [&](std::span<const std::uint8_t> bytes) {
    if (failed || bytes.empty()) return;
    PostgresParameters piece;
    if (at != 0) piece.own(kOid, *parameters.object_).count(at);
    piece.bytes(as_text(bytes));
    auto done = look_anew(at == 0 ? "SELECT lo_from_bytea(0, $1)" : "SELECT lo_put($1, $2, $3)", piece);
    if (auto* refused = std::get_if<PostgresFailure>(&done)) {
      failed = std::move(*refused);
      return;
    }
    if (at == 0) {
      object = static_cast<Oid>(std::get<PostgresRows>(done).integer_at(0, 0));
      parameters.set_object(object);
    }
    at += bytes.size();
  });
  parameters.in_pieces_->write_snapshot(pieces);
  return failed;
}

std::variant<PostgresRows, PostgresFailure> PostgresConnection::ask(const char* sql, PostgresParameters& parameters) {
  if (!parameters.has_pieces()) return look(sql, parameters);
  auto begun = command("BEGIN");
  if (std::holds_alternative<PostgresFailure>(begun)) return begun;
  Oid object = 0;
  std::variant<PostgresRows, PostgresFailure> answer = std::move(begun);
  if (auto failed = send_pieces(parameters, object)) {
    answer = *std::move(failed);
  } else {
    answer = look_anew(sql, parameters);   // a plan that is gone would end the transaction
  }
  if (std::holds_alternative<PostgresRows>(answer)) {
    auto ended = command("SELECT lo_unlink(" + std::to_string(object) + "); COMMIT");
    if (std::holds_alternative<PostgresRows>(ended)) return answer;
    answer = std::move(ended);
  }
  if (std::holds_alternative<PostgresFailure>(command("ROLLBACK"))) is_lost_ = true;
  return answer;
}

std::variant<PostgresRows, PostgresFailure> PostgresConnection::look_each(const char* sql,
                                                                          const PostgresParameters& parameters,
                                                                          const EachRow& each) {
  PGconn* const connection = connection_.get();
  const bool is_sent = PQsendQueryParams(connection, sql, static_cast<int>(parameters.types_.size()),
                                         parameters.types_.data(), parameters.data_.data(), parameters.sizes_.data(),
                                         parameters.formats_.data(), 1) == 1;
  if (!is_sent || PQsetSingleRowMode(connection) != 1) return failure(nullptr);
  std::optional<std::variant<PostgresRows, PostgresFailure>> out;
  while (PGresult* const result = PQgetResult(connection)) {   // to the end: the connection is of use again only then
    PostgresRows rows(result);
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_SINGLE_TUPLE) {
      each(rows);
    } else if (status == PGRES_TUPLES_OK) {
      out = std::move(rows);
    } else {
      out = failure(result);
    }
  }
  return out ? *std::move(out) : failure(nullptr);
}

namespace {

constexpr std::size_t kMostPlans = 100;

// A session of a pooler is not ours alone, so that a name must say which statement it is.
std::string plan_name(std::string_view statement) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256(digest.data(), reinterpret_cast<const unsigned char*>(statement.data()), statement.size());
  std::array<char, 2 * crypto_hash_sha256_BYTES + 1> hex{};
  sodium_bin2hex(hex.data(), hex.size(), digest.data(), digest.size());
  return "ptcvm_" + std::string(hex.data(), 40);
}

// There is no such plan in the session, or functions have changed since it was made. Nothing was executed.
bool is_of_a_lost_plan(const PGresult* result) {
  const char* const state = result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_SQLSTATE);
  return state != nullptr && (std::string_view(state) == "26000" || std::string_view(state) == "0A000");
}

}   // namespace

// A plan costs a round trip, so a statement that comes once gets none.
const std::string* PostgresConnection::plan_of(const char* sql, const PostgresParameters& parameters) {
  if (!keeps_plans_) return nullptr;
  std::string statement = sql;
  for (const Oid type : parameters.types_) append_number(statement, type, 4);
  const auto known = plans_.find(statement);
  if (known == plans_.end()) {
    if (plans_.size() < kMostPlans) plans_.emplace(std::move(statement), std::string());
    return nullptr;
  }
  if (!known->second.empty()) return &known->second;
  std::string name = plan_name(statement);
  const PostgresRows made(PQprepare(connection_.get(), name.c_str(), sql, static_cast<int>(parameters.types_.size()),
                                    parameters.types_.data()));
  if (!made.is_done()) {   // a name that is taken is of a pooler's session; other failures come again without a plan
    keep_no_plans();
    return nullptr;
  }
  known->second = std::move(name);
  return &known->second;
}

void PostgresConnection::keep_no_plans() {
  keeps_plans_ = false;
  plans_.clear();
}

std::variant<PostgresRows, PostgresFailure> PostgresConnection::look(const char* sql,
                                                                     const PostgresParameters& parameters) {
  const std::string* const plan = plan_of(sql, parameters);
  if (plan == nullptr) return look_anew(sql, parameters);
  PGresult* const result = PQexecPrepared(connection_.get(), plan->c_str(), static_cast<int>(parameters.types_.size()),
                                          parameters.data_.data(), parameters.sizes_.data(), parameters.formats_.data(),
                                          1);
  PostgresRows rows(result);
  if (PQresultStatus(result) == PGRES_TUPLES_OK) return rows;
  if (!is_of_a_lost_plan(result)) return failure(result);
  keep_no_plans();
  return look_anew(sql, parameters);
}

std::variant<PostgresRows, PostgresFailure> PostgresConnection::look_anew(const char* sql,
                                                                          const PostgresParameters& parameters) {
  PGresult* const result = executed(connection_.get(), sql, parameters);
  PostgresRows rows(result);
  if (PQresultStatus(result) == PGRES_TUPLES_OK) return rows;
  return failure(result);
}

PGresult* PostgresConnection::executed(PGconn* connection, const char* sql, const PostgresParameters& parameters) {
  return PQexecParams(connection, sql, static_cast<int>(parameters.types_.size()), parameters.types_.data(),
                      parameters.data_.data(), parameters.sizes_.data(), parameters.formats_.data(), 1);
}

std::variant<PostgresRows, StoreError> PostgresConnection::ask_on(PGconn* connection, const char* sql,
                                                                  const PostgresParameters& parameters) {
  PGresult* const result = executed(connection, sql, parameters);
  PostgresRows rows(result);
  if (PQresultStatus(result) == PGRES_TUPLES_OK) return rows;
  const char* const state = result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_SQLSTATE);
  return error_of(state == nullptr ? "" : state, PQerrorMessage(connection));
}

std::optional<StoreError> PostgresConnection::execute(const std::string& sql) {
  auto done = command(sql);
  if (auto* failed = std::get_if<PostgresFailure>(&done)) return std::move(failed->error);
  return std::nullopt;
}

}   // namespace ptc

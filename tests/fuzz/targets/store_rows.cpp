// Files of the SQLite store that others wrote. Text that begins with "[" is JSON, [{"table": "fact", "run": 1, …} …]:
// rows of an otherwise good file; a value {"fact": {…}} is the bytes of a fact, {"packed": {…}} the same ones as
// the store packs them, {"hex": "…"} other bytes. Anything else
// is the file itself. It is refused with a reason, or everything can be asked and every run opened.
#include <sqlite3.h>

#include <boost/json.hpp>
#include <cstdlib>

#include "fuzz/fuzz_disk.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/json_mutation.h"
#include "fuzz/log_trial.h"
#include "runtime/log/fact_json.h"
#include "runtime/log/sqlite/packed_body.h"
#include "runtime/log/sqlite/sqlite_store.h"

namespace json = boost::json;
using ptc::fuzz::FuzzDisk;
using ptc::fuzz::Octets;

namespace {

constexpr const char* kPath = "/store.db";

FuzzDisk& disk() { return FuzzDisk::shared(); }

auto open_store() { return ptc::SqliteStore::open(kPath, {.vfs = disk().vfs()}); }

// A store without runs.
const Octets& empty_file() {
  static const Octets bytes = [] {
    disk().forget_all();
    ptc::fuzz::promise(open_store().index() == 0, "no store can be made");
    return disk().bytes(kPath);
  }();
  return bytes;
}

struct Table {
  std::string_view name;
  std::vector<std::string_view> columns;
};

const Table* find_table(std::string_view name) {
  static const std::vector<Table> tables = {
      {"run", {"id", "log", "state", "token", "owner", "until_ms", "seal"}},
      {"fact", {"run", "seq", "key", "time_ms", "rank", "body"}},
      {"parked", {"run", "continuation", "deadline_ms", "observed_seq", "snapshot"}},
      {"wait_key", {"run", "place", "key"}},
      {"waiting", {"since", "run", "deadline_ms", "woken"}},
      {"meta", {"settled"}}};
  for (const Table& table : tables) {
    if (table.name == name) return &table;
  }
  return nullptr;
}

Octets bytes_of_object(const json::object& object) {
  std::string why;
  for (const bool is_packed : {false, true}) {
    const json::value* const fact = object.if_contains(is_packed ? "packed" : "fact");
    if (fact == nullptr) continue;
    const auto read = ptc::read_fact_json(json::serialize(*fact), why);
    if (!read || !is_storable(*read)) return {};
    const Octets bytes = fact_bytes(*read);
    if (!is_packed) return bytes;
    const ptc::PackedBody packed(bytes);
    return {packed.stored().begin(), packed.stored().end()};
  }
  Octets out;
  const json::value* hex = object.if_contains("hex");
  const json::string* digits = hex == nullptr ? nullptr : hex->if_string();
  for (std::size_t k = 0; digits != nullptr && k + 1 < digits->size(); k += 2) {
    out.push_back(static_cast<std::uint8_t>(std::strtoul(std::string(digits->subview(k, 2)).c_str(), nullptr, 16)));
  }
  return out;
}

void bind(sqlite3_stmt* statement, int place, const json::value* value) {
  if (value == nullptr || value->is_null()) {
    sqlite3_bind_null(statement, place);
  } else if (const json::object* object = value->if_object()) {
    const Octets bytes = bytes_of_object(*object);
    sqlite3_bind_blob(statement, place, bytes.data(), static_cast<int>(bytes.size()), SQLITE_TRANSIENT);
  } else if (const json::string* text = value->if_string()) {
    sqlite3_bind_text(statement, place, text->data(), static_cast<int>(text->size()), SQLITE_TRANSIENT);
  } else if (const std::int64_t* number = value->if_int64()) {
    sqlite3_bind_int64(statement, place, *number);
  } else {
    sqlite3_bind_double(statement, place, value->is_double() ? value->get_double() : 1e18);
  }
}

void insert(sqlite3* database, const json::object& row) {
  const json::value* name = row.if_contains("table");
  const Table* table = name == nullptr || !name->is_string() ? nullptr : find_table(name->get_string());
  if (table == nullptr) return;
  std::string sql = "INSERT OR REPLACE INTO " + std::string(table->name) + " VALUES (";
  for (std::size_t k = 0; k < table->columns.size(); ++k) sql += k == 0 ? "?" : ",?";
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, (sql + ')').c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    ptc::fuzz::complain("the tables of the store are others than this target knows");
  }
  for (std::size_t k = 0; k < table->columns.size(); ++k) {
    bind(statement, static_cast<int>(k) + 1, row.if_contains(table->columns[k]));
  }
  sqlite3_step(statement);
  sqlite3_finalize(statement);
}

bool write_rows(std::string_view text) {
  json::error_code error;
  json::parse_options options;
  options.allow_invalid_utf8 = true;
  const json::value rows = json::parse(text, error, {}, options);
  if (error || !rows.is_array()) return false;
  disk().put(kPath, empty_file());
  sqlite3* database = nullptr;
  sqlite3_open_v2(kPath, &database, SQLITE_OPEN_READWRITE, disk().vfs());
  sqlite3_exec(database, "PRAGMA synchronous=OFF; BEGIN", nullptr, nullptr, nullptr);
  for (const json::value& row : rows.get_array()) {
    if (const json::object* object = row.if_object()) insert(database, *object);
  }
  sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr);
  sqlite3_close(database);
  return true;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return ptc::fuzz::mutate_with(ptc::test::mutated_json_bytes, data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = ptc::fuzz::text_of(data, size);
  empty_file();
  if (!text.starts_with('[') || !write_rows(text)) disk().put(kPath, {data, data + size});
  {
    auto opened = open_store();
    if (const auto* error = std::get_if<ptc::StoreError>(&opened)) {
      ptc::fuzz::promise(!error->message.empty(), "refused without a reason");
    } else {
      ptc::fuzz::look_around(*std::get<0>(opened));
    }
  }
  disk().forget_all();
  return 0;
}

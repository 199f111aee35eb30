// Finds damage that SQLite itself does not see: a page of the file that holds a copy of another page. Such a run could
// look new, or shorter than it is, and its calls would be made again. A fact is in the table of facts and in an index,
// and a run is in the table of runs and in the index of names, so one bad page makes them differ.
#pragma once
#include <cstdint>
#include <string_view>

#include "runtime/log/sqlite/sqlite_connection.h"

namespace ptc {

// The longest log whose facts are all compared. Of longer logs the beginning and the end are compared.
inline constexpr std::uint64_t kMostComparedFacts = 2'000;

// Fails with Corrupt when one of the 10,000 newest runs has that name. Call it when the index of names does not have
// the name.
void check_is_new(SqliteConnection& connection, std::string_view log);
// Fails with Corrupt when the run has another name, or when its facts and their indexes differ. `head` is the place of
// the last fact, or 0.
void check_facts(SqliteConnection& connection, std::string_view log, std::int64_t run, std::uint64_t head);

}  // namespace ptc

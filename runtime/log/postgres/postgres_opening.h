// Reads what opening a run needs from rows of the database (opening_functions.sql).
#pragma once
#include <optional>

#include "runtime/log/fact_store.h"
#include "runtime/log/postgres/postgres_connection.h"

namespace ptc {

// Reads the columns of ptcvm.small_opening(), the first of which is `at`. nullopt: the caller must ask for it.
std::optional<Opening> small_opening_in(const PostgresRows& rows, int row, int at);

}   // namespace ptc

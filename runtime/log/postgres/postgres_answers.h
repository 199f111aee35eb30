// Reads answers of calls: an error as it is, rows by a function.
#pragma once
#include <utility>
#include <vector>

#include "runtime/log/postgres/postgres_connection.h"

namespace ptc {

template <class T, class Read>
StoreResult<T> answer_of(StoreResult<PostgresRows> answer, Read read) {
  if (auto* error = std::get_if<StoreError>(&answer)) return std::move(*error);
  return read(std::get<PostgresRows>(answer));
}

template <class Row>
StoreResult<std::vector<Row>> all_of(StoreResult<PostgresRows> answer, Row (*row_at)(const PostgresRows&, int)) {
  return answer_of<std::vector<Row>>(std::move(answer), [&](const PostgresRows& rows) -> StoreResult<std::vector<Row>> {
    std::vector<Row> out;
    for (int row = 0; row < rows.count(); ++row) out.push_back(row_at(rows, row));
    return out;
  });
}

}   // namespace ptc

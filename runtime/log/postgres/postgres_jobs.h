// Jobs as arguments of ptcvm.enqueue() and ptcvm.fire(), and what these answer (bulk_functions.sql).
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/log/postgres/postgres_rows.h"
#include "runtime/log/run_queue.h"

namespace ptc {

// The first two say in their last column of which queues somebody must tell workers; the third one tells by itself. The
// second one takes one job that comes after nothing.
inline constexpr char kEnqueueJobs[] =
    "SELECT e.*, current_setting('ptcvm.ready', true) FROM "
    "ptcvm.enqueue($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17) e";
inline constexpr char kEnqueueJob[] =
    "SELECT * FROM ptcvm.enqueue_job($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14)";
inline constexpr char kEnqueueAndTell[] =
    "SELECT e.*, ptcvm.tell() FROM ptcvm.enqueue($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17) e";

class PostgresSeals;

// The arguments that are arrays.
class JobColumns {
 public:
  explicit JobColumns(std::span<const Job> jobs);
  // Seals the logs of the jobs, too; without seals it does not.
  static StoreResult<JobColumns> sealed(std::span<const Job> jobs, const PostgresSeals* seals);
  void add_to(PostgresParameters& parameters) const;       // 15 of them; borrowed
  bool is_one() const { return logs_.size() == 1 && after_.empty(); }
  void add_one_to(PostgresParameters& parameters) const;   // 12, of the only job, for ptcvm.enqueue_job(); borrowed

 private:
  std::vector<std::optional<std::string>> logs_, queues_, tenants_, needs_, after_, seals_;
  std::vector<std::int64_t> priorities_, delays_, ats_, attempts_, need_of_, after_of_;
  FactColumns starts_;
};

// Returns Misuse when a job makes no sense, or is too large for a database; or nullopt.
std::optional<StoreError> check_postgres_jobs(std::span<const Job> jobs);
// Reads the rows of ptcvm.enqueue(). Errors: WrongTenant, Missing.
StoreResult<std::vector<Enqueued>> enqueued_in(const PostgresRows& rows, std::span<const Job> jobs);

// Writes jobs on a connection of somebody else, in the transaction that is open there. Errors: as of
// RunQueue::enqueue().
StoreResult<std::vector<Enqueued>> enqueue_on(PGconn* connection, std::span<const Job> jobs);

}   // namespace ptc

// How a job becomes ready: after it was enqueued, woken, or given back, and when the runs before it are done.
#pragma once
#include "runtime/log/queue_tables.h"

namespace ptc {

// Puts a job behind the last ready job of its tenant.
void make_ready(QueueTables& tables, JobRow job, std::int64_t now_ms);
// Tells the jobs that come after a run that the run is done.
void unblock_dependents(QueueTables& tables, std::string_view log, std::int64_t now_ms);

}   // namespace ptc

// How a job becomes ready: after it was enqueued, woken, or given back, and when the runs before it are done.
#pragma once
#include "runtime/log/queue_tables.h"

namespace ptc {

// Puts a job behind the last ready job of its tenant.
void make_ready(QueueTables& tables, JobRow job, std::int64_t now_ms);
// Ends a job that was cancelled, and that nobody holds.
void end_cancelled(QueueTables& tables, JobRow job, std::int64_t now_ms);
// Puts a job where its run belongs that nobody holds any more.
void place_job(QueueTables& tables, const JobRow& job, const QueuedRun& run, std::int64_t now_ms);
// Takes a job from its node and out of the line.
void set_aside(QueueTables& tables, JobRow job, JobState state, std::int64_t at_ms);
// Tells the jobs that come after a run that the run is done.
void unblock_dependents(QueueTables& tables, std::string_view log, std::int64_t now_ms);

// Gives a job up. Those that come after it end, too, and those that come after these.
void give_up_job(QueueTables& tables, const JobRow& job, std::int64_t now_ms);
// Makes a job ready, unless it comes after runs that are not done: it is blocked, or ends because one was given up.
void ready_or_block(QueueTables& tables, JobRow job, std::int64_t now_ms);
// Blocks the jobs again that ended because this one had been given up; those that another one ends, too, get the reason
// of that one.
void restore_dependents(QueueTables& tables, const JobRow& job, std::int64_t now_ms);
inline bool was_given_up(JobState state) { return state == JobState::Dead || state == JobState::DependencyFailed; }

}   // namespace ptc

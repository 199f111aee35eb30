-- Version 2: nodes, queues and jobs (run_queue.h).
--
-- node    a worker process and its one lease; numbers are never used again
-- queue   the limits of a queue; claims of one queue wait for each other at its row
-- job     a run in a queue. state: 0 ready, 1 timer, 2 held, 3 waiting, 4 quarantined, 5 done, 6 dead
--
-- Order of locks: queue, run, job. A claim locks the queue and passes over runs and jobs that somebody has locked, so
-- nobody who holds a run waits for somebody who waits for a run.
create table ptcvm.node (
  id bigint generated always as identity primary key,
  nonce uuid not null unique,
  name bytea not null,
  owner bytea not null,
  build bytea not null,
  format int not null,
  lease_ms bigint not null,
  started_ms bigint not null,
  until_ms bigint not null,
  draining boolean not null default false,
  gone boolean not null default false
) with (fillfactor = 50);

create table ptcvm.queue (
  name bytea primary key,
  paused boolean not null default false,
  slots bigint,
  tenant_slots bigint,
  starts_per_hour bigint,
  burst bigint not null default 1,
  most_crashes int not null default 3,
  tokens bigint not null default 0,
  filled_ms bigint not null default 0,
  pass bigint not null default 0
) with (fillfactor = 50);

create table ptcvm.job (
  id bigint generated always as identity primary key,
  run bigint not null unique,
  op uuid not null,
  queue bytea not null,
  tenant bytea not null,
  state smallint not null,
  priority int not null,
  format int not null default 0,
  crashes int not null default 0,
  attempts int not null default 0,
  most_attempts int not null,
  needs bytea[] not null,
  pass bigint not null default 0,
  at_ms bigint not null,
  node bigint not null default 0,
  token bigint not null default 0,
  crash_head bigint not null default 0,
  reason bytea not null default '',
  cancelled boolean not null default false
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index job_state on ptcvm.job (state, id);
create index job_ready on ptcvm.job (queue, priority, pass, id) where state = 0;
create index job_share on ptcvm.job (queue, tenant, pass) where state = 0;
create index job_timer on ptcvm.job (queue, at_ms, id) where state = 1;
create index job_node on ptcvm.job (node, id) where state = 2;
create index job_held on ptcvm.job (queue, tenant) where state = 2;

-- Version 11: fewer and narrower columns and indexes (docs/decisions/0051-smaller-rows-in-postgres.md).
--
-- fact     numbers first, so that nothing is filled up; `op` is a number; bodies may be compact (compact_fact.h)
-- job      its number is the one of its run; no update of a job is one within its page, so pages are full
-- waiting  keys is null when they are those of `parked`
do $$
declare
  v_function regprocedure;
begin
  for v_function in
    select p.oid::regprocedure from pg_proc p where p.pronamespace = 'ptcvm'::regnamespace and p.proname in (
      'append', 'arrive', 'cancel', 'end_job', 'enqueue', 'enqueue_job', 'enqueue_new', 'fire', 'notable_facts',
      'set_state', 'write')
  loop
    execute 'drop function ' || v_function;
  end loop;
end $$;

create table ptcvm.fact_11 (
  run bigint not null,
  seq bigint not null,
  time_ms bigint not null,
  writer bigint not null,
  op bigint not null,
  rank smallint not null,
  key bytea,
  body bytea not null
);
alter table ptcvm.fact_11 alter column body set storage external;
insert into ptcvm.fact_11 select run, seq, time_ms, writer, 0, rank, key, body from ptcvm.fact order by run, seq;
drop table ptcvm.fact;
alter table ptcvm.fact_11 rename to fact;
alter table ptcvm.fact add constraint fact_pkey primary key (run, seq);
create unique index fact_key on ptcvm.fact (run, key) where key is not null;
create index fact_notable on ptcvm.fact (run, seq) where rank > 0 and seq > 64;

create table ptcvm.job_11 (
  run bigint not null,
  pass bigint not null default 0,
  at_ms bigint not null,
  node bigint not null default 0,
  token bigint not null default 0,
  crash_head bigint not null default 0,
  op bigint not null,
  priority int not null,
  format int not null default 0,
  crashes int not null default 0,
  attempts int not null default 0,
  most_attempts int not null,
  blockers int not null default 0,
  state smallint not null,
  cancelled boolean not null default false,
  queue bytea not null,
  tenant bytea not null,
  needs bytea[] not null,
  reason bytea not null default ''
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
insert into ptcvm.job_11
select run, pass, at_ms, node, token, crash_head, 0, priority, format, crashes, attempts, most_attempts, blockers, state,
       cancelled, queue, tenant, needs, reason
from ptcvm.job order by run;
create table ptcvm.dependent_11 as select d.run, j.run as job from ptcvm.dependent d join ptcvm.job j on j.id = d.job;
drop table ptcvm.dependent;
alter table ptcvm.dependent_11 rename to dependent;
alter table ptcvm.dependent add constraint dependent_pkey primary key (run, job);
create index dependent_job on ptcvm.dependent (job);
drop table ptcvm.job;
alter table ptcvm.job_11 rename to job;
alter table ptcvm.job add constraint job_pkey primary key (run);
comment on column ptcvm.job.node is 'held: the worker; moved (8): the state before';
create index job_rest on ptcvm.job (state, run) where state in (3, 4, 6, 7, 8, 9);
create index job_ready on ptcvm.job (queue, priority, pass, run) where state = 0;
create index job_share on ptcvm.job (queue, tenant, pass) where state = 0;
create index job_timer on ptcvm.job (queue, at_ms, run) where state = 1;
create index job_node on ptcvm.job (node, run) where state = 2;
create index job_held on ptcvm.job (queue, tenant) where state = 2;
create index job_over on ptcvm.job (at_ms) where state in (5, 6, 9);

alter table ptcvm.parked alter column op type bigint using 0;
alter table ptcvm.waiting alter column keys drop not null, alter column keys drop default;
update ptcvm.waiting w set keys = null from ptcvm.parked p where p.run = w.run and p.wait_keys = w.keys;
alter table ptcvm.run set (fillfactor = 85);

-- Version 3: jobs that come after runs, schedules, and what is over by its time. state: 7 blocked.
alter table ptcvm.job add column blockers int not null default 0;
create index job_over on ptcvm.job (at_ms) where state in (5, 6);

create table ptcvm.dependent (
  run bigint not null,
  job bigint not null,
  primary key (run, job)
);
create index dependent_job on ptcvm.dependent (job);

create table ptcvm.schedule (
  name bytea primary key,
  spec bytea not null,
  next_ms bigint not null,
  last_ms bigint not null default 0,
  fired bigint not null default 0,
  queue bytea not null,
  tenant bytea not null,
  priority int not null,
  most_attempts int not null,
  needs bytea[] not null,
  rank smallint not null,
  body bytea not null
) with (fillfactor = 70);

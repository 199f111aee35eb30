-- Version 12: what is parked has its numbers first, so that nothing is filled up. A run that ends without a worker ends its
-- job, and a schedule knows the newest moment that is over: functions only.
create table ptcvm.parked_12 (
  run bigint not null,
  op bigint not null,
  observed_seq bigint not null,
  deadline_ms bigint,
  continuation bytea not null,
  wait_keys bytea[] not null,
  snapshot bytea not null
);
alter table ptcvm.parked_12 alter column snapshot set storage external;
insert into ptcvm.parked_12 (run, op, observed_seq, deadline_ms, continuation, wait_keys, snapshot)
select run, op, observed_seq, deadline_ms, continuation, wait_keys, snapshot from ptcvm.parked order by run;
drop table ptcvm.parked;
alter table ptcvm.parked_12 rename to parked;
alter table ptcvm.parked add constraint parked_pkey primary key (run);

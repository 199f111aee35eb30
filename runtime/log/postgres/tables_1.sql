-- Version 1 of the tables. Ids, keys and names are bytes: PostgreSQL's text holds no zero byte, and bytes sort the same
-- way in every database. A key of more than 255 bytes is kept as 0xFF and its SHA-256 (no UTF-8 has the byte 0xFF); the
-- body of the fact has the whole key.
--
-- run      a log's id, its state (0 running, 1 parked, 2 ended) and its newest claim; without facts it is a claim only
-- fact     the log itself, append-only; the columns beside the bytes are what queries go by
-- parked   what a suspended run goes on from
-- waiting  the parked runs that wait; the table is apart from parked, because it changes and a snapshot is large
--
-- Every write locks the row of its run first and touches nothing of other runs, so two writes cannot deadlock.
create table ptcvm.meta (version int not null);
insert into ptcvm.meta values (1);

create table ptcvm.run (
  id bigint generated always as identity primary key,
  log bytea not null unique,
  state smallint not null default 0,
  token bigint not null default 0,
  nonce uuid,
  owner bytea not null default '',
  until_ms bigint not null default 0
) with (fillfactor = 70);

create table ptcvm.fact (
  run bigint not null,
  seq bigint not null,
  key bytea,
  time_ms bigint not null,
  rank smallint not null,
  writer bigint not null,
  op uuid not null,
  body bytea not null,
  primary key (run, seq)
);
alter table ptcvm.fact alter column body set storage external;
create unique index fact_key on ptcvm.fact (run, key) where key is not null;
create index fact_notable on ptcvm.fact (run, seq) where rank > 0;

create table ptcvm.open_call (
  run bigint not null,
  call bytea not null,
  attempt bigint not null,
  seq bigint not null,
  task bytea not null,
  primary key (run, call, attempt)
);

create table ptcvm.parked (
  run bigint primary key,
  op uuid not null,
  continuation bytea not null,
  deadline_ms bigint,
  observed_seq bigint not null,
  wait_keys bytea[] not null,
  snapshot bytea not null
);
alter table ptcvm.parked alter column snapshot set storage external;

create table ptcvm.wait_key (
  run bigint not null,
  key bytea not null,
  primary key (run, key)
);

create table ptcvm.waiting (
  run bigint primary key,
  since bigint generated always as identity unique,
  deadline_ms bigint,
  woken boolean not null default false
);
create index waiting_woken on ptcvm.waiting (since) where woken;
create index waiting_deadline on ptcvm.waiting (deadline_ms) where deadline_ms is not null;

-- Version 8: fewer and narrower indexes (docs/decisions/0046-what-a-run-costs-in-postgres.md). What a run waits for is
-- beside its deadline. The first fact of a log is found by its number, and needs no second index.
drop index ptcvm.job_state;
create index job_rest on ptcvm.job (state, id) where state in (3, 4, 6, 7, 8, 9);
drop index ptcvm.fact_notable;
create index fact_notable on ptcvm.fact (run, seq) where rank > 0 and seq > 1;
alter table ptcvm.waiting drop constraint waiting_since_key;
alter table ptcvm.waiting add column keys bytea[] not null default '{}';
update ptcvm.waiting w set keys = array(select k.key from ptcvm.wait_key k where k.run = w.run order by k.key);
drop table ptcvm.wait_key;

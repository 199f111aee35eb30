-- Version 13: the first 16 facts of a log are in no index of keys (docs/decisions/0054-keys-of-short-logs.md). Functions look
-- for a key with keyed(). Whoever writes facts holds the row of the run and has looked for their keys, so no key is there
-- twice.
drop index ptcvm.fact_key;
create unique index fact_key on ptcvm.fact (run, key) where key is not null and seq > 16;

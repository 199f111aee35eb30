-- Version 7: seals (postgres_seals.h). A run or a schedule without a seal was written without a key ring.
alter table ptcvm.run add column if not exists seal bytea;
alter table ptcvm.schedule add column if not exists seal bytea;

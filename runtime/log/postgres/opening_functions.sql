-- Notable facts of a run after p_after. The first facts of a log are few, and in no index of notable ones.
create or replace function ptcvm.notable_facts(p_run bigint, p_after bigint, p_most bigint)
returns table (seq bigint, body bytea) language plpgsql stable as $$
#variable_conflict use_column
begin
  return query select n.seq, n.body from (
      select f.seq, f.body from ptcvm.fact f
      where f.run = p_run and f.seq > p_after and f.seq <= 64 and f.rank > 0
      union all
      (select f.seq, f.body from ptcvm.fact f
       where f.run = p_run and f.seq > p_after and f.seq > 64 and f.rank > 0 order by f.seq limit p_most)
    ) n order by n.seq limit p_most;
end $$;

-- What opening a run reads. Rows: what
--   0 the head: seq    1 a notable fact: seq, body, at most p_most of them    2 the intent of an open call: seq, body
--   3 what is parked: seq = observed, body = continuation, and the last three columns    4 it is large, and read in pieces
create or replace function ptcvm.opening(p_log bytea, p_most bigint)
returns table (what smallint, seq bigint, body bytea, deadline_ms bigint, wait_keys bytea[], snapshot bytea)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_run bigint := (select id from ptcvm.run where log = p_log);
begin
  return query select 0::smallint, f.seq, null::bytea, null::bigint, null::bytea[], null::bytea from ptcvm.fact f
    where f.run = v_run order by f.seq desc limit 1;
  if not found then return; end if;
  return query select 1::smallint, n.seq, n.body, null::bigint, null::bytea[], null::bytea
    from ptcvm.notable_facts(v_run, 0, p_most) n;
  return query select 2::smallint, f.seq, f.body, null::bigint, null::bytea[], null::bytea
    from ptcvm.open_call c join ptcvm.fact f on f.run = c.run and f.seq = c.seq where c.run = v_run order by f.seq;
  return query select 3::smallint, p.observed_seq, p.continuation, p.deadline_ms, p.wait_keys, p.snapshot
    from ptcvm.parked p where p.run = v_run and length(p.snapshot) <= 65536;
  if not found then
    return query select 4::smallint, 0::bigint, null::bytea, null::bigint, null::bytea[], null::bytea
      from ptcvm.parked p where p.run = v_run;
  end if;
end $$;

-- What opening a run reads, as one row, under the lock of the run. head is null when it is more than an answer of a
-- claim should have. A run that nobody has claimed has no open calls, and nothing parked.
create or replace function ptcvm.small_opening(p_run bigint, p_is_new boolean)
returns table (head bigint, notable_seqs bigint[], notable bytea[], call_seqs bigint[], calls bytea[],
               continuation bytea, deadline_ms bigint, observed_seq bigint, wait_keys bytea[], snapshot bytea)
language plpgsql as $$
#variable_conflict use_column
declare
  v_bytes bigint;
begin
  select l.seq, length(l.body), array[l.seq], array[l.body] into head, v_bytes, notable_seqs, notable
  from ptcvm.fact l where l.run = p_run order by l.seq desc limit 1;
  if head is distinct from 1 then                      -- most runs of which nobody has heard have one fact
    select sum(length(n.body)), array_agg(n.seq order by n.seq), array_agg(n.body order by n.seq)
    into v_bytes, notable_seqs, notable from ptcvm.notable_facts(p_run, 0, 101) n;
  end if;
  if not p_is_new then
    select array_agg(n.seq order by n.seq), array_agg(n.body order by n.seq), v_bytes + coalesce(sum(length(n.body)), 0)
    into call_seqs, calls, v_bytes from (
      select f.seq, f.body from ptcvm.open_call c join ptcvm.fact f on f.run = c.run and f.seq = c.seq
      where c.run = p_run order by f.seq limit 101) n;
    select p.continuation, p.deadline_ms, p.observed_seq, p.wait_keys, p.snapshot
    into continuation, deadline_ms, observed_seq, wait_keys, snapshot
    from ptcvm.parked p where p.run = p_run and length(p.snapshot) <= 65536;
    if not found and exists (select from ptcvm.parked p where p.run = p_run) then v_bytes := null; end if;
  end if;
  if v_bytes <= 65536 and cardinality(notable) <= 100 and coalesce(cardinality(calls), 0) <= 100 then
    return next;
  end if;
end $$;

-- Runs after p_after in the order of their ids, with what lists show of them. Facts are all of a log of at most 100 facts,
-- and else the notable ones. They are null for more than 100 facts or 16 KiB: these logs are read one by one.
create or replace function ptcvm.overviews(p_after bytea, p_most bigint)
returns table (log bytea, state smallint, owner bytea, woken boolean, deadline_ms bigint, head bigint,
               changed_ms bigint, started_ms bigint, seqs bigint[], facts bytea[], call_seqs bigint[], calls bytea[],
               continuation bytea, parked_deadline bigint, observed_seq bigint, wait_keys bytea[])
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query select r.log, r.state, r.owner, r.woken, r.deadline_ms, r.head, r.changed_ms, r.started_ms,
      case when f.bytes + coalesce(c.bytes, 0) <= 16384 and greatest(f.count, c.count) <= 100 then f.seqs end, f.bodies, c.seqs, c.bodies,
      p.continuation, p.deadline_ms, p.observed_seq, p.wait_keys
    from ptcvm.runs(p_after, p_most) r join ptcvm.run x on x.log = r.log
    cross join lateral (
      select count(*), sum(length(n.body)) as bytes, array_agg(n.seq order by n.seq) as seqs,
             array_agg(n.body order by n.seq) as bodies from (
        select o.seq, o.body from ptcvm.open_call k join ptcvm.fact o on o.run = k.run and o.seq = k.seq
        where k.run = x.id limit 101) n) c
    cross join lateral (
      select count(*), sum(length(n.body)) as bytes, array_agg(n.seq order by n.seq) as seqs,
             array_agg(n.body order by n.seq) as bodies from (
        select o.seq, o.body from ptcvm.fact o where o.run = x.id and r.head <= 100
        union all select o.seq, o.body from ptcvm.notable_facts(x.id, 0, 101) o where r.head > 100) n) f
    left join ptcvm.parked p on p.run = x.id
    order by r.log;
end $$;

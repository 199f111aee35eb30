-- The calls of the store. Each is one function and one transaction under READ COMMITTED; nothing is kept in a session,
-- so a pooler in transaction mode works. Functions run with the rights of the owner of the schema: a role that may only
-- call them cannot touch a table. Nobody but the owner may, until rights are granted.
--
-- Times are ms since 1970. A null for "now" is the clock of the database.
create or replace function ptcvm.now_ms(p_now bigint) returns bigint language sql volatile as $$
  select coalesce(p_now, (extract(epoch from clock_timestamp()) * 1000)::bigint) $$;

-- The facts of a run that have keys: the first 16 by their places, the others by the index of keys. The statement that asks
-- takes the body of this function in, with what it asks for.
create or replace function ptcvm.keyed(p_run bigint) returns table (seq bigint, key bytea, body bytea)
language sql stable as $$
  select f.seq, f.key, f.body from ptcvm.fact f where f.run = p_run and f.seq <= 16 and f.key is not null
  union all
  select f.seq, f.key, f.body from ptcvm.fact f where f.run = p_run and f.seq > 16 and f.key is not null $$;

-- What arrays say about facts, one element for each fact, in order.
--   mark     0 nothing; 1 opens a call; 2 settles it; 3 resets the calls of its task; 4 begins a run that is over anew
--   call, attempt, task   of the call that the mark is about
-- Appends the facts whose keys are free, as the facts after p_head. Returns the new head.
drop function if exists ptcvm.append(ptcvm.run, bigint, bigint, uuid, bytea[], bigint[], smallint[], bytea[],
                                     smallint[], bytea[], bigint[], bytea[]);
create or replace function ptcvm.append(
  r ptcvm.run, p_token bigint, p_head bigint, p_op bigint, p_keys bytea[], p_times bigint[], p_ranks smallint[],
  p_bodies bytea[], p_marks smallint[], p_calls bytea[], p_attempts bigint[], p_tasks bytea[], p_now bigint)
returns bigint language plpgsql as $$
declare
  v_head bigint;
begin
  -- Most writes have one fact. PostgreSQL makes a new plan each time for a statement that unfolds an array.
  if cardinality(p_bodies) = 1 then
    insert into ptcvm.fact (run, seq, key, time_ms, rank, writer, op, body)
    select r.id, p_head + 1, p_keys[1], p_times[1], p_ranks[1], p_token, p_op, p_bodies[1]
    where p_keys[1] is null or not exists (select from ptcvm.keyed(r.id) f where f.key = p_keys[1]);
  else
    with given as (
      select g.at, g.key, row_number() over (partition by g.key order by g.at) as again
      from unnest(p_keys) with ordinality as g (key, at)
    ), free as (
      select g.at, g.key from given g
      where g.key is null or (g.again = 1 and (   -- one look for each key: a join would read all keys of the log
        select f.seq from ptcvm.keyed(r.id) f where f.key = g.key limit 1) is null)
    )
    insert into ptcvm.fact (run, seq, key, time_ms, rank, writer, op, body)
    select r.id, p_head + row_number() over (order by n.at), n.key, p_times[n.at], p_ranks[n.at], p_token, p_op,
           p_bodies[n.at]
    from free n order by n.at;
  end if;
  get diagnostics v_head = row_count;
  v_head := p_head + v_head;

  if r.state = 1 and exists (
      select from ptcvm.fact f join ptcvm.waiting w on w.run = f.run
      where f.run = r.id and f.seq > p_head and f.key = any (
        coalesce(w.keys, (select p.wait_keys from ptcvm.parked p where p.run = w.run)))) then
    update ptcvm.waiting set woken = true where run = r.id and not woken;
    perform ptcvm.wake_job(r.id, ptcvm.now_ms(p_now));
  end if;

  perform ptcvm.mark_calls(r.id, p_head, p_keys, p_marks, p_calls, p_attempts, p_tasks);
  return v_head;
end $$;

-- Keeps the open calls of a run for facts of a write, which are after p_head.
create or replace function ptcvm.mark_calls(
  p_run bigint, p_head bigint, p_keys bytea[], p_marks smallint[], p_calls bytea[], p_attempts bigint[],
  p_tasks bytea[])
returns void language plpgsql as $$
declare
  v_call record;
begin
  if p_marks && '{1,2,3,4}'::smallint[] then
    for v_call in
      select p.seq, p_marks[p.at] as mark, p_calls[p.at] as call, p_attempts[p.at] as attempt, p_tasks[p.at] as task
      from ptcvm.places(p_run, p_head, p_keys) p where p.mine order by p.at
    loop
      if v_call.mark = 1 then
        delete from ptcvm.open_call where run = p_run and call = v_call.call and attempt <= v_call.attempt;
        insert into ptcvm.open_call values (p_run, v_call.call, v_call.attempt, v_call.seq, v_call.task);
      elsif v_call.mark = 2 then
        delete from ptcvm.open_call where run = p_run and call = v_call.call and attempt = v_call.attempt;
      elsif v_call.mark = 3 then
        delete from ptcvm.open_call where run = p_run and task = v_call.task;
      elsif v_call.mark = 4 then
        update ptcvm.run set state = 0 where id = p_run and state = 2;
      end if;
    end loop;
  end if;
end $$;

-- Where the facts of a write are: the n-th fact without a key, or whose key was free, is the n-th after p_base.
create or replace function ptcvm.places(p_run bigint, p_base bigint, p_keys bytea[])
returns table (at bigint, seq bigint, mine boolean) language sql stable as $$
  with given as (
    select g.at, g.key, row_number() over (partition by g.key order by g.at) as again,
           (select f.seq from ptcvm.keyed(p_run) f where f.key = g.key limit 1) as seq
    from unnest(p_keys) with ordinality as g (key, at)
  ), told as (
    select g.at, g.seq, g.key is null or (g.again = 1 and g.seq > p_base) as mine from given g
  )
  select t.at,
         case when t.mine then p_base + sum(t.mine::int) over (order by t.at) else t.seq end::bigint,
         t.mine
  from told t $$;

-- How many facts with these keys a run would take.
create or replace function ptcvm.free_keys(p_run bigint, p_keys bytea[]) returns bigint language sql stable as $$
  select count(*) filter (where k is null) + count(distinct k) filter (where (
    select f.seq from ptcvm.keyed(p_run) f where f.key = k limit 1) is null) from unnest(p_keys) k $$;

-- put (0), decide (1), park (2), resumed (3), ended (4), depart (5), ended, and the run is over (6): see fact_store.h.
-- p_seen is null for a blind cut.
-- p_others is the most facts of others that are given back.
--
-- A writer whose connection broke does not know whether its write was done. It asks again under the same p_op, with
-- the nonces that it has used and a new one. The lock waits for a first attempt that still runs. Facts that carry the
-- p_op say that the write was done. The new nonce fences a first attempt that comes late.
--
-- Rows: what
--   0  at = head before the write, seq = head afterwards     1  a fact of this write: at, seq
--   2  a fact that was there under the key: at, seq, body    3  a fact of others: seq, body
--   4  the conflict: seq, body                               5  the fact that had arrived: seq, body
--   6  refused, nothing was written: at = 1 fenced, 2 missing, 3 the cut is after the head, 4 the run has left,
--      5 jobs come after the run, or it is blocked, 6 the log is sealed, and the writer has no key ring, 7 the log is
--      not what the writer has sealed
-- A writer with a key ring gives the seal of the log after the write, which counts for a log with the seal
-- p_seal_before whose last fact is p_end afterwards.
drop function if exists ptcvm.write(smallint, bytea, bigint, uuid[], bigint, bigint, uuid, boolean, bytea[], bigint[],
                                    smallint[], bytea[], smallint[], bytea[], bigint[], bytea[], boolean, bytea,
                                    bytea[], bytea[], bigint, bigint, bytea);
drop function if exists ptcvm.write(smallint, bytea, bigint, uuid[], bigint, bigint, uuid, boolean, bytea[], bigint[],
                                    smallint[], bytea[], smallint[], bytea[], bigint[], bytea[], boolean, bytea,
                                    bytea[], bytea[], bigint, bigint, bytea, bytea, bytea, bigint);
create or replace function ptcvm.write(
  p_call smallint, p_log bytea, p_token bigint, p_nonces uuid[], p_seen bigint, p_others bigint, p_op bigint,
  p_again boolean, p_keys bytea[], p_times bigint[], p_ranks smallint[], p_bodies bytea[], p_marks smallint[],
  p_calls bytea[], p_attempts bigint[], p_tasks bytea[], p_decides boolean, p_continuation bytea, p_wait_keys bytea[],
  p_whole_keys bytea[], p_deadline bigint, p_observed bigint, p_snapshot bytea, p_seal bytea, p_seal_before bytea,
  p_end bigint, p_now bigint)
returns table (what smallint, at bigint, seq bigint, body bytea) language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  r ptcvm.run;
  v_base bigint;
  v_head bigint;
  v_count int := cardinality(p_bodies);
  v_is_done boolean := false;
begin
  select * into r from ptcvm.run where log = p_log for no key update;
  if not found and p_token = 0 then
    if p_seen > 0 then return query select 6::smallint, 3::bigint, 0::bigint, null::bytea; return; end if;
    if v_count = 0 then return query select 0::smallint, 0::bigint, 0::bigint, null::bytea; return; end if;
    insert into ptcvm.run (log) values (p_log) on conflict do nothing;
    select * into r from ptcvm.run where log = p_log for no key update;
  end if;
  if r.state in (3, 4) then
    return query select 6::smallint, 4::bigint, 0::bigint, null::bytea;
    return;
  end if;
  if p_token <> 0 and (r.id is null or r.token <> p_token or r.owner = '' or r.nonce <> all (p_nonces)) then
    return query select 6::smallint, 1::bigint, 0::bigint, null::bytea;
    return;
  end if;
  if p_seal is null and r.seal is not null then
    return query select 6::smallint, 6::bigint, 0::bigint, null::bytea;
    return;
  end if;
  select f.seq into v_base from ptcvm.fact f where f.run = r.id order by f.seq desc limit 1;
  v_base := coalesce(v_base, 0);

  if p_again then
    if p_token <> 0 then
      update ptcvm.run set nonce = p_nonces[cardinality(p_nonces)] where id = r.id;
    end if;
    select min(f.seq) - 1, max(f.seq) into v_base, v_head from ptcvm.fact f
      where f.run = r.id and f.seq > coalesce(p_seen, 0) and f.op = p_op;
    v_is_done := v_head is not null
      or (p_call = 2 and exists (select from ptcvm.parked p where p.run = r.id and p.op = p_op));
    if v_head is null then
      select coalesce(max(f.seq), 0) into v_base from ptcvm.fact f where f.run = r.id;
      v_head := v_base;
    end if;
  end if;

  if not v_is_done then
    if p_seal is not null and (r.seal is distinct from p_seal_before
                               or v_base + ptcvm.free_keys(r.id, p_keys) <> p_end) then
      return query select 6::smallint, 7::bigint, 0::bigint, null::bytea;
      return;
    end if;
    if greatest(p_seen, p_observed) > v_base then
      return query select 6::smallint, 3::bigint, 0::bigint, null::bytea;
      return;
    end if;
    if (p_call in (2, 4, 6) and v_base = 0 and v_count = 0) or (p_call = 5 and v_base = 0)
       or (p_call = 3 and not exists (select from ptcvm.parked p where p.run = r.id)) then
      return query select 6::smallint, 2::bigint, 0::bigint, null::bytea;
      return;
    end if;
    if p_call = 5 and exists (select from ptcvm.job j where j.run = r.id and (j.blockers > 0 or exists (
        select from ptcvm.dependent d where d.run = r.id))) then
      return query select 6::smallint, 5::bigint, 0::bigint, null::bytea;
      return;
    end if;
    v_head := v_base;
    if p_call = 2 then
      return query select 5::smallint, 0::bigint, f.seq, f.body from ptcvm.keyed(r.id) f
        where f.key = any (p_wait_keys) and f.seq > p_observed order by f.seq limit 1;
      v_is_done := found;
    end if;
    if p_call in (1, 2) and not v_is_done and p_decides then
      return query select 4::smallint, 0::bigint, f.seq, f.body from ptcvm.fact f
        where f.run = r.id and f.seq > p_seen and f.rank > 0 and f.rank = 2 and f.writer <> p_token
        order by f.seq limit 1;
      v_is_done := found;
    end if;
    if p_call in (1, 2) and not v_is_done and v_count > 0 then
      return query select 4::smallint, 0::bigint, f.seq, f.body
        from unnest(p_keys) with ordinality as g (key, at)
        join lateral (select k.seq, k.body from ptcvm.keyed(r.id) k where k.key = g.key limit 1) f on true
        order by g.at limit 1;
      v_is_done := found;
    end if;
    if v_is_done then
      v_count := 0;                                    -- refused: others and the head are all there is to tell
    else
      if p_call in (2, 3, 5) then
        delete from ptcvm.waiting where run = r.id;
        r.state := 0;                                  -- what is written here wakes nothing
      end if;
      if v_count > 0 then
        v_head := ptcvm.append(r, p_token, v_base, p_op, p_keys, p_times, p_ranks, p_bodies, p_marks, p_calls,
                               p_attempts, p_tasks, p_now);
      end if;
      perform ptcvm.set_state(r.id, p_call, p_op, p_continuation, p_wait_keys, p_whole_keys, p_deadline, p_observed,
                              p_snapshot);
      if p_call = 6 then perform ptcvm.end_unheld(r.id, p_token, ptcvm.now_ms(p_now)); end if;
      if p_seal is not null then update ptcvm.run set seal = p_seal where id = r.id; end if;
    end if;
  end if;

  return query select 0::smallint, v_base, v_head, null::bytea;
  if p_seen < v_base then
    return query select 3::smallint, 0::bigint, f.seq, f.body from ptcvm.fact f
      where f.run = r.id and f.seq > p_seen and f.seq <= v_base order by f.seq limit p_others;
  end if;
  if v_count = 1 and v_head = v_base + 1 then
    return query select 1::smallint, 1::bigint, v_head, null::bytea;
  elsif v_count > 0 then
    return query select (case when p.mine then 1 else 2 end)::smallint, p.at, p.seq,
                        case when p.mine then null else (
                          select f.body from ptcvm.fact f where f.run = r.id and f.seq = p.seq) end
      from ptcvm.places(r.id, v_base, p_keys) p order by p.at;
  end if;
end $$;

-- What a write does besides its facts.
create or replace function ptcvm.set_state(
  p_run bigint, p_call smallint, p_op bigint, p_continuation bytea, p_wait_keys bytea[], p_whole_keys bytea[],
  p_deadline bigint, p_observed bigint, p_snapshot bytea)
returns void language plpgsql as $$
begin
  if p_call = 2 then
    insert into ptcvm.waiting (run, deadline_ms, keys)
    values (p_run, p_deadline, case when p_wait_keys <> p_whole_keys then p_wait_keys end);
    insert into ptcvm.parked (run, op, continuation, deadline_ms, observed_seq, wait_keys, snapshot)
    values (p_run, p_op, p_continuation, p_deadline, p_observed, p_whole_keys, p_snapshot)
    on conflict (run) do update set op = excluded.op, continuation = excluded.continuation,
      deadline_ms = excluded.deadline_ms, observed_seq = excluded.observed_seq, wait_keys = excluded.wait_keys,
      snapshot = excluded.snapshot;
    update ptcvm.run set state = 1 where id = p_run and state <> 1;
  elsif p_call = 3 then
    update ptcvm.run set state = 0 where id = p_run and state <> 0;
  elsif p_call in (4, 6) then
    update ptcvm.run set state = 2 where id = p_run and state <> 2;
    delete from ptcvm.parked where run = p_run;
    if found then delete from ptcvm.waiting where run = p_run; end if;
  elsif p_call = 5 then
    update ptcvm.run set state = 3, owner = '', until_ms = 0 where id = p_run;
    update ptcvm.job set node = state, state = 8, token = 0 where run = p_run;
  end if;
end $$;

-- Takes a run over from another store: p_writers are the writers of its facts. p_state is the state of the run, and
-- p_numbers has, when p_queue is not null: the state of the job before the move, priority, format, crashes, attempts, most
-- attempts, at_ms, crash_head, and whether it is cancelled. p_seal and p_seal_before are as in write(): the answer is null
-- when the log has another seal, or has one that the caller cannot renew. p_tenant without p_queue is whose the run is as a
-- part of a run. PT002: the run would be a part of another tenant's run, or have one. A job of the state 8 is one of a copy.
drop function if exists ptcvm.arrive(bytea, bigint, uuid, boolean, bigint[], bytea[], bigint[], smallint[], bytea[],
                                     smallint[], bytea[], bigint[], bytea[], smallint, bigint, bytea, bytea[], bytea[],
                                     bigint, bigint, bytea, bytea, bytea, bigint[], bytea[], bytea, bigint);
create or replace function ptcvm.arrive(
  p_log bytea, p_before bigint, p_op bigint, p_again boolean, p_writers bigint[], p_keys bytea[], p_times bigint[],
  p_ranks smallint[], p_bodies bytea[], p_marks smallint[], p_calls bytea[], p_attempts bigint[], p_tasks bytea[],
  p_state smallint, p_token bigint, p_continuation bytea, p_wait_keys bytea[], p_whole_keys bytea[],
  p_deadline bigint, p_observed bigint, p_snapshot bytea, p_queue bytea, p_tenant bytea, p_numbers bigint[],
  p_needs bytea[], p_reason bytea, p_now bigint, p_seal bytea, p_seal_before bytea)
returns table (arrived boolean) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  r ptcvm.run;
  v_head bigint;
  v_now bigint := ptcvm.now_ms(p_now);
  v_job bigint;
begin
  insert into ptcvm.run (log) values (p_log) on conflict do nothing;
  select * into r from ptcvm.run where log = p_log for no key update;
  select coalesce(max(f.seq), 0) into v_head from ptcvm.fact f where f.run = r.id;
  if p_again and exists (select from ptcvm.fact f where f.run = r.id and f.op = p_op) then
    return query select true;
    return;
  end if;
  if r.owner <> '' or v_head <> p_before or (v_head > 0 and r.state not in (3, 4)) then
    return query select false;
    return;
  end if;
  if r.seal is distinct from p_seal_before then
    return query select null::boolean;
    return;
  end if;
  if (select count(k) <> count(distinct k) from unnest(p_keys) k) or exists (
      select from ptcvm.keyed(r.id) f where f.key = any (p_keys)) then
    raise unique_violation using message = 'a key of the log is there twice';
  end if;
  if p_tenant is not null and ptcvm.foreign_part(array[p_log], array[p_tenant]) is not null then
    raise exception using errcode = 'PT002', message = 'the run is another tenant''s';
  end if;
  update ptcvm.run set seal = p_seal where id = r.id and p_seal is not null;
  insert into ptcvm.fact (run, seq, key, time_ms, rank, writer, op, body)
  select r.id, p_before + g.at, g.key, p_times[g.at], p_ranks[g.at], p_writers[g.at], p_op, p_bodies[g.at]
  from unnest(p_keys) with ordinality as g (key, at) order by g.at;
  perform ptcvm.mark_calls(r.id, p_before, p_keys, p_marks, p_calls, p_attempts, p_tasks);
  perform ptcvm.set_state(r.id, 4::smallint, p_op, null, null, null, null, null, null);   -- forgets what was parked
  if p_continuation is not null then
    perform ptcvm.set_state(r.id, 2::smallint, p_op, p_continuation, p_wait_keys, p_whole_keys, p_deadline, p_observed,
                            p_snapshot);
    update ptcvm.waiting w set woken = true where w.run = r.id and exists (
      select from ptcvm.keyed(r.id) f where f.key = any (p_wait_keys) and f.seq > p_observed);
    if p_state <> 1 then delete from ptcvm.waiting where run = r.id; end if;
  end if;
  update ptcvm.run set state = p_state, token = greatest(token, p_token), nonce = null, owner = '', until_ms = 0
  where id = r.id;
  if p_queue is not null then
    if p_numbers[1] <> 8 then insert into ptcvm.queue (name) values (p_queue) on conflict do nothing; end if;
    insert into ptcvm.job (run, op, queue, tenant, state, priority, format, crashes, attempts, most_attempts, needs,
                           at_ms, crash_head, reason, cancelled)
    values (r.id, p_op, p_queue, p_tenant, p_numbers[1], p_numbers[2], p_numbers[3], p_numbers[4], p_numbers[5],
            p_numbers[6], p_needs, p_numbers[7], p_numbers[8], p_reason, p_numbers[9] <> 0)
    on conflict (run) do update set op = excluded.op, state = excluded.state, format = excluded.format,
      crashes = excluded.crashes, attempts = excluded.attempts, at_ms = excluded.at_ms, node = 0, token = 0,
      crash_head = excluded.crash_head, reason = excluded.reason, cancelled = excluded.cancelled
    returning run into v_job;
    if not (p_numbers[1] in (4, 5, 6, 8) or (p_numbers[1] = 1 and p_numbers[7] > v_now)) then
      perform ptcvm.place_job(v_job, v_now);
      perform ptcvm.tell();
    end if;
  end if;
  return query select true;
end $$;

create or replace function ptcvm.settle_departure(p_log bytea, p_key bytea) returns table (settled boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update ptcvm.run r set state = 4 where r.log = p_log and r.state in (3, 4) and p_key = (
    select f.key from ptcvm.fact f where f.run = r.id order by f.seq desc limit 1);
  return query select found;
end $$;

-- Claims a run. answer: 0 granted; 3 the run has left; 4 it is sealed, and p_keys says that the caller has no ring;
-- 1 another holds it; 2 the lease of another is over, and the caller finds out whether
-- that process lives: it asks again with p_dead, the token of that claim. A claim that asks again after a broken
-- connection finds its own nonce.
drop function if exists ptcvm.claim(bytea, bytea, uuid, bigint, bigint, bigint);
create or replace function ptcvm.claim(
  p_log bytea, p_owner bytea, p_nonce uuid, p_now bigint, p_lease bigint, p_dead bigint, p_keys boolean)
returns table (answer smallint, token bigint, owner bytea, until_ms bigint) language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  r ptcvm.run;
  v_now bigint := ptcvm.now_ms(p_now);
begin
  select * into r from ptcvm.run where log = p_log for no key update;
  if not found then
    insert into ptcvm.run (log) values (p_log) on conflict do nothing;
    select * into r from ptcvm.run where log = p_log for no key update;
  end if;
  if r.state in (3, 4) then
    return query select 3::smallint, r.token, r.owner, r.until_ms;
    return;
  end if;
  if r.seal is not null and not p_keys then
    return query select 4::smallint, r.token, r.owner, r.until_ms;
    return;
  end if;
  perform ptcvm.release_if_dead(r.id, v_now);
  select * into r from ptcvm.run where id = r.id;
  if r.owner <> '' and r.nonce is distinct from p_nonce and p_dead is distinct from r.token then
    return query select (case when r.until_ms > v_now then 1 else 2 end)::smallint, r.token, r.owner, r.until_ms;
    return;
  end if;
  if r.nonce is distinct from p_nonce then
    r.token := r.token + 1;
    r.until_ms := case when v_now > 9223372036854775807 - p_lease then 9223372036854775807 else v_now + p_lease end;
    update ptcvm.run x set token = r.token, nonce = p_nonce, owner = p_owner, until_ms = r.until_ms where x.id = r.id;
  end if;
  return query select 0::smallint, r.token, p_owner, r.until_ms;
end $$;

-- p_nonces, here and below: a write whose fate nobody found out has one of several (see write()).
drop function if exists ptcvm.renew(bytea, bigint, uuid, bigint, bigint);
create or replace function ptcvm.renew(p_log bytea, p_token bigint, p_nonces uuid[], p_now bigint, p_lease bigint)
returns table (renewed boolean) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now bigint := ptcvm.now_ms(p_now);
begin
  update ptcvm.run
  set until_ms = case when v_now > 9223372036854775807 - p_lease then 9223372036854775807 else v_now + p_lease end
  where log = p_log and token = p_token and nonce = any (p_nonces) and owner <> '';
  return query select found;
end $$;

-- p_again: a call that asks again after a broken connection; the first attempt may have given the claim back.
drop function if exists ptcvm.release(bytea, bigint, uuid, boolean);
create or replace function ptcvm.release(p_log bytea, p_token bigint, p_nonces uuid[], p_again boolean)
returns table (released boolean) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update ptcvm.run set owner = ''
  where log = p_log and token = p_token and nonce = any (p_nonces) and (owner <> '' or p_again);
  return query select found;
end $$;

create or replace function ptcvm.facts(p_log bytea, p_after bigint, p_most bigint, p_is_notable boolean)
returns table (seq bigint, body bytea) language plpgsql stable security definer
set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_run bigint := (select id from ptcvm.run where log = p_log);
begin
  if p_is_notable then
    return query select n.seq, n.body from ptcvm.notable_facts(v_run, p_after, p_most) n;
  else
    return query select f.seq, f.body from ptcvm.fact f
      where f.run = v_run and f.seq > p_after order by f.seq limit p_most;
  end if;
end $$;

create or replace function ptcvm.find(p_log bytea, p_key bytea) returns table (seq bigint, body bytea)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query select f.seq, f.body from ptcvm.run r cross join lateral ptcvm.keyed(r.id) f
    where r.log = p_log and f.key = p_key;
end $$;

create or replace function ptcvm.open_calls(p_log bytea) returns table (seq bigint, body bytea)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query select f.seq, f.body from ptcvm.open_call c join ptcvm.fact f on f.run = c.run and f.seq = c.seq
    where c.run = (select r.id from ptcvm.run r where r.log = p_log) order by f.seq;
end $$;

create or replace function ptcvm.parked_run(p_log bytea)
returns table (continuation bytea, deadline_ms bigint, observed_seq bigint, wait_keys bytea[], snapshot bytea)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query select p.continuation, p.deadline_ms, p.observed_seq, p.wait_keys, p.snapshot from ptcvm.parked p
    where p.run = (select r.id from ptcvm.run r where r.log = p_log);
end $$;

-- Runs after p_after in the order of their ids; with p_most null, the run p_after itself.
create or replace function ptcvm.runs(p_after bytea, p_most bigint)
returns table (log bytea, state smallint, owner bytea, woken boolean, deadline_ms bigint, head bigint,
               changed_ms bigint, started_ms bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  if p_most is null then
    return query select r.log, r.state, r.owner, w.woken, w.deadline_ms, l.seq, l.time_ms, f.time_ms
      from ptcvm.run r join ptcvm.fact f on f.run = r.id and f.seq = 1
      cross join lateral (select x.seq, x.time_ms from ptcvm.fact x where x.run = r.id order by x.seq desc limit 1) l
      left join ptcvm.waiting w on w.run = r.id where r.log = p_after;
    return;
  end if;
  return query select r.log, r.state, r.owner, w.woken, w.deadline_ms, l.seq, l.time_ms, f.time_ms
    from (select * from ptcvm.run x where x.log > p_after
            and exists (select from ptcvm.fact f where f.run = x.id and f.seq = 1) order by x.log limit p_most) r
    join ptcvm.fact f on f.run = r.id and f.seq = 1
    cross join lateral (select x.seq, x.time_ms from ptcvm.fact x where x.run = r.id order by x.seq desc limit 1) l
    left join ptcvm.waiting w on w.run = r.id order by r.log;
end $$;

create or replace function ptcvm.woken_runs(p_now bigint, p_most bigint) returns table (log bytea)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_now bigint := ptcvm.now_ms(p_now);
begin
  return query select r.log from (
      select x.since, x.run from ptcvm.waiting x where x.woken
      union
      select x.since, x.run from ptcvm.waiting x where x.deadline_ms <= v_now
    ) w join ptcvm.run r on r.id = w.run order by w.since limit p_most;
end $$;

-- For those who check seals. A log at one moment; no row when there is no such log.
create or replace function ptcvm.sealed_log(p_log bytea)
returns table (seal bytea, token bigint, head bigint, open_calls bigint[]) language plpgsql stable security definer
set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query select r.seal, r.token,
      coalesce((select f.seq from ptcvm.fact f where f.run = r.id order by f.seq desc limit 1), 0),
      array(select c.seq from ptcvm.open_call c where c.run = r.id order by c.seq)
    from ptcvm.run r where r.log = p_log;
end $$;

-- Facts with the columns beside their bytes.
create or replace function ptcvm.sealed_facts(p_log bytea, p_after bigint, p_most bigint)
returns table (seq bigint, body bytea, key bytea, time_ms bigint, rank smallint, writer bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query select f.seq, f.body, f.key, f.time_ms, f.rank, f.writer from ptcvm.fact f
    where f.run = (select r.id from ptcvm.run r where r.log = p_log) and f.seq > p_after order by f.seq limit p_most;
end $$;

-- Which of these keys facts of the log have.
create or replace function ptcvm.taken_keys(p_log bytea, p_keys bytea[]) returns table (key bytea)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query select f.key from ptcvm.run r cross join lateral ptcvm.keyed(r.id) f
    where r.log = p_log and f.key = any (p_keys);
end $$;

create or replace function ptcvm.store_version() returns table (version int)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select version from ptcvm.meta $$;

revoke all on schema ptcvm from public;
revoke all on all functions in schema ptcvm from public;

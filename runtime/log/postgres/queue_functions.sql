-- The calls of run queues: what queue_protocol.cpp says, as functions of the database (tests run both in lock-step).
-- Those that change something and may be asked again after a broken connection find out what they did before.
--
-- What is called often is PL/pgSQL, whose plans a session keeps: a function in SQL is planned in each statement that
-- calls it, unless it is inlined. Where the values of parameters cannot make another plan better, the setting
-- force_generic_plan keeps PostgreSQL from trying.
--
-- PostgreSQL lets one transaction with a notification commit at a time, for the time that the disk takes. So functions
-- that are called often send none: make_ready() keeps the queue in a setting of the transaction, the caller finds it
-- there, and tells of it in a transaction of its own that waits for no disk (tell_of). The other functions tell().
create or replace function ptcvm.tell() returns void language plpgsql as $$
begin
  perform pg_notify('ptcvm_ready', q)
  from unnest(string_to_array(nullif(current_setting('ptcvm.ready', true), ''), ' ')) q;
  if found then perform set_config('ptcvm.ready', '', true); end if;
end $$;

create or replace function ptcvm.tell_of(p_queues bytea) returns void language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  perform pg_notify('ptcvm_ready', q) from unnest(string_to_array(convert_from(p_queues, 'UTF8'), ' ')) q;
end $$;

create or replace function ptcvm.keep_ready(p_queue bytea) returns void language plpgsql as $$
declare
  v_kept text := coalesce(current_setting('ptcvm.ready', true), '');
  v_queue text := encode(p_queue, 'hex');
begin
  if v_queue = any (string_to_array(v_kept, ' ')) then return; end if;
  perform set_config('ptcvm.ready', case when v_kept = '' then v_queue else v_kept || ' ' || v_queue end, true);
end $$;

-- A job that a transaction above READ COMMITTED enqueued has pass -1 (ptcvm.is_late()): that transaction could not see
-- parts of the run that were committed after its snapshot. So they are looked for when the job becomes ready.
create or replace function ptcvm.make_ready(p_job bigint, p_now bigint) returns void language plpgsql as $$
declare
  v_queue bytea;
begin
  update ptcvm.job j set state = 0, node = 0, token = 0, at_ms = p_now,
    pass = greatest((select q.pass from ptcvm.queue q where q.name = j.queue),
                    (select s.pass from ptcvm.job s where s.state = 0 and s.queue = j.queue and s.tenant = j.tenant
                     order by s.pass desc limit 1), 0) + 1
  where j.run = p_job and j.pass >= 0 returning j.queue into v_queue;
  if found then
    perform ptcvm.keep_ready(v_queue);
  elsif ptcvm.has_foreign_part(p_job) then
    update ptcvm.job set reason = 'store_wrong_tenant: a part of the run is a run of another tenant' where run = p_job;
    perform ptcvm.set_aside(p_job, 6, p_now);
    perform ptcvm.fail_dependents(p_job, p_now);
  else
    update ptcvm.job set pass = 0 where run = p_job and pass < 0;
    if found then perform ptcvm.make_ready(p_job, p_now); end if;
  end if;
end $$;

create or replace function ptcvm.has_foreign_part(p_job bigint) returns boolean language sql stable as $$
  select exists (
    select from ptcvm.job j join ptcvm.run r on r.id = j.run
    join ptcvm.run x on x.log >= r.log || '/'::bytea and x.log < r.log || '0'::bytea     -- the byte after "/"
    join ptcvm.job p on p.run = x.id where j.run = p_job and p.tenant <> j.tenant) $$;

create or replace function ptcvm.is_late() returns boolean language sql stable as $$
  select current_setting('transaction_isolation') in ('repeatable read', 'serializable') $$;

create or replace function ptcvm.set_aside(p_job bigint, p_state int, p_at bigint) returns void language plpgsql as $$
begin
  update ptcvm.job set state = p_state, at_ms = p_at, node = 0, token = 0 where run = p_job;
end $$;

-- Ends a job that was cancelled, and that nobody holds.
create or replace function ptcvm.end_cancelled(p_job bigint, p_now bigint) returns void language plpgsql as $$
begin
  update ptcvm.job set reason = 'cancelled' where run = p_job;
  perform ptcvm.set_aside(p_job, 6, p_now);
  perform ptcvm.fail_dependents(p_job, p_now);
end $$;

-- Gives a job back whose log has ended, and nobody has said how its turn ended.
create or replace function ptcvm.give_back_ended(p_job bigint, p_now bigint) returns void language plpgsql as $$
begin
  if (select j.cancelled from ptcvm.job j where j.run = p_job) then
    perform ptcvm.end_cancelled(p_job, p_now);
  else
    perform ptcvm.make_ready(p_job, p_now);
  end if;
end $$;

-- Puts a job where its run belongs that nobody holds any more. The run is locked.
create or replace function ptcvm.place_job(p_job bigint, p_now bigint) returns void language plpgsql as $$
declare
  v record;
begin
  select r.state, coalesce(w.woken, false) as woken, w.deadline_ms, j.cancelled into v
  from ptcvm.job j join ptcvm.run r on r.id = j.run left join ptcvm.waiting w on w.run = r.id where j.run = p_job;
  if v.state = 2 then
    perform ptcvm.set_aside(p_job, 5, p_now);
    perform ptcvm.unblock(p_job, p_now);
  elsif v.cancelled then
    perform ptcvm.end_cancelled(p_job, p_now);
  elsif v.state <> 1 or v.woken or v.deadline_ms <= p_now then
    perform ptcvm.make_ready(p_job, p_now);
  elsif v.deadline_ms is not null then
    perform ptcvm.set_aside(p_job, 1, v.deadline_ms);
  else
    perform ptcvm.set_aside(p_job, 3, p_now);
  end if;
end $$;

-- Takes a run from its node. The run is locked.
create or replace function ptcvm.rescue_job(p_job bigint, p_now bigint) returns void language plpgsql as $$
declare
  j ptcvm.job;
  r ptcvm.run;
  v_head bigint;
begin
  select * into j from ptcvm.job where run = p_job;
  select * into r from ptcvm.run where id = j.run;
  if r.token = j.token and r.owner <> '' then
    update ptcvm.run set owner = '', until_ms = 0 where id = r.id;
    select coalesce(max(f.seq), 0) into v_head from ptcvm.fact f where f.run = r.id;
    if j.crashes > 0 and not exists (
        select from ptcvm.fact f where f.run = r.id and f.seq > j.crash_head and f.key is not null
          and substr(f.key, 1, 7) <> 'intent/'::bytea and substr(f.key, 1, 12) <> 'host/intent/'::bytea) then
      j.crashes := j.crashes + 1;
    else
      j.crashes := 1;
    end if;
    update ptcvm.job set crashes = j.crashes, crash_head = v_head where run = j.run;
    if r.state <> 2 and not j.cancelled
       and j.crashes >= (select q.most_crashes from ptcvm.queue q where q.name = j.queue) then
      update ptcvm.job set reason = convert_to(
        'its workers died ' || j.crashes || ' times at fact ' || v_head, 'UTF8') where run = j.run;
      perform ptcvm.set_aside(j.run, 4, p_now);
      return;
    end if;
    if r.state = 2 then
      perform ptcvm.give_back_ended(j.run, p_now);
      return;
    end if;
  end if;
  perform ptcvm.place_job(j.run, p_now);
end $$;

create or replace function ptcvm.release_if_dead(p_run bigint, p_now bigint) returns void language plpgsql as $$
declare
  v_job bigint;
begin
  select j.run into v_job from ptcvm.job j where j.run = p_run and j.state = 2 and not exists (
    select from ptcvm.node n where n.id = j.node and not n.gone and n.until_ms > p_now);
  if found then
    perform ptcvm.rescue_job(v_job, p_now);
    perform ptcvm.tell();
  end if;
end $$;

-- In the transaction of the fact.
drop function if exists ptcvm.wake_job(bigint, bigint);   -- the name of a parameter is another one
create or replace function ptcvm.wake_job(p_run bigint, p_now bigint) returns void language plpgsql as $$
begin
  perform ptcvm.make_ready(j.run, p_now) from ptcvm.job j where j.run = p_run and j.state in (1, 3);
end $$;

create or replace function ptcvm.lease_end(p_now bigint, p_lease bigint) returns bigint language sql immutable as $$
  select case when p_now > 9223372036854775807 - p_lease then 9223372036854775807 else p_now + p_lease end $$;

create or replace function ptcvm.node_join(p_nonce uuid, p_name bytea, p_owner bytea, p_build bytea, p_format bigint,
                                           p_lease bigint, p_now bigint)
returns setof ptcvm.node language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now bigint := ptcvm.now_ms(p_now);
begin
  insert into ptcvm.node (nonce, name, owner, build, format, lease_ms, started_ms, until_ms)
  values (p_nonce, p_name, p_owner, p_build, p_format, p_lease, v_now, ptcvm.lease_end(v_now, p_lease))
  on conflict do nothing;
  return query select * from ptcvm.node where nonce = p_nonce;
end $$;

drop function if exists ptcvm.node_beat(bigint, bigint);   -- its rows have one column more
create or replace function ptcvm.node_beat(p_node bigint, p_now bigint)
returns table (alive boolean, draining boolean, log bytea, now bigint) language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_now bigint := ptcvm.now_ms(p_now);
  v_draining boolean;
begin
  update ptcvm.node n set until_ms = ptcvm.lease_end(v_now, n.lease_ms)
  where n.id = p_node and not n.gone and n.until_ms > v_now returning n.draining into v_draining;
  if not found then return query select false, false, null::bytea, v_now; return; end if;
  return query select true, v_draining, null::bytea, v_now;
  return query select true, v_draining, r.log, v_now from ptcvm.job j join ptcvm.run r on r.id = j.run
    where j.state = 2 and j.node = p_node and j.cancelled order by j.run;
end $$;

create or replace function ptcvm.node_leave(p_node bigint, p_now bigint, p_again boolean)
returns table (left_now boolean) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now bigint := ptcvm.now_ms(p_now);
  v_state int;
  v record;
begin
  update ptcvm.node set gone = true, until_ms = least(until_ms, v_now) where id = p_node and not gone;
  if not found and not p_again then return query select false; return; end if;
  for v in select j.run from ptcvm.job j where j.state = 2 and j.node = p_node order by j.run loop
    perform from ptcvm.run r where r.id = v.run for no key update;
    if exists (select from ptcvm.job j where j.run = v.run and j.state = 2 and j.node = p_node) then
      update ptcvm.run r set owner = '', until_ms = 0 from ptcvm.job j
        where j.run = v.run and r.id = j.run and r.token = j.token and r.owner <> '' returning r.state into v_state;
      if found and v_state = 2 then
        perform ptcvm.give_back_ended(v.run, v_now);
      else
        perform ptcvm.place_job(v.run, v_now);
      end if;
    end if;
  end loop;
  perform ptcvm.tell();
  return query select exists (select from ptcvm.node where id = p_node);
end $$;

-- A claim of this node that is under way has the lock of its queue.
create or replace function ptcvm.node_give_back(p_node bigint, p_logs bytea[], p_tokens bigint[], p_now bigint)
returns table (log bytea) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_now bigint := ptcvm.now_ms(p_now);
  v_state int;
  v record;
begin
  perform from ptcvm.queue q order by q.name for no key update;
  for v in
    select j.run, j.token, r.log from ptcvm.job j join ptcvm.run r on r.id = j.run
    where j.state = 2 and j.node = p_node and not exists (
      select from unnest(p_logs, p_tokens) as k (l, t) where k.l = r.log and k.t = j.token) order by j.run
  loop
    perform from ptcvm.run r where r.id = v.run for no key update;
    if exists (select from ptcvm.job j where j.run = v.run and j.state = 2 and j.node = p_node and j.token = v.token) then
      update ptcvm.run r set owner = '', until_ms = 0
        where r.id = v.run and r.token = v.token and r.owner <> '' returning r.state into v_state;
      if found and v_state = 2 then
        perform ptcvm.give_back_ended(v.run, v_now);
      else
        perform ptcvm.place_job(v.run, v_now);
      end if;
      log := v.log;
      return next;
    end if;
  end loop;
  perform ptcvm.tell();
end $$;

create or replace function ptcvm.node_drain(p_node bigint) returns table (drains boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update ptcvm.node set draining = true where id = p_node;
  return query select found;
end $$;

create or replace function ptcvm.nodes() returns setof ptcvm.node
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select * from ptcvm.node order by id $$;

-- p_nonces has one for each run that may be claimed. A call that asks again finds its runs by them.
-- p_keys: the node has a key ring. Other nodes leave sealed runs alone.
-- Rows: the runs; or one row without a log: the node is dead. What opening a run reads is in the columns from head on,
-- which are null when it is much, when the call asks again, or when the node has a key ring: then it must check what it
-- reads. wake_ms says how long ago the run was woken, if it was.
--
-- enable_sort: the index has the order. The planner expects that few jobs need no more than these tools, and would
-- otherwise read and sort all that are ready, for each claim. What it cannot do without a sort it then takes for so
-- costly that it would compile it, for seconds: jit.
drop function if exists ptcvm.claim_next(bigint, bytea, bytea[], bigint, uuid[], bigint, boolean);
drop function if exists ptcvm.claim_next(bigint, bytea, bytea[], bigint, uuid[], bigint, boolean, boolean);
create or replace function ptcvm.claim_next(p_node bigint, p_queue bytea, p_tools bytea[], p_most bigint,
                                            p_nonces uuid[], p_now bigint, p_again boolean, p_keys boolean)
returns table (log bytea, tenant bytea, token bigint, nonce uuid, cancelled boolean, attempts int, head bigint,
               notable_seqs bigint[], notable bytea[], call_seqs bigint[], calls bytea[], continuation bytea,
               deadline_ms bigint, observed_seq bigint, wait_keys bytea[], snapshot bytea, wake_ms bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
set enable_sort = off set jit = off as $$
#variable_conflict use_column
declare
  v_now bigint;
  n ptcvm.node;
  q ptcvm.queue;
  j ptcvm.job;
  r ptcvm.run;
  v record;
  v_room bigint;
  v_next int := 1;
begin
  select * into q from ptcvm.queue x where x.name = p_queue for no key update;
  v_now := ptcvm.now_ms(p_now);
  select * into n from ptcvm.node x where x.id = p_node and not x.gone and x.until_ms > v_now;
  if not found then
    return next;
    return;
  end if;
  if p_again then
    return query select x.log, y.tenant, x.token, x.nonce, y.cancelled, y.attempts, null::bigint, null::bigint[],
        null::bytea[], null::bigint[], null::bytea[], null::bytea, null::bigint, null::bigint, null::bytea[], null::bytea,
        null::bigint
      from ptcvm.job y join ptcvm.run x on x.id = y.run
      where y.state = 2 and y.node = p_node and x.token = y.token and x.nonce = any (p_nonces)
      order by array_position(p_nonces, x.nonce);
    if found then return; end if;
  end if;
  if q.name is null or q.paused or n.draining then return; end if;
  for v in select x.run, x.at_ms from ptcvm.job x where x.state = 1 and x.queue = p_queue and x.at_ms <= v_now
           order by x.at_ms, x.run limit 100 for update skip locked loop
    perform ptcvm.make_ready(v.run, v.at_ms);
  end loop;
  if found then perform ptcvm.tell(); end if;
  if q.starts_per_hour is not null then
    q.tokens := least(q.burst * 3600000,
                      q.tokens + greatest(0, least(v_now - q.filled_ms, 86400000)) * q.starts_per_hour);
    q.filled_ms := greatest(q.filled_ms, v_now);
  end if;
  v_room := least(p_most, cardinality(p_nonces));
  if q.slots is not null then
    v_room := least(v_room, q.slots - (select count(*) from ptcvm.job x where x.state = 2 and x.queue = p_queue));
  end if;
  if q.starts_per_hour is not null then v_room := least(v_room, q.tokens / 3600000); end if;
  if v_room > 0 then
    for j in select * from ptcvm.job x where x.state = 0 and x.queue = p_queue and x.format <= n.format
               and x.needs <@ p_tools order by x.priority, x.pass, x.run loop
      if q.tenant_slots is not null then
        continue when q.tenant_slots <= (
          select count(*) from ptcvm.job x where x.state = 2 and x.queue = p_queue and x.tenant = j.tenant);
      end if;
      select * into r from ptcvm.run x where x.id = j.run for no key update skip locked;
      continue when not found or (r.seal is not null and not p_keys);
      if r.owner <> '' and r.until_ms > v_now then      -- the job is as it is now, under the lock of the run
        update ptcvm.job x set state = 1, at_ms = r.until_ms, node = 0, token = 0 where x.run = j.run and x.state = 0;
        continue;
      end if;
      update ptcvm.job x set state = 2, node = p_node, token = r.token + 1, at_ms = v_now
      where x.run = j.run and x.state = 0 returning x.cancelled, x.attempts into cancelled, attempts;
      continue when not found;
      update ptcvm.run x set token = r.token + 1, nonce = p_nonces[v_next], owner = n.owner,
        until_ms = 9223372036854775807 where x.id = r.id;
      log := r.log; tenant := j.tenant; token := r.token + 1; nonce := p_nonces[v_next];
      v_next := v_next + 1;
      v_room := v_room - 1;
      wake_ms := null;
      if r.state = 1 and exists (
          select from ptcvm.waiting w where w.run = r.id and (w.woken or w.deadline_ms > 0)) then
        wake_ms := greatest(v_now - j.at_ms, 0);
      end if;
      q.pass := greatest(q.pass, j.pass);
      if q.starts_per_hour is not null then q.tokens := q.tokens - 3600000; end if;
      if not p_keys then
        select l.seq, array[l.seq], array[l.body], null, null, null, null, null, null, null into head, notable_seqs,
          notable, call_seqs, calls, continuation, deadline_ms, observed_seq, wait_keys, snapshot
        from ptcvm.fact l where l.run = r.id order by l.seq desc limit 1;      -- most runs that are new have one fact
        if r.token <> 0 or head is distinct from 1 or length(notable[1]) > 65536 then
          select o.* into head, notable_seqs, notable, call_seqs, calls, continuation, deadline_ms, observed_seq,
            wait_keys, snapshot from ptcvm.small_opening(r.id, r.token = 0) o;
        end if;
      end if;
      return next;
      exit when v_room <= 0;
    end loop;
  end if;
  update ptcvm.queue x set tokens = q.tokens, filled_ms = q.filled_ms, pass = q.pass
  where x.name = p_queue and (x.tokens, x.filled_ms, x.pass) <> (q.tokens, q.filled_ms, q.pass);
end $$;

-- p_kind: 0 as the log says, 1 again after p_delay, 2 dead, 3 over, if the log has p_head facts.
drop function if exists ptcvm.finish(bytea, bigint, uuid[], bigint, bigint, bytea, bigint, boolean);
create or replace function ptcvm.finish(p_log bytea, p_token bigint, p_nonces uuid[], p_kind bigint, p_delay bigint,
                                        p_reason bytea, p_head bigint, p_now bigint, p_again boolean)
returns table (finished boolean) language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  v_now bigint := ptcvm.now_ms(p_now);
  r ptcvm.run;
  j ptcvm.job;
begin
  select * into r from ptcvm.run where log = p_log for no key update;
  select * into j from ptcvm.job where run = r.id;
  if r.token is distinct from p_token or r.nonce = any (p_nonces) is not true or r.owner = ''
     or j.state is distinct from 2 or j.token <> p_token then
    return query select coalesce(p_again and r.token = p_token and r.nonce = any (p_nonces) and r.owner = '', false);
    return;
  end if;
  update ptcvm.run set owner = '', until_ms = 0 where id = r.id;
  if r.state = 2 and p_kind = 3 and p_head <= coalesce((      -- what follows does the same, in more statements
      select f.seq from ptcvm.fact f where f.run = r.id order by f.seq desc limit 1), 0) then
    update ptcvm.job x set state = 5, at_ms = v_now, node = 0, token = 0, crashes = 0, reason = p_reason
    where x.run = j.run;
    if exists (select from ptcvm.dependent d where d.run = r.id) then perform ptcvm.unblock(j.run, v_now); end if;
    return query select true;
    return;
  end if;
  update ptcvm.job x set crashes = 0, reason = p_reason, attempts = x.attempts + (p_kind = 1)::int,
    format = case when r.state = 1 then coalesce((select n.format from ptcvm.node n where n.id = x.node), x.format)
                  else x.format end
  where x.run = j.run returning * into j;
  if r.state = 2 and (p_kind = 0 or p_kind = 3
       and p_head > coalesce((select max(f.seq) from ptcvm.fact f where f.run = r.id), 0)) then
    perform ptcvm.give_back_ended(j.run, v_now);
  elsif p_kind in (0, 3) then
    perform ptcvm.place_job(j.run, v_now);
  elsif p_kind = 2 or j.cancelled or j.attempts >= j.most_attempts then
    perform ptcvm.set_aside(j.run, 6, v_now);
    perform ptcvm.fail_dependents(r.id, v_now);
  else
    perform ptcvm.set_aside(j.run, 1, ptcvm.lease_end(v_now, p_delay));
  end if;
  return query select true;
end $$;

-- The end of a log and of its job (FactStore::end_job()), in few statements on single rows. No row: nothing was changed,
-- and write() and finish() say why. p_again: the lock waits for a first attempt that still runs.
create or replace function ptcvm.end_job(
  p_log bytea, p_token bigint, p_nonces uuid[], p_seen bigint, p_op bigint, p_again boolean, p_time bigint,
  p_rank smallint, p_body bytea, p_now bigint)
returns table (head bigint) language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  v_now bigint := ptcvm.now_ms(p_now);
  r ptcvm.run;
  v_is_blocker boolean;
begin
  if p_seen = 9223372036854775807 then return; end if;        -- the cut has seen nothing: it is blind
  head := p_seen + 1;
  select * into r from ptcvm.run where log = p_log and token = p_token for no key update;
  if p_again and exists (select from ptcvm.fact f where f.run = r.id and f.seq = head and f.op = p_op) then
    return next;
    return;
  end if;
  if r.nonce = any (p_nonces) is not true or r.owner = '' or r.state in (3, 4) or r.seal is not null then return; end if;
  -- This one first: the run is locked, so nobody takes the job away or writes behind the head.
  update ptcvm.job x set state = 5, at_ms = v_now, node = 0, token = 0, crashes = 0, reason = ''
  where x.run = r.id and x.state = 2 and x.token = p_token and p_seen = (
    select f.seq from ptcvm.fact f where f.run = r.id order by f.seq desc limit 1)
  returning exists (select from ptcvm.dependent d where d.run = r.id) into v_is_blocker;
  if not found then return; end if;
  insert into ptcvm.fact (run, seq, key, time_ms, rank, writer, op, body)
  values (r.id, head, null, p_time, p_rank, p_token, p_op, p_body);
  update ptcvm.run x set state = 2, owner = '', until_ms = 0 where x.id = r.id;
  delete from ptcvm.parked where run = r.id;
  if found then delete from ptcvm.waiting where run = r.id; end if;
  if v_is_blocker then perform ptcvm.unblock(r.id, v_now); end if;
  return next;
end $$;

-- Ends the job of a run that has ended well under a claim which no queue gave. The run is locked.
create or replace function ptcvm.end_unheld(p_run bigint, p_token bigint, p_now bigint) returns void
language plpgsql as $$
declare
  v_state int;
begin
  select j.state into v_state from ptcvm.job j
    where j.run = p_run and j.state not in (5, 8) and (j.state <> 2 or j.token <> p_token);
  if not found then return; end if;
  update ptcvm.job set crashes = 0, cancelled = false, reason = '' where run = p_run;
  perform ptcvm.set_aside(p_run, 5, p_now);
  if v_state in (6, 9) then perform ptcvm.restore_dependents(p_run, p_now); end if;
  perform ptcvm.unblock(p_run, p_now);
end $$;

create or replace function ptcvm.rescue(p_most bigint, p_now bigint) returns table (log bytea)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_now bigint := ptcvm.now_ms(p_now);
  v record;
begin
  for v in select j.run, j.token from ptcvm.job j join ptcvm.node n on n.id = j.node
           where j.state = 2 and n.until_ms <= v_now order by j.run limit p_most loop
    select r.log into log from ptcvm.run r where r.id = v.run for no key update skip locked;
    continue when not found;
    if exists (select from ptcvm.job j join ptcvm.node n on n.id = j.node
               where j.run = v.run and j.state = 2 and j.token = v.token and n.until_ms <= v_now) then
      perform ptcvm.rescue_job(v.run, v_now);
      return next;
    end if;
  end loop;
  perform ptcvm.tell();
end $$;

create or replace function ptcvm.set_queue(p_name bytea, p_paused boolean, p_slots bigint, p_tenant_slots bigint,
                                           p_rate bigint, p_burst bigint, p_crashes bigint)
returns table (done boolean) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into ptcvm.queue (name) values (p_name) on conflict do nothing;
  update ptcvm.queue set tokens = case when p_rate is not null and starts_per_hour is null then p_burst * 3600000
                                       else tokens end,
    paused = p_paused, slots = p_slots, tenant_slots = p_tenant_slots, starts_per_hour = p_rate, burst = p_burst,
    most_crashes = p_crashes
  where name = p_name;
  perform pg_notify('ptcvm_ready', encode(p_name, 'hex'));   -- there may be more room
  return query select true;
end $$;

create or replace function ptcvm.queues() returns setof ptcvm.queue
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select * from ptcvm.queue order by name $$;

-- What cancel() and retry() answer about a job that is in another store.
create or replace function ptcvm.elsewhere(p_run bigint) returns smallint language sql stable as $$
  select (case when r.state in (3, 4) then 4 else 6 end)::smallint from ptcvm.run r where r.id = p_run $$;

-- answer: 0 no; 1 yes; 2 there is no such job; 3 the run is another tenant's; 4 the run went to another store; 5 its
-- log is not what was sealed, or is sealed, and there is no p_seal (see write()); 6 the log is a copy for reading.
drop function if exists ptcvm.cancel(bytea, bytea, uuid, bigint, smallint, bytea, bigint, boolean);
create or replace function ptcvm.cancel(p_log bytea, p_tenant bytea, p_op bigint, p_time bigint, p_rank smallint,
                                        p_body bytea, p_now bigint, p_again boolean, p_seal bytea,
                                        p_seal_before bytea, p_end bigint)
returns table (answer smallint) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now bigint := ptcvm.now_ms(p_now);
  v_head bigint;
  v_seal bytea;
  j ptcvm.job;
begin
  select seal into v_seal from ptcvm.run where log = p_log for no key update;
  select * into j from ptcvm.job where run = (select id from ptcvm.run where log = p_log);
  if not found then return query select 2::smallint; return; end if;
  if j.tenant <> p_tenant then return query select 3::smallint; return; end if;
  if j.state = 8 then return query select ptcvm.elsewhere(j.run); return; end if;
  select max(f.seq) into v_head from ptcvm.fact f where f.run = j.run;
  if j.cancelled and p_again and exists (select from ptcvm.fact f where f.run = j.run and f.op = p_op) then
    return query select 1::smallint;
    return;
  end if;
  if j.state in (5, 6, 9) or (j.state = 2 and j.cancelled) then return query select 0::smallint; return; end if;
  if v_seal is distinct from p_seal_before or (p_seal is not null and p_end <> coalesce(v_head, 0) + 1) then
    return query select 5::smallint;
    return;
  end if;
  insert into ptcvm.fact (run, seq, key, time_ms, rank, writer, op, body)
  values (j.run, coalesce(v_head, 0) + 1, null, p_time, p_rank, 0, p_op, p_body);
  update ptcvm.run set seal = p_seal where id = j.run and p_seal is not null;
  update ptcvm.job set cancelled = true where run = j.run;
  if j.state <> 2 then perform ptcvm.end_cancelled(j.run, v_now); end if;
  return query select 1::smallint;
end $$;

create or replace function ptcvm.retry(p_log bytea, p_tenant bytea, p_now bigint) returns table (answer smallint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  j ptcvm.job;
begin
  perform from ptcvm.run r where r.log = p_log or r.id in (    -- what it comes after stays as it is meanwhile
    select d.run from ptcvm.dependent d join ptcvm.run o on o.id = d.job
    where o.log = p_log) order by r.log for no key update;
  select * into j from ptcvm.job where run = (select id from ptcvm.run where log = p_log);
  if not found then return query select 2::smallint; return; end if;
  if j.tenant <> p_tenant then return query select 3::smallint; return; end if;
  if j.state = 8 then return query select ptcvm.elsewhere(j.run); return; end if;
  if j.state not in (1, 4, 6) then return query select 0::smallint; return; end if;
  update ptcvm.job set crashes = 0, attempts = 0, cancelled = false, reason = '' where run = j.run;
  perform ptcvm.ready_or_block(j.run, ptcvm.now_ms(p_now));
  perform ptcvm.restore_dependents(j.run, ptcvm.now_ms(p_now));
  perform ptcvm.tell();
  return query select 1::smallint;
end $$;

-- The job of a log; or, without a log, jobs of a state after p_after.
drop function if exists ptcvm.jobs(bytea, smallint, bigint, bigint);   -- its rows have one column more
create or replace function ptcvm.jobs(p_log bytea, p_state smallint, p_after bigint, p_most bigint)
returns table (id bigint, log bytea, queue bytea, tenant bytea, state smallint, priority int, format int, crashes int,
               attempts int, most_attempts int, needs bytea[], pass bigint, at_ms bigint, node bigint, token bigint,
               crash_head bigint, reason bytea, cancelled boolean, blockers int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan as $$             -- the state says which index is of use
#variable_conflict use_column
begin
  if p_log is not null then
    return query select j.run, r.log, j.queue, j.tenant, j.state, j.priority, j.format, j.crashes, j.attempts,
        j.most_attempts, j.needs, j.pass, j.at_ms, j.node, j.token, j.crash_head, j.reason, j.cancelled, j.blockers
      from ptcvm.job j join ptcvm.run r on r.id = j.run where r.log = p_log;
  else
    return query select j.run, r.log, j.queue, j.tenant, j.state, j.priority, j.format, j.crashes, j.attempts,
        j.most_attempts, j.needs, j.pass, j.at_ms, j.node, j.token, j.crash_head, j.reason, j.cancelled, j.blockers
      from (select * from ptcvm.job x where x.state = p_state and x.run > p_after order by x.run limit p_most) j
      join ptcvm.run r on r.id = j.run order by j.run;
  end if;
end $$;

-- The jobs of those logs that have one.
create or replace function ptcvm.jobs_of(p_logs bytea[])
returns table (id bigint, log bytea, queue bytea, tenant bytea, state smallint, priority int, format int, crashes int,
               attempts int, most_attempts int, needs bytea[], pass bigint, at_ms bigint, node bigint, token bigint,
               crash_head bigint, reason bytea, cancelled boolean, blockers int)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select j.run, r.log, j.queue, j.tenant, j.state, j.priority, j.format, j.crashes, j.attempts, j.most_attempts, j.needs,
    j.pass, j.at_ms, j.node, j.token, j.crash_head, j.reason, j.cancelled, j.blockers
  from (select distinct l from unnest(p_logs) l) g join ptcvm.run r on r.log = g.l join ptcvm.job j on j.run = r.id $$;

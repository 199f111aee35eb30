-- The calls that make jobs and schedules, and remove what is old.
--
-- Tells the jobs that come after the run of a job that the run is done. Their rows are taken in the order of their ids.
create or replace function ptcvm.unblock(p_done bigint, p_now bigint) returns void language plpgsql as $$
declare
  v record;
begin
  for v in select d.job from ptcvm.dependent d where d.run = p_done order by d.job loop
    delete from ptcvm.dependent d where d.run = p_done and d.job = v.job;
    update ptcvm.job j set blockers = j.blockers - 1,
      state = case when j.state = 7 and j.blockers = 1 then 1 else j.state end where j.run = v.job;
    perform ptcvm.make_ready(j.run, p_now) from ptcvm.job j
      where j.run = v.job and j.state = 1 and j.blockers = 0 and j.at_ms <= p_now;
  end loop;
end $$;

create or replace function ptcvm.failure_of(p_log bytea) returns bytea language sql immutable as $$
  select 'the run '::bytea || p_log || ' was given up'::bytea $$;

-- Ends the jobs that come after a run that was given up, and those that come after these.
create or replace function ptcvm.fail_dependents(p_run bigint, p_now bigint) returns void language sql as $$
  with recursive failed (run) as (
    select j.run from ptcvm.dependent d join ptcvm.job j on j.run = d.job where d.run = p_run and j.state = 7
    union
    select j.run from failed f join ptcvm.dependent d on d.run = f.run join ptcvm.job j on j.run = d.job
      where j.state = 7)
  update ptcvm.job j set state = 9, at_ms = p_now, node = 0, token = 0,
    reason = ptcvm.failure_of((select r.log from ptcvm.run r where r.id = p_run))
  from failed f where j.run = f.run and j.state = 7 $$;

-- Why a job ends that comes after one that was given up, or null.
create or replace function ptcvm.failure_before(p_job bigint) returns bytea language sql stable as $$
  select case when b.state = 6 then ptcvm.failure_of(x.log) else b.reason end
  from ptcvm.dependent d join ptcvm.run x on x.id = d.run join ptcvm.job b on b.run = d.run
  where d.job = p_job and b.state in (6, 9) order by x.log limit 1 $$;

-- Ends a job that comes after one that was given up. Returns whether there is one.
create or replace function ptcvm.fail_by_blocker(p_job bigint, p_now bigint) returns boolean language plpgsql as $$
begin
  update ptcvm.job j set state = 9, at_ms = p_now, node = 0, token = 0, reason = f.reason
  from (select ptcvm.failure_before(p_job) as reason) f where j.run = p_job and f.reason is not null;
  return found;
end $$;

-- Makes a job ready, unless it comes after runs that are not done: it is blocked, or ends because one was given up.
create or replace function ptcvm.ready_or_block(p_job bigint, p_now bigint) returns void language plpgsql as $$
begin
  if not exists (select from ptcvm.job j where j.run = p_job and j.blockers > 0) then
    perform ptcvm.make_ready(p_job, p_now);
  elsif not ptcvm.fail_by_blocker(p_job, p_now) then
    perform ptcvm.set_aside(p_job, 7, p_now);
  end if;
end $$;

-- Blocks the jobs again that ended because this run had been given up. Those that another one ends, too, get the reason
-- of that one.
create or replace function ptcvm.restore_dependents(p_run bigint, p_now bigint) returns void language plpgsql as $$
declare
  v_front bigint[] := array[p_run];
begin
  while v_front is not null loop
    with changed as (
      update ptcvm.job j set state = case when f.reason is null then 7 else 9 end,
        at_ms = case when f.reason is null then p_now else j.at_ms end, reason = coalesce(f.reason, '')
      from (select distinct d.job, ptcvm.failure_before(d.job) as reason from ptcvm.dependent d
            where d.run = any (v_front)) f
      where j.run = f.job and j.state = 9 and j.reason is distinct from f.reason
      returning j.run)
    select array_agg(r.run) into v_front from changed r;
  end loop;
end $$;

-- Enqueues one job that comes after nothing: what enqueue() does, in few statements on single rows. `ready` is the queue
-- of which somebody must tell workers, or null. p_seal is the seal of the log, or null without a key ring.
drop function if exists ptcvm.enqueue_job(uuid, bigint, bytea, bytea, bytea, bigint, bigint, bigint, bigint, bytea[],
                                          bigint, smallint, bytea);
create or replace function ptcvm.enqueue_job(
  p_op bigint, p_now bigint, p_log bytea, p_queue bytea, p_tenant bytea, p_priority bigint, p_delay bigint, p_at bigint,
  p_attempts bigint, p_needs bytea[], p_time bigint, p_rank smallint, p_body bytea, p_seal bytea)
returns table (made boolean, at bigint, ready text) language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now bigint := ptcvm.now_ms(p_now);
  v_at bigint := greatest(p_at, ptcvm.lease_end(v_now, p_delay));
  v_run bigint;
  v_pass bigint;
  v_lock bigint := ptcvm.part_lock(p_log);
  v_is_wrong boolean := false;
begin
  perform pg_advisory_lock(v_lock), pg_advisory_unlock(v_lock),   -- before others may have to wait for this call
          pg_advisory_lock_shared(5788044), pg_advisory_unlock_shared(5788044);
  insert into ptcvm.run (log, seal) values (p_log, p_seal) on conflict do nothing returning id into v_run;
  if v_run is null then                                -- it is there, or this call is made again
    select e.made, e.at into made, at from ptcvm.enqueue(
      p_op, p_now, array[p_log], array[p_queue], array[p_tenant], array[p_priority], array[p_delay], array[p_at],
      array[p_attempts], p_needs, array_fill(1::bigint, array[cardinality(p_needs)]), array[p_time], array[p_rank],
      array[p_body], '{}', '{}', array_remove(array[p_seal], null)) e;
    ready := nullif(current_setting('ptcvm.ready', true), '');
    return next;
    return;
  end if;
  perform pg_advisory_lock(v_lock), pg_advisory_unlock(v_lock),   -- as ptcvm.foreign_part(), which is dearer
          pg_advisory_lock_shared(5788044), pg_advisory_unlock_shared(5788044);
  if position('/'::bytea in p_log) > 0
     or p_log || '0'::bytea > (select x.log from ptcvm.run x where x.log >= p_log || '/'::bytea
                               order by x.log limit 1) then
    v_is_wrong := ptcvm.foreign_part(array[p_log], array[p_tenant]) is not null;
  end if;
  if v_is_wrong then
    delete from ptcvm.run x where x.id = v_run;
    at := 1;
    return next;
    return;
  end if;
  insert into ptcvm.fact (run, seq, key, time_ms, rank, writer, op, body)
  values (v_run, 1, null, p_time, p_rank, 0, p_op, p_body);
  select q.pass into v_pass from ptcvm.queue q where q.name = p_queue;
  if not found then
    insert into ptcvm.queue (name) values (p_queue) on conflict do nothing;
  end if;
  if v_at <= v_now and not ptcvm.is_late() then
    insert into ptcvm.job (run, op, queue, tenant, state, priority, most_attempts, needs, pass, at_ms)
    values (v_run, p_op, p_queue, p_tenant, 0, p_priority, p_attempts, p_needs, 1 + greatest(v_pass, (
      select s.pass from ptcvm.job s where s.state = 0 and s.queue = p_queue and s.tenant = p_tenant
      order by s.pass desc limit 1), 0), v_now);
    ready := encode(p_queue, 'hex');
  else
    insert into ptcvm.job (run, op, queue, tenant, state, priority, most_attempts, needs, pass, at_ms)
    values (v_run, p_op, p_queue, p_tenant, 1, p_priority, p_attempts, p_needs, -ptcvm.is_late()::int, v_at);
    if v_at <= v_now then ready := encode(p_queue, 'hex'); end if;
  end if;
  made := true;
  at := 1;
  return next;
end $$;

-- For applications that have no libptcvm, in their own transactions: one program as text. data_edn is a map in EDN for
-- data/…, or ''; needs are the tools of the program, because nothing here reads programs. Returns whether the job is new.
-- The first fact is written as JSON, which readers of facts take (postgres_rows.cpp).
create or replace function ptcvm.enqueue_program(
  id text, source text, queue text default 'default', tenant text default '', data_edn text default '',
  needs text[] default '{}', priority int default 0, delay interval default '0', attempts int default 20)
returns boolean language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
declare
  v_now bigint := ptcvm.now_ms(null);
  v_made record;
begin
  if id is null or source is null or length(id) = 0 or octet_length(id) > 2000 or length(queue) = 0
     or octet_length(queue) > 200 or octet_length(tenant) > 200 or cardinality(needs) > 256 or attempts < 1
     or delay < '0' or octet_length(source) > 1048576 then
    raise exception 'a job needs an id, a program of at most 1 MiB, a queue, at least one attempt, and no negative delay'
      using errcode = '22023';
  end if;
  if starts_with(id, 'ptcvm/') then
    raise exception 'ids that begin with ptcvm/ belong to the store: %', id using errcode = '22023';
  end if;
  if exists (select from unnest(needs) n where n is null or n = '' or octet_length(n) > 200) then
    raise exception 'the name of a tool that a job needs has 1 to 200 bytes' using errcode = '22023';
  end if;
  for v_made in select * from ptcvm.enqueue(
    hashtextextended(gen_random_uuid()::text, 0), null, array[convert_to(id, 'UTF8')], array[convert_to(queue, 'UTF8')],
    array[convert_to(tenant, 'UTF8')], array[priority::bigint], array[(extract(epoch from delay) * 1000)::bigint],
    array[0::bigint], array[attempts::bigint],
    coalesce((select array_agg(convert_to(n, 'UTF8')) from unnest(needs) n), '{}'),
    coalesce((select array_agg(1::bigint) from unnest(needs)), '{}'), array[v_now], array[1::smallint],
    array[convert_to(json_build_object('kind', 'run_started', 'author', 'host', 'time_ms', v_now, 'value', data_edn,
                                       'text', source, 'number', 1)::text, 'UTF8')],
    '{}'::bytea[], '{}'::bigint[], '{}'::bytea[])
  loop
    perform ptcvm.tell();
    if v_made.made is null and v_made.at > 2 then
      raise exception 'the store has a copy of the run % for reading', id using errcode = '55000';
    end if;
    if v_made.made is null and v_made.at > 1 then
      raise exception 'the run % was moved to another store', id using errcode = '55000';
    end if;
    if v_made.made is null then
      raise exception 'the run % is another tenant''s', id using errcode = '42501';
    end if;
    return v_made.made;
  end loop;
  return false;
end $$;

create or replace function ptcvm.depths() returns table (queue bytea, state smallint, count bigint, oldest bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select d.queue, d.state, count(*), min(d.at_ms) from (    -- each part has an index of its own
      select j.queue, j.state, j.at_ms from ptcvm.job j where j.state = 0
      union all select j.queue, j.state, j.at_ms from ptcvm.job j where j.state = 1
      union all select j.queue, j.state, j.at_ms from ptcvm.job j where j.state = 2
      union all select j.queue, j.state, j.at_ms from ptcvm.job j where j.state in (3, 4, 6, 7, 9)) d
  group by d.queue, d.state order by d.queue, d.state $$;

-- The logs RUN/… that belong to a run: that have no job, and are below no other run that has one.
create or replace function ptcvm.parts_of(p_log bytea) returns table (id bigint, owner bytea, until_ms bigint)
language sql stable as $$
  with below as materialized (
    select x.id, x.log, x.owner, x.until_ms, j.run is not null as has_job
    from ptcvm.run x left join ptcvm.job j on j.run = x.id
    where x.log >= p_log || '/'::bytea and x.log < p_log || '0'::bytea           -- the byte after "/"
      and substr(x.log, 1, 11) <> 'ptcvm/store'::bytea                          -- the identity of the store
  )
  select b.id, b.owner, b.until_ms from below b where not b.has_job and not exists (
    select from below o where o.has_job and substr(b.log, 1, length(o.log) + 1) = o.log || '/'::bytea) $$;

-- A run goes with its parts. Runs that somebody has locked or executes, or a part of which, are left for the next time.
create or replace function ptcvm.prune(p_older bigint, p_dead boolean, p_most bigint, p_now bigint)
returns table (log bytea) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_now bigint := ptcvm.now_ms(p_now);
  v_before bigint := ptcvm.moment_before(v_now, p_older);
  v record;
  v_parts bigint[];
  v_locked bigint[];
  v_count bigint := 0;
begin
  for v in
    select j.run from ptcvm.job j where j.state in (5, 6, 9) and j.at_ms <= v_before and (j.state = 5 or (p_dead
      and not exists (select from ptcvm.dependent d where d.run = j.run))) order by j.run limit p_most
  loop
    select r.log into log from ptcvm.run r where r.id = v.run and (r.owner = '' or r.until_ms <= v_now)
      for update skip locked;
    continue when not found;
    continue when not exists (select from ptcvm.job j where j.run = v.run and j.state in (5, 6, 9) and j.at_ms <= v_before);
    select coalesce(array_agg(p.id), '{}') into v_parts from ptcvm.parts_of(log) p;
    v_locked := array(select r.id from ptcvm.run r where r.id = any (v_parts) and (r.owner = '' or r.until_ms <= v_now)
                      order by r.id for update skip locked);
    continue when cardinality(v_locked) <> cardinality(v_parts);
    v_parts := v_parts || v.run;
    delete from ptcvm.dependent d where d.job = v.run;
    delete from ptcvm.job j where j.run = v.run;
    delete from ptcvm.open_call x where x.run = any (v_parts);
    delete from ptcvm.waiting x where x.run = any (v_parts);
    delete from ptcvm.parked x where x.run = any (v_parts);
    delete from ptcvm.fact x where x.run = any (v_parts);
    delete from ptcvm.run x where x.id = any (v_parts);
    v_count := v_count + 1;
    return next;
  end loop;
  if v_count < p_most then
    delete from ptcvm.node n where n.id in (
      select x.id from ptcvm.node x where x.until_ms <= v_before
        and not exists (select from ptcvm.job j where j.state = 2 and j.node = x.id)
      order by x.id limit p_most for update skip locked);
  end if;
end $$;

create or replace function ptcvm.moment_before(p_now bigint, p_older bigint) returns bigint language sql immutable as $$
  select case when p_older > 0 and p_now < -9223372036854775807 + p_older then -9223372036854775807
              else p_now - greatest(p_older, 0) end $$;

-- answer: 0 the schedule is another tenant's; 1 done; 2 it is sealed, and there is no p_seal.
drop function if exists ptcvm.set_schedule(bytea, bytea, bigint, bytea, bytea, bigint, bigint, bytea[], smallint, bytea);
create or replace function ptcvm.set_schedule(
  p_name bytea, p_spec bytea, p_next bigint, p_queue bytea, p_tenant bytea, p_priority bigint, p_attempts bigint,
  p_needs bytea[], p_rank smallint, p_body bytea, p_seal bytea)
returns table (answer smallint) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into ptcvm.schedule (name, spec, next_ms, queue, tenant, priority, most_attempts, needs, rank, body, seal)
  values (p_name, p_spec, p_next, p_queue, p_tenant, p_priority, p_attempts, p_needs, p_rank, p_body, p_seal)
  on conflict (name) do update set spec = p_spec, next_ms = p_next, queue = p_queue, priority = p_priority,
    most_attempts = p_attempts, needs = p_needs, rank = p_rank, body = p_body, seal = p_seal
  where ptcvm.schedule.tenant = p_tenant and (p_seal is not null or ptcvm.schedule.seal is null);
  if found then return query select 1::smallint; return; end if;
  return query select (case when s.tenant = p_tenant then 2 else 0 end)::smallint from ptcvm.schedule s
    where s.name = p_name;
end $$;

-- answer: 0 there is no such schedule; 1 removed; 3 it is another tenant's.
create or replace function ptcvm.remove_schedule(p_name bytea, p_tenant bytea) returns table (answer smallint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from ptcvm.schedule where name = p_name and tenant = p_tenant;
  if found then return query select 1::smallint; return; end if;
  return query select case when exists (select from ptcvm.schedule where name = p_name) then 3 else 0 end::smallint;
end $$;

create or replace function ptcvm.schedules() returns setof ptcvm.schedule
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select * from ptcvm.schedule order by name $$;

drop function if exists ptcvm.fire(bytea, bigint, bigint, uuid, bigint, bytea[], bytea[], bytea[], bigint[], bigint[],
                                   bigint[], bigint[], bytea[], bigint[], bigint[], smallint[], bytea[], bytea[],
                                   bigint[]);
drop function if exists ptcvm.fire(bytea, bigint, bigint, bigint, bigint, bytea[], bytea[], bytea[], bigint[], bigint[],
                                   bigint[], bigint[], bytea[], bigint[], bigint[], smallint[], bytea[], bytea[],
                                   bigint[], bytea[]);
-- No row: the next moment is another one. Else the rows of enqueue(), and one row at the place 0.
create or replace function ptcvm.fire(
  p_name bytea, p_due bigint, p_last bigint, p_next bigint, p_op bigint, p_now bigint, p_logs bytea[],
  p_queues bytea[], p_tenants bytea[], p_priorities bigint[], p_delays bigint[], p_ats bigint[], p_attempts bigint[],
  p_needs bytea[], p_need_of bigint[], p_times bigint[], p_ranks smallint[], p_bodies bytea[], p_after bytea[],
  p_after_of bigint[], p_seals bytea[])
returns table (made boolean, at bigint) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_last bigint;
begin
  select last_ms into v_last from ptcvm.schedule where name = p_name and next_ms = p_due for no key update;
  if not found then return; end if;
  update ptcvm.schedule set next_ms = p_next, last_ms = p_last, fired = fired + cardinality(p_logs)
  where name = p_name;
  return query select true, 0::bigint;
  if cardinality(p_logs) = 0 then return; end if;
  for made, at in
    select e.made, e.at from ptcvm.enqueue(p_op, p_now, p_logs, p_queues, p_tenants, p_priorities, p_delays, p_ats,
      p_attempts, p_needs, p_need_of, p_times, p_ranks, p_bodies, p_after, p_after_of, p_seals) e
  loop
    if made is null then
      update ptcvm.schedule set next_ms = p_due, last_ms = v_last, fired = fired - cardinality(p_logs)
      where name = p_name;
    end if;
    return next;
  end loop;
  perform ptcvm.tell();
end $$;

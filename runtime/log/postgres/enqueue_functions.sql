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

-- Enqueues jobs that come after nothing, whose runs were made by this transaction: nobody else knows them, so there is
-- nothing to check. A ready job is put where make_ready() would have put it, after those before it.
create or replace function ptcvm.enqueue_new(
  p_op bigint, p_now bigint, p_runs bigint[], p_queues bytea[], p_tenants bytea[], p_priorities bigint[],
  p_delays bigint[], p_ats bigint[], p_attempts bigint[], p_needs bytea[], p_need_of bigint[], p_times bigint[],
  p_ranks smallint[], p_bodies bytea[])
returns void language plpgsql as $$
declare
  v_count int := cardinality(p_runs);
  v_pass bigint;
begin
  insert into ptcvm.fact (run, seq, key, time_ms, rank, writer, op, body)
  select g.run, 1, null, g.time_ms, g.rank, 0, p_op, g.body
  from unnest(p_runs, p_times, p_ranks, p_bodies) as g (run, time_ms, rank, body);
  if p_queues = array_fill(p_queues[1], array[v_count]) and p_tenants = array_fill(p_tenants[1], array[v_count])
     and 0 >= all (p_delays) and p_now >= all (p_ats) then      -- one line, and all are ready
    select q.pass into v_pass from ptcvm.queue q where q.name = p_queues[1];
    if not found then insert into ptcvm.queue (name) values (p_queues[1]) on conflict do nothing; end if;
    v_pass := greatest(v_pass, (
      select s.pass from ptcvm.job s where s.state = 0 and s.queue = p_queues[1] and s.tenant = p_tenants[1]
      order by s.pass desc limit 1), 0);
    if cardinality(p_needs) = 0 then
      insert into ptcvm.job (run, op, queue, tenant, state, priority, most_attempts, needs, pass, at_ms)
      select g.run, p_op, p_queues[1], p_tenants[1], 0, g.priority, g.attempts, '{}', v_pass + g.place, p_now
      from unnest(p_runs, p_priorities, p_attempts) with ordinality as g (run, priority, attempts, place);
    else
      with need as (
        select n.place, array_agg(n.tool order by n.at) as tools
        from unnest(p_needs, p_need_of) with ordinality as n (tool, place, at) group by n.place
      )
      insert into ptcvm.job (run, op, queue, tenant, state, priority, most_attempts, needs, pass, at_ms)
      select g.run, p_op, p_queues[1], p_tenants[1], 0, g.priority, g.attempts, coalesce(n.tools, '{}'),
             v_pass + g.place, p_now
      from unnest(p_runs, p_priorities, p_attempts) with ordinality as g (run, priority, attempts, place)
      left join need n on n.place = g.place;
    end if;
    perform ptcvm.keep_ready(p_queues[1]);
    return;
  end if;
  insert into ptcvm.queue (name) select q from unnest(p_queues) q
  where not exists (select from ptcvm.queue x where x.name = q) group by q order by q on conflict do nothing;
  with given as (
    select g.*, greatest(g.at_ms, ptcvm.lease_end(p_now, g.delay)) as due
    from unnest(p_runs, p_queues, p_tenants, p_priorities, p_delays, p_ats, p_attempts) with ordinality
      as g (run, queue, tenant, priority, delay, at_ms, attempts, place)
  ), need as (
    select n.place, array_agg(n.tool order by n.at) as tools
    from unnest(p_needs, p_need_of) with ordinality as n (tool, place, at) group by n.place
  ), line as materialized (
    select l.queue, l.tenant, greatest((select q.pass from ptcvm.queue q where q.name = l.queue), (
      select s.pass from ptcvm.job s where s.state = 0 and s.queue = l.queue and s.tenant = l.tenant
      order by s.pass desc limit 1), 0) as pass
    from (select distinct g.queue, g.tenant from given g) l
  )
  insert into ptcvm.job (run, op, queue, tenant, state, priority, most_attempts, needs, pass, at_ms)
  select g.run, p_op, g.queue, g.tenant, case when g.due <= p_now then 0 else 1 end, g.priority, g.attempts,
         coalesce(n.tools, '{}'),
         case when g.due <= p_now then
           l.pass + count(*) filter (where g.due <= p_now) over (partition by g.queue, g.tenant order by g.place)
         else 0 end,
         case when g.due <= p_now then p_now else g.due end
  from given g left join need n on n.place = g.place
  join line l on l.queue = g.queue and l.tenant = g.tenant order by g.place;
  perform ptcvm.keep_ready(g.queue) from (
    select distinct x.queue from unnest(p_queues, p_delays, p_ats) as x (queue, delay, at_ms)
    where x.delay <= 0 and x.at_ms <= p_now) g;
end $$;

-- The runs of which logs are parts: RUN and RUN/a of RUN/a/b.
create or replace function ptcvm.wholes_of(p_logs bytea[]) returns setof bytea language sql immutable as $$
  select decode(array_to_string(s.names[1:k], '/'), 'escape')
  from (select string_to_array(encode(l, 'escape'), '/') as names from unnest(p_logs) l
        where position('/'::bytea in l) > 0) s, generate_series(1, cardinality(s.names) - 1) k
  where array_to_string(s.names[1:k], '/') <> '' $$;

-- Parts of a run and the run itself are of one tenant. Two transactions that make a run and a part of it do not see
-- each other's jobs, so each says what it does, and then waits for those that did so before. Who makes a part has the
-- lock of the run, shared, until its transaction ends; who makes the run has its row. Others wait for nobody, except
-- that who makes parts of more runs than the table of locks has room for has the lock 5788044 alone.
create or replace function ptcvm.part_lock(p_run bytea) returns bigint language sql immutable as $$
  select hashtextextended(encode(p_run, 'hex'), 5788044) $$;

-- Waits for transactions that make parts of these runs. A lock that would be kept is one too many for 10,000 runs.
create or replace function ptcvm.wait_for_parts(p_logs bytea[]) returns void language plpgsql as $$
begin
  perform pg_advisory_lock_shared(5788044), pg_advisory_unlock_shared(5788044);
  perform pg_advisory_lock(k), pg_advisory_unlock(k) from (select ptcvm.part_lock(l) as k from unnest(p_logs) l) g;
end $$;

-- Waits for transactions that make these runs: they have inserted the rows. Ours are taken back at once.
create or replace function ptcvm.wait_for_wholes(p_wholes bytea[]) returns void language plpgsql as $$
begin
  insert into ptcvm.run (log) select w from unnest(p_wholes) w order by w on conflict do nothing;
  raise exception using errcode = 'PT001';
exception when sqlstate 'PT001' then null;
end $$;

-- Returns the place of one of these new jobs that is a part of a run of another tenant, or has one; null: none. Their
-- rows in ptcvm.run are there. enable_seqscan: plans that were made for small tables stay.
create or replace function ptcvm.foreign_part(p_logs bytea[], p_tenants bytea[]) returns bigint language plpgsql
set enable_seqscan = off as $$
declare
  v_wholes bytea[] := array(select distinct w from ptcvm.wholes_of(p_logs) w order by w);
  v_missing bytea[] := '{}';
  v_whole bytea;
  v record;
begin
  if cardinality(v_wholes) > 1000 then
    perform pg_advisory_xact_lock(5788044);
  elsif cardinality(v_wholes) > 0 then
    perform pg_advisory_xact_lock_shared(k) from (select ptcvm.part_lock(w) as k from unnest(v_wholes) w order by k) g;
  end if;
  foreach v_whole in array v_wholes loop
    if not exists (select from ptcvm.run x where x.log = v_whole) then v_missing := v_missing || v_whole; end if;
  end loop;
  if cardinality(v_missing) > 0 then perform ptcvm.wait_for_wholes(v_missing); end if;
  for v in
    select w as whole, g.tenant, min(g.place) as place
    from unnest(p_logs, p_tenants) with ordinality as g (log, tenant, place)
    cross join lateral ptcvm.wholes_of(array[g.log]) w
    where cardinality(v_wholes) > 0 group by w, g.tenant
  loop
    if exists (select from ptcvm.run x join ptcvm.job j on j.run = x.id
               where x.log = v.whole and j.tenant <> v.tenant) then
      return v.place;
    end if;
  end loop;
  if cardinality(v_wholes) > 0 and exists (select from unnest(p_tenants) t where t <> p_tenants[1]) then
    for v in
      select min(n.place) as place from (
        select g.log, g.tenant, g.place, true as is_run
        from unnest(p_logs, p_tenants) with ordinality as g (log, tenant, place)
        union all select w, g.tenant, g.place, false
        from unnest(p_logs, p_tenants) with ordinality as g (log, tenant, place)
        cross join lateral ptcvm.wholes_of(array[g.log]) w) n
      group by n.log having bool_or(n.is_run) and count(distinct n.tenant) > 1 limit 1
    loop
      return v.place;
    end loop;
  end if;
  perform ptcvm.wait_for_parts(p_logs);
  for v in
    select g.log, g.tenant, g.place
    from unnest(p_logs, p_tenants) with ordinality as g (log, tenant, place) cross join lateral (
      select x.log from ptcvm.run x where x.log >= g.log || '/'::bytea order by x.log limit 1) next
    where next.log < g.log || '0'::bytea                                         -- the byte after "/"
  loop
    if exists (select from ptcvm.run x join ptcvm.job j on j.run = x.id
               where x.log >= v.log || '/'::bytea and x.log < v.log || '0'::bytea and j.tenant <> v.tenant) then
      return v.place;
    end if;
  end loop;
  return null;
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

drop function if exists ptcvm.enqueue(uuid, bigint, bytea[], bytea[], bytea[], bigint[], bigint[], bigint[], bigint[],
                                      bytea[], bigint[], bigint[], smallint[], bytea[]);
drop function if exists ptcvm.enqueue(uuid, bigint, bytea[], bytea[], bytea[], bigint[], bigint[], bigint[], bigint[],
                                      bytea[], bigint[], bigint[], smallint[], bytea[], bytea[], bigint[]);
-- p_seals are the seals of the logs, or '{}' without a key ring.
-- One element of each array is one job, except p_needs and p_after: p_need_of and p_after_of say of which job (from 1) a
-- tool is, or a run that the job comes after.
-- Rows: was the job made; or one row without `at`: all were; or one row with null. `at` then says: up to the number of
-- jobs, the run of that job, a run that it is a part of, or a part of it is another tenant's; more than that, with n
-- elements in p_logs || p_after: the element at - number of jobs went to another store, or the element
-- at - number of jobs - n is a copy for reading; below 0, the element -at of p_after is no job of the tenant.
create or replace function ptcvm.enqueue(
  p_op bigint, p_now bigint, p_logs bytea[], p_queues bytea[], p_tenants bytea[], p_priorities bigint[],
  p_delays bigint[], p_ats bigint[], p_attempts bigint[], p_needs bytea[], p_need_of bigint[], p_times bigint[],
  p_ranks smallint[], p_bodies bytea[], p_after bytea[], p_after_of bigint[], p_seals bytea[])
returns table (made boolean, at bigint) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_now bigint := ptcvm.now_ms(p_now);
  v_first boolean[] := '{}';
  v record;
  r ptcvm.run;
  v_at bigint;
  v_job bigint;
  v_blockers int;
  v_made bigint;
  v_runs bigint[];
  v_new record;
  v_wrong bigint;
begin
  -- Runs in the order of their ids first, so that two calls with the same runs do not wait for each other. An insertion
  -- that expects no conflict costs about half of one that does.
  if cardinality(p_logs) > 1 and cardinality(p_after) = 0 then
    v_runs := array(select nextval('ptcvm.run_id_seq') from generate_series(1, cardinality(p_logs)));
    begin
      insert into ptcvm.run (id, log, seal) overriding system value
      select g.id, g.log, g.seal from unnest(v_runs, p_logs, p_seals) as g (id, log, seal) order by g.log;
      v_made := cardinality(p_logs);
    exception when unique_violation then
      v_made := null;
    end;
  end if;
  if v_made is null then
    with made as (
      insert into ptcvm.run (id, log, seal) overriding system value
      select n.ids[min(g.at)], g.log, (array_agg(g.seal order by g.at))[1]
      from unnest(p_logs, p_seals) with ordinality as g (log, seal, at), (
        select array(select nextval('ptcvm.run_id_seq') from generate_series(1, cardinality(p_logs))) as ids) n
      where g.log is not null group by g.log, n.ids order by g.log on conflict do nothing
      returning id, log
    )
    select count(distinct m.id), array_agg(m.id order by g.at) into v_made, v_runs
    from unnest(p_logs) with ordinality as g (log, at) join made m on m.log = g.log;
  end if;
  if v_made = cardinality(p_logs) and cardinality(p_after) = 0 then
    v_wrong := ptcvm.foreign_part(p_logs, p_tenants);
    if v_wrong is not null then
      delete from ptcvm.run x where x.id = any (v_runs);
      return query select null::boolean, v_wrong;
      return;
    end if;
    perform ptcvm.enqueue_new(p_op, v_now, v_runs, p_queues, p_tenants, p_priorities, p_delays, p_ats, p_attempts,
                              p_needs, p_need_of, p_times, p_ranks, p_bodies);
    return query select true, null::bigint;
    return;
  end if;
  for v in select l from unnest(p_logs || p_after) l group by l order by l loop
    perform from ptcvm.run x where x.log = v.l for no key update;
  end loop;
  for v in
    select g.i from unnest(p_logs, p_tenants) with ordinality as g (l, t, i)
    left join ptcvm.run x on x.log = g.l left join ptcvm.job j on j.run = x.id
    where j.tenant <> g.t or g.t <> p_tenants[array_position(p_logs, g.l)] order by g.i limit 1
  loop
    delete from ptcvm.run x where x.log = any (p_logs) and x.token = 0 and not exists (
      select from ptcvm.fact f where f.run = x.id);
    return query select null::boolean, v.i::bigint;
    return;
  end loop;
  select coalesce(array_agg(g.l order by g.i), '{}') as logs, array_agg(g.t order by g.i) as tenants,
         array_agg(g.i order by g.i) as places
    into v_new from unnest(p_logs, p_tenants) with ordinality as g (l, t, i)
    where not exists (select from ptcvm.run x join ptcvm.fact f on f.run = x.id where x.log = g.l);
  v_wrong := ptcvm.foreign_part(v_new.logs, v_new.tenants);
  if v_wrong is not null then
    delete from ptcvm.run x where x.log = any (p_logs) and x.token = 0 and not exists (
      select from ptcvm.fact f where f.run = x.id);
    return query select null::boolean, v_new.places[v_wrong];
    return;
  end if;
  for v in
    select g.i, x.state in (3, 4) as has_left from unnest(p_logs || p_after) with ordinality as g (l, i)
    join ptcvm.run x on x.log = g.l left join ptcvm.job j on j.run = x.id
    where x.state in (3, 4) or j.state = 8 order by g.i limit 1
  loop
    delete from ptcvm.run x where x.log = any (p_logs) and x.token = 0 and not exists (
      select from ptcvm.fact f where f.run = x.id);
    return query select null::boolean,
      cardinality(p_logs) + v.i::bigint + case when v.has_left then 0 else cardinality(p_logs || p_after) end;
    return;
  end loop;
  for v in
    select g.o from unnest(p_after, p_after_of) with ordinality as g (l, i, o)
    left join ptcvm.run x on x.log = g.l left join ptcvm.job j on j.run = x.id
    where case when j.run is not null then j.tenant <> p_tenants[g.i]
               else coalesce(array_position(p_logs, g.l), g.i) >= g.i
                    or p_tenants[array_position(p_logs, g.l)] <> p_tenants[g.i]
                    or exists (select from ptcvm.fact f where f.run = x.id) end
    order by g.o limit 1
  loop
    delete from ptcvm.run x where x.log = any (p_logs) and x.token = 0 and not exists (
      select from ptcvm.fact f where f.run = x.id);
    return query select null::boolean, -v.o;
    return;
  end loop;
  for i in 1 .. cardinality(p_logs) loop
    select * into r from ptcvm.run x where x.log = p_logs[i];
    at := i;
    made := exists (select from ptcvm.job j where j.run = r.id and j.op = p_op)
            and array_position(p_logs, p_logs[i]) = i;
    if made or exists (select from ptcvm.fact f where f.run = r.id)
       or exists (select from ptcvm.job j where j.run = r.id) then
      return next;
      continue;
    end if;
    insert into ptcvm.fact (run, seq, key, time_ms, rank, writer, op, body)
    values (r.id, 1, null, p_times[i], p_ranks[i], 0, p_op, p_bodies[i]);
    update ptcvm.run x set seal = p_seals[i] where x.id = r.id and x.seal is distinct from p_seals[i];
    insert into ptcvm.queue (name) values (p_queues[i]) on conflict do nothing;
    v_at := greatest(p_ats[i], ptcvm.lease_end(v_now, p_delays[i]));
    insert into ptcvm.job (run, op, queue, tenant, state, priority, most_attempts, needs, at_ms)
    values (r.id, p_op, p_queues[i], p_tenants[i], 1, p_priorities[i], p_attempts[i],
            coalesce((select array_agg(n order by o) from unnest(p_needs, p_need_of) with ordinality as x (n, w, o)
                      where w = i), '{}'), v_at);
    v_job := r.id;
    insert into ptcvm.dependent (run, job)
      select distinct x.id, v_job from unnest(p_after, p_after_of) as g (l, w)
      join ptcvm.run x on x.log = g.l join ptcvm.job j on j.run = x.id where g.w = i and j.state <> 5;
    get diagnostics v_blockers = row_count;
    if v_blockers > 0 then
      update ptcvm.job set state = 7, blockers = v_blockers where run = v_job;
      perform ptcvm.fail_by_blocker(v_job, v_now);
    elsif v_at <= v_now then
      perform ptcvm.make_ready(v_job, v_now);
    end if;
    made := true;
    return next;
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
  if v_at <= v_now then
    insert into ptcvm.job (run, op, queue, tenant, state, priority, most_attempts, needs, pass, at_ms)
    values (v_run, p_op, p_queue, p_tenant, 0, p_priority, p_attempts, p_needs, 1 + greatest(v_pass, (
      select s.pass from ptcvm.job s where s.state = 0 and s.queue = p_queue and s.tenant = p_tenant
      order by s.pass desc limit 1), 0), v_now);
    ready := encode(p_queue, 'hex');
  else
    insert into ptcvm.job (run, op, queue, tenant, state, priority, most_attempts, needs, at_ms)
    values (v_run, p_op, p_queue, p_tenant, 1, p_priority, p_attempts, p_needs, v_at);
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

-- ptcvm.enqueue(): many jobs in one call, each all or nothing.
--
-- enqueue()          the usual call: no run is there yet, and no job comes after another run
-- enqueue_new()      writes facts and jobs of runs that this transaction has made
-- enqueue_some()     every other call; of it enqueue_missing(), when no job comes after a run, and enqueue_given()
-- foreign_part()     whether a new job would mix tenants
--
-- Arrays may have 10,000 elements, and an element of an array of bytea is found by walking to it. So nothing here looks for
-- elements by their numbers. Where a statement only inserts, unnest() is in its list: in its `from`, all rows would be kept
-- first, which is a fifth of what the insertion costs. `jit` is off, because the first plan that seems dear loads a
-- compiler, for longer than 10,000 jobs take.

-- Enqueues jobs that come after nothing, whose runs were made by this transaction: nobody else knows them, so there is
-- nothing to check. A ready job is put where make_ready() would have put it, after those before it.
create or replace function ptcvm.enqueue_new(
  p_op bigint, p_now bigint, p_runs bigint[], p_queues bytea[], p_tenants bytea[], p_priorities bigint[],
  p_delays bigint[], p_ats bigint[], p_attempts bigint[], p_needs bytea[], p_need_of bigint[], p_times bigint[],
  p_ranks smallint[], p_bodies bytea[])
returns void language plpgsql set enable_nestloop = off as $$   -- arrays may be long, and a generic plan knows no length
declare
  v_count int := cardinality(p_runs);
  v_pass bigint;
begin
  insert into ptcvm.fact (run, seq, key, time_ms, rank, writer, op, body)
  select unnest(p_runs), 1, null, unnest(p_times), unnest(p_ranks), 0, p_op, unnest(p_bodies);
  if p_queues = array_fill(p_queues[1], array[v_count]) and p_tenants = array_fill(p_tenants[1], array[v_count])
     and 0 >= all (p_delays) and p_now >= all (p_ats) and not ptcvm.is_late() then      -- one line, and all are ready
    select q.pass into v_pass from ptcvm.queue q where q.name = p_queues[1];
    if not found then insert into ptcvm.queue (name) values (p_queues[1]) on conflict do nothing; end if;
    v_pass := greatest(v_pass, (
      select s.pass from ptcvm.job s where s.state = 0 and s.queue = p_queues[1] and s.tenant = p_tenants[1]
      order by s.pass desc limit 1), 0);
    if cardinality(p_needs) = 0 then
      insert into ptcvm.job (run, op, queue, tenant, state, priority, most_attempts, needs, pass, at_ms)
      select unnest(p_runs), p_op, p_queues[1], p_tenants[1], 0, unnest(p_priorities), unnest(p_attempts), '{}',
             v_pass + generate_series(1, v_count), p_now;
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
    select g.*, greatest(g.at_ms, ptcvm.lease_end(p_now, g.delay)) as due, ptcvm.is_late() as is_late
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
  select g.run, p_op, g.queue, g.tenant, case when g.due <= p_now and not g.is_late then 0 else 1 end, g.priority,
         g.attempts, coalesce(n.tools, '{}'),
         case when g.is_late then -1 when g.due <= p_now then
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

-- Waits for transactions that make parts of these runs. A lock that would be kept is one too many for 10,000 runs. Who
-- makes parts has the lock 5788045, too, shared: when it is free, nobody makes any.
create or replace function ptcvm.wait_for_parts(p_logs bytea[]) returns void language plpgsql as $$
begin
  if cardinality(p_logs) > 100 and pg_try_advisory_lock(5788045) then
    perform pg_advisory_unlock(5788045);
    return;
  end if;
  perform pg_advisory_lock_shared(5788044), pg_advisory_unlock_shared(5788044);
  perform pg_advisory_lock(k), pg_advisory_unlock(k) from (select ptcvm.part_lock(l) as k from unnest(p_logs) l) g;
end $$;

-- Returns whether no run may be a part of one of these, because the ids between them have no "/". One look at the ids of
-- a call that has many is cheaper than a look for each; it ends when it meets too many others.
create or replace function ptcvm.have_no_parts(p_logs bytea[]) returns boolean language plpgsql
set enable_seqscan = off as $$
declare
  v_most bigint := 2 * cardinality(p_logs) + 100;
  v_last bytea := (select l || '0'::bytea from unnest(p_logs) l order by 1 desc limit 1);
begin
  return (
    select count(*) < v_most and bool_and(position('/'::bytea in y.log) = 0) from (
      select x.log from ptcvm.run x
      where x.log >= (select l from unnest(p_logs) l order by 1 limit 1) and x.log < v_last
      order by x.log limit v_most) y);
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
  v_wholes bytea[] := '{}';
  v_missing bytea[] := '{}';
  v_whole bytea;
  v record;
begin
  if exists (select from unnest(p_logs) l where position('/'::bytea in l) > 0) then
    v_wholes := array(select distinct w from ptcvm.wholes_of(p_logs) w order by w);
  end if;
  if cardinality(v_wholes) > 0 then perform pg_advisory_xact_lock_shared(5788045); end if;
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
  if cardinality(p_logs) > 100 and ptcvm.have_no_parts(p_logs) then return null; end if;
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

-- What enqueue() does with runs that are there already, come twice in one call, or come after others. The lengths of the
-- arrays say which joins are good, so each statement is planned for them.
create or replace function ptcvm.enqueue_some(
  p_op bigint, p_now bigint, p_logs bytea[], p_queues bytea[], p_tenants bytea[], p_priorities bigint[],
  p_delays bigint[], p_ats bigint[], p_attempts bigint[], p_needs bytea[], p_need_of bigint[], p_times bigint[],
  p_ranks smallint[], p_bodies bytea[], p_after bytea[], p_after_of bigint[], p_seals bytea[])
returns table (made boolean, at bigint) language plpgsql set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  v record;
  v_new record;
  v_made bigint;
  v_runs bigint[];
  v_wrong bigint;
begin
  with made as (
    insert into ptcvm.run (id, log, seal) overriding system value
    select n.id, n.log, n.seal from (
      select nextval('ptcvm.run_id_seq') as id, f.log, f.seal from (
        select g.log, (array_agg(g.seal order by g.at))[1] as seal
        from unnest(p_logs, p_seals) with ordinality as g (log, seal, at)
        where g.log is not null group by g.log order by min(g.at)) f) n
    order by n.log on conflict do nothing
    returning id, log
  )
  select count(distinct m.id), array_agg(m.id order by g.at) into v_made, v_runs
  from unnest(p_logs) with ordinality as g (log, at) join made m on m.log = g.log;
  if v_made = cardinality(p_logs) and cardinality(p_after) = 0 then
    v_wrong := ptcvm.foreign_part(p_logs, p_tenants);
    if v_wrong is not null then
      delete from ptcvm.run x where x.id = any (v_runs);
      return query select null::boolean, v_wrong;
      return;
    end if;
    perform ptcvm.enqueue_new(p_op, p_now, v_runs, p_queues, p_tenants, p_priorities, p_delays, p_ats, p_attempts,
                              p_needs, p_need_of, p_times, p_ranks, p_bodies);
    return query select true, null::bigint;
    return;
  end if;
  for v in select l from unnest(p_logs || p_after) l group by l order by l loop
    perform from ptcvm.run x where x.log = v.l for no key update;
  end loop;
  for v in
    select g.i from (
      select u.*, first_value(u.t) over (partition by u.l order by u.i) as first
      from unnest(p_logs, p_tenants) with ordinality as u (l, t, i)) g
    left join ptcvm.run x on x.log = g.l left join ptcvm.job j on j.run = x.id
    where j.tenant <> g.t or g.t <> g.first order by g.i limit 1
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
    with own as (
      select u.l, min(u.i) as i, (array_agg(u.t order by u.i))[1] as t
      from unnest(p_logs, p_tenants) with ordinality as u (l, t, i) group by u.l
    )
    select g.o from unnest(p_after, p_after_of) with ordinality as g (l, i, o)
    join unnest(p_tenants) with ordinality as mine (t, i) on mine.i = g.i left join own on own.l = g.l
    left join ptcvm.run x on x.log = g.l left join ptcvm.job j on j.run = x.id
    where case when j.run is not null then j.tenant <> mine.t
               else coalesce(own.i, g.i) >= g.i or own.t <> mine.t
                    or exists (select from ptcvm.fact f where f.run = x.id) end
    order by g.o limit 1
  loop
    delete from ptcvm.run x where x.log = any (p_logs) and x.token = 0 and not exists (
      select from ptcvm.fact f where f.run = x.id);
    return query select null::boolean, -v.o;
    return;
  end loop;
  if cardinality(p_after) = 0 then
    return query select * from ptcvm.enqueue_missing(p_op, p_now, p_logs, p_queues, p_tenants, p_priorities, p_delays,
      p_ats, p_attempts, p_needs, p_need_of, p_times, p_ranks, p_bodies, p_seals);
    return;
  end if;
  for v in
    with need as (
      select n.place, array_agg(n.tool order by n.at) as tools
      from unnest(p_needs, p_need_of) with ordinality as n (tool, place, at) group by n.place
    ), before as (
      select b.place, array_agg(b.log) as logs from unnest(p_after, p_after_of) as b (log, place) group by b.place
    )
    select g.*, x.id as run, row_number() over (partition by g.log order by g.place) = 1 as is_first,
           coalesce(n.tools, '{}') as needs, b.logs as befores,
           greatest(g.at_ms, ptcvm.lease_end(p_now, g.delay)) as due
    from unnest(p_logs, p_queues, p_tenants, p_priorities, p_delays, p_ats, p_attempts, p_times, p_ranks, p_bodies,
                p_seals) with ordinality
      as g (log, queue, tenant, priority, delay, at_ms, attempts, time_ms, rank, body, seal, place)
    join ptcvm.run x on x.log = g.log left join need n on n.place = g.place left join before b on b.place = g.place
    order by g.place
  loop
    at := v.place;
    made := v.is_first and exists (select from ptcvm.job j where j.run = v.run and j.op = p_op);
    if not made and not exists (select from ptcvm.fact f where f.run = v.run)
       and not exists (select from ptcvm.job j where j.run = v.run) then
      perform ptcvm.enqueue_given(p_op, p_now, v);
      made := true;
    end if;
    return next;
  end loop;
end $$;

-- Enqueues the jobs of enqueue_some() that come after nothing and whose runs are not there. All rows of runs are locked.
create or replace function ptcvm.enqueue_missing(
  p_op bigint, p_now bigint, p_logs bytea[], p_queues bytea[], p_tenants bytea[], p_priorities bigint[],
  p_delays bigint[], p_ats bigint[], p_attempts bigint[], p_needs bytea[], p_need_of bigint[], p_times bigint[],
  p_ranks smallint[], p_bodies bytea[], p_seals bytea[])
returns table (made boolean, at bigint) language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  g record;
  v_needs bytea[];
  v_need_of bigint[];
begin
  select array_agg(x.id order by u.place) as runs, array_agg(u.queue order by u.place) as queues,
         array_agg(u.tenant order by u.place) as tenants, array_agg(u.priority order by u.place) as priorities,
         array_agg(u.delay order by u.place) as delays, array_agg(u.at_ms order by u.place) as ats,
         array_agg(u.attempts order by u.place) as attempts, array_agg(u.time_ms order by u.place) as times,
         array_agg(u.rank order by u.place) as ranks, array_agg(u.body order by u.place) as bodies,
         array_agg(u.seal order by u.place) as seals, array_agg(u.place order by u.place) as places
    into g from (
      select distinct on (y.log) y.* from unnest(
        p_logs, p_queues, p_tenants, p_priorities, p_delays, p_ats, p_attempts, p_times, p_ranks, p_bodies, p_seals)
        with ordinality as y (log, queue, tenant, priority, delay, at_ms, attempts, time_ms, rank, body, seal, place)
      order by y.log, y.place) u
    join ptcvm.run x on x.log = u.log
    where not exists (select from ptcvm.fact f where f.run = x.id)
      and not exists (select from ptcvm.job j where j.run = x.id);
  if g.runs is not null then
    select coalesce(array_agg(n.tool order by n.at), '{}'), coalesce(array_agg(m.place order by n.at), '{}')
      into v_needs, v_need_of
      from unnest(p_needs, p_need_of) with ordinality as n (tool, of, at)
      join unnest(g.places) with ordinality as m (of, place) on m.of = n.of;
    update ptcvm.run x set seal = m.seal from unnest(g.runs, g.seals) as m (run, seal)
      where x.id = m.run and x.seal is distinct from m.seal;
    perform ptcvm.enqueue_new(p_op, p_now, g.runs, g.queues, g.tenants, g.priorities, g.delays, g.ats, g.attempts,
                              v_needs, v_need_of, g.times, g.ranks, g.bodies);
  end if;
  return query
    select u.place = min(u.place) over (partition by u.log) and exists (
             select from ptcvm.job j where j.run = x.id and j.op = p_op), u.place
    from unnest(p_logs) with ordinality as u (log, place) join ptcvm.run x on x.log = u.log order by u.place;
end $$;

-- Makes the job of one row of enqueue_some().
create or replace function ptcvm.enqueue_given(p_op bigint, p_now bigint, g record) returns void language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$   -- plans are made while tables are small
declare
  v_blockers int := 0;
begin
  insert into ptcvm.fact (run, seq, key, time_ms, rank, writer, op, body)
  values (g.run, 1, null, g.time_ms, g.rank, 0, p_op, g.body);
  update ptcvm.run x set seal = g.seal where x.id = g.run and x.seal is distinct from g.seal;
  if not exists (select from ptcvm.queue q where q.name = g.queue) then
    insert into ptcvm.queue (name) values (g.queue) on conflict do nothing;
  end if;
  insert into ptcvm.job (run, op, queue, tenant, state, priority, most_attempts, needs, pass, at_ms)
  values (g.run, p_op, g.queue, g.tenant, 1, g.priority, g.attempts, g.needs, -ptcvm.is_late()::int, g.due);
  if g.befores is not null then
    insert into ptcvm.dependent (run, job)
      select distinct x.id, g.run from unnest(g.befores) l
      join ptcvm.run x on x.log = l join ptcvm.job j on j.run = x.id where j.state <> 5;
    get diagnostics v_blockers = row_count;
  end if;
  if v_blockers > 0 then
    update ptcvm.job set state = 7, blockers = v_blockers where run = g.run;
    if exists (select from ptcvm.dependent d join ptcvm.job b on b.run = d.run
               where d.job = g.run and b.state in (6, 9)) then
      perform ptcvm.fail_by_blocker(g.run, p_now);     -- which is dear
    end if;
  elsif g.due <= p_now and ptcvm.is_late() then
    perform ptcvm.keep_ready(g.queue);
  elsif g.due <= p_now then
    perform ptcvm.make_ready(g.run, p_now);
  end if;
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
returns table (made boolean, at bigint) language plpgsql security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set jit = off as $$
declare
  v_now bigint := ptcvm.now_ms(p_now);
  v_runs bigint[];
  v_wrong bigint;
begin
  -- Runs in the order of their ids first, so that two calls with the same runs do not wait for each other. An insertion
  -- that expects no conflict costs about half of one that does.
  if cardinality(p_logs) > 1 and cardinality(p_after) = 0 then
    v_runs := array(select nextval('ptcvm.run_id_seq') from generate_series(1, cardinality(p_logs)));
    begin
      insert into ptcvm.run (id, log, seal) overriding system value
      select g.* from (select unnest(v_runs), unnest(p_logs) as log, unnest(p_seals)) g order by g.log;
    exception when unique_violation then
      v_runs := null;
    end;
  end if;
  if v_runs is null then
    return query select * from ptcvm.enqueue_some(
      p_op, v_now, p_logs, p_queues, p_tenants, p_priorities, p_delays, p_ats, p_attempts, p_needs, p_need_of, p_times,
      p_ranks, p_bodies, p_after, p_after_of, p_seals);
    return;
  end if;
  v_wrong := ptcvm.foreign_part(p_logs, p_tenants);
  if v_wrong is not null then
    delete from ptcvm.run x where x.id = any (v_runs);
    return query select null::boolean, v_wrong;
    return;
  end if;
  perform ptcvm.enqueue_new(p_op, v_now, v_runs, p_queues, p_tenants, p_priorities, p_delays, p_ats, p_attempts,
                            p_needs, p_need_of, p_times, p_ranks, p_bodies);
  return query select true, null::bigint;
end $$;

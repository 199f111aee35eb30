-- Version 4: runs that go to another store (run_move.h). The tables are as they were; functions of version 3 do not know
-- the new states.
comment on column ptcvm.run.state is '0 running, 1 parked, 2 ended, 3 moving to another store, 4 moved';
comment on column ptcvm.job.node is 'held: the worker; moved (8): the state before';

-- Version 5: jobs that end because a run that they come after was given up. state: 9 dependency failed.
drop index ptcvm.job_over;
create index job_over on ptcvm.job (at_ms) where state in (5, 6, 9);

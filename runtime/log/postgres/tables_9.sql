-- Version 9: a run and its job end in one call (docs/decisions/0048-one-call-ends-a-run.md). No table is another one.
update ptcvm.meta set version = 9;

-- Version 6: ptcvm.finish() is told how many facts the log has at least. No table is another one.
update ptcvm.meta set version = 6;

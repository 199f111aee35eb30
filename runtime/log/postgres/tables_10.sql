-- Version 10: claims say when a run was woken, and lists are read a page at once. No table is another one.
update ptcvm.meta set version = 10;

#!/usr/bin/env python3
"""The failure matrix of many nodes, row by row: workers over PostgreSQL, one kind of failure at a time, and a ledger of
what their tools did. No run is lost, no call is lost, no unsafe call is made twice, and no worker ends by itself.

usage: failure_matrix_test.py PTCVM [--rows kill,stop,…|all] [--times N] [--jobs N] [--seed N]
(the program under test; each failure is made N times, and N rows are tried at once; a table row for each)"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import time

from matrix_rows import ROWS
from postgres_server import PostgresServer


SHORT = "kill,cut,read_only,deadlock,clocks,crasher"      # the others are tried by worker_kills, too


def tried(row, arguments, number):
    server = PostgresServer(*row.settings)
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:   # tools of killed workers write late
            database = f"row{number}"
            url = server.new_database(database)
            subprocess.run([arguments.ptcvm, "store", "migrate", "--store", url], check=True, stdout=subprocess.DEVNULL)
            trial = row(arguments, folder, server, database)
            trial.run()
            return trial.told
    finally:
        server.stop()


def main():
    reader = argparse.ArgumentParser()
    reader.add_argument("ptcvm", type=os.path.abspath)
    reader.add_argument("--rows", default=SHORT)
    reader.add_argument("--times", type=int, default=1)
    reader.add_argument("--jobs", type=int, default=4)
    reader.add_argument("--seed", type=int, default=int(time.time()))
    arguments = reader.parse_args()
    arguments.minutes, arguments.strikes = 0, "kill"      # the trial wants them, and the rows do not
    print(f"seed {arguments.seed}")
    status = 0
    wanted = [row for row in ROWS if arguments.rows == "all" or row.name in arguments.rows.split(",")]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        tries = {pool.submit(tried, row, arguments, number): row for number, row in enumerate(wanted)}
        for done in concurrent.futures.as_completed(tries):
            if failed := done.exception():
                print(f"{tries[done].name}: not held, {failed!r}", flush=True)
                status = 1
                continue
            told = done.result()
            print(f"{tries[done].name}: held, {arguments.times} times" + (f", {told}" if told else ""), flush=True)
    return status



if __name__ == "__main__":
    sys.exit(main())

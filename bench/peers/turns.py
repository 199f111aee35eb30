#!/usr/bin/env python3
"""What a scripted turn costs here and in other loops, in one run: processor time, the best of three rounds.

usage: turns.py PTC_AGENTS_BENCH [--peers NODE_MODULES] [TURNS …]

The loop in Python is python_loop.py. With --peers, the Agents SDK of OpenAI for JavaScript is measured, too:
npm install --prefix FOLDER @openai/agents zod, then --peers FOLDER/node_modules."""
import argparse
import os
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


def output_of(*command, **more):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True, **more).stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench", type=pathlib.Path)
    parser.add_argument("--peers", type=pathlib.Path)
    parser.add_argument("turns", type=int, nargs="*", default=[10, 1000])
    given = parser.parse_intermixed_args()
    print(f"{'turns':>6} {'loop':<24} {'us a turn':>10} {'times ours':>10}")
    for turns in given.turns:
        ours = output_of(given.bench, "--turns", turns, "--agents", 10)
        micros = {"ptcvm": float(re.search(rf"in a conversation of {turns}\s+([\d.]+) us", ours).group(1)),
                  "a minimal loop in Python": float(output_of("/usr/bin/python3", HERE / "python_loop.py", turns))}
        if given.peers:
            place = {**os.environ, "PEERS": str(given.peers.resolve())}
            done = output_of("node", HERE / "openai_agents_loop.mjs", turns, env=place)
            micros["Agents SDK, JavaScript"] = float(done)
        for name, value in micros.items():
            print(f"{turns:>6} {name:<24} {value:>10.1f} {value / micros['ptcvm']:>10.1f}")


if __name__ == "__main__":
    main()

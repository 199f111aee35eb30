# Sourced: puts the folder of the interpreter itself before the others. Where python3 is a shim (pyenv), each start of
# it costs half a second of processor time, and the tests start more than a thousand.
# shellcheck shell=bash
PATH=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))'):$PATH

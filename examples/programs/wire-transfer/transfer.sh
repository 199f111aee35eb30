#!/bin/sh
# transfer.sh STORE ID, in this folder: begins the transfer, or goes on with it, whatever became of the last process.
bank() { printf '%s=python3 bank.py %s' "$1" "$1"; }
exec ptcvm run transfer.ptc --store "$1" --id "$2" --data data.json \
  --tool "$(bank balance)"     --tool-effect balance=pure \
  --tool "$(bank charge)"      --tool-effect charge=keyed \
  --tool "$(bank ask_manager)" --tool-effect ask_manager=idempotent \
  --tool "$(bank transfer)"    --tool-effect transfer=unsafe \
  --tool "$(bank notify)"      --tool-effect notify=idempotent \
  --tool "$(bank refund)"      --tool-effect refund=reconcilable \
  --tool-reconcile "refund=python3 bank.py refund_happened"

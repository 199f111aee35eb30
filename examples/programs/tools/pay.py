#!/usr/bin/env python3
"""Pays and says so on stderr: who reads the log of a re-run sees which payments were really sent."""
import json
import sys

arguments = json.load(sys.stdin)
if arguments["amount"] > 9000:
    sys.exit(f"amount {arguments['amount']} needs a second signature")
print(f"paying {arguments['amount']} to {arguments['iban']}", file=sys.stderr)
json.dump({"receipt": f"R-{arguments['iban'][-4:]}-{arguments['amount']}"}, sys.stdout)

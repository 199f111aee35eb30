#!/usr/bin/env python3
"""An outside system as a command: one JSON object of arguments on stdin, the JSON answer on stdout."""
import json
import sys

PRICES = {
    "A-100": {"title": "Desk lamp", "cents": 3990, "in_stock": 12},
    "B-220": {"title": "Bookshelf", "cents": 12900, "in_stock": 0},
}

arguments = json.load(sys.stdin)
if "sku" not in arguments:
    sys.exit("sku is missing")
json.dump(PRICES.get(arguments["sku"], {}), sys.stdout)

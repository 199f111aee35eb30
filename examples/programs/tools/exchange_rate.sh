#!/bin/sh
# An outside system as a shell script. It reads its arguments and answers with a fixed rate.
cat >/dev/null
echo '{"rate": 1.0825, "as_of": "2024-06-28"}'

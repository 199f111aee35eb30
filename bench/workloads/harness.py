"""python3 harness.py WORKLOAD.py RUNS: one line of JSON, {"result": …, "ms": […]}, in processor time."""
import gc
import json
import runpy
import sys
import time

work = runpy.run_path(sys.argv[1])["run"]
result, times = None, []
for _ in range(int(sys.argv[2])):
    gc.collect()
    start = time.process_time()
    result = work()
    times.append((time.process_time() - start) * 1000)
print(json.dumps({"result": result, "ms": times}))

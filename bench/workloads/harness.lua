-- lua harness.lua WORKLOAD.lua RUNS: one line of JSON, {"result": …, "ms": […]}, in processor time.
local work = dofile(arg[1])
local result, times = nil, {}
for i = 1, tonumber(arg[2]) do
  collectgarbage()
  local start = os.clock()
  result = work()
  times[i] = string.format("%.4f", (os.clock() - start) * 1000)
end
print(string.format('{"result": %.0f, "ms": [%s]}', result, table.concat(times, ", ")))

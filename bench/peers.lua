-- The workloads of bench/programs in Lua, each with Lua's own data structures. Prints milliseconds, the best of five.
local function best(name, work, expected)
  local least = math.huge
  for _ = 1, 5 do
    collectgarbage()
    local start = os.clock()
    local result = work()
    local ms = (os.clock() - start) * 1000
    if expected ~= nil then assert(result == expected, name .. " gives " .. tostring(result)) end
    if ms < least then least = ms end
  end
  print(string.format("%-12s %9.2f ms", name, least))
end

local function fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end

best("fib", function() return fib(30) end, 832040)
best("loop", function()
  local s = 0
  for i = 0, 9999999 do s = s + i end
  return s
end, 49999995000000)
best("pipeline", function()
  local even, double, sum = {}, {}, 0
  local numbers = {}
  for i = 0, 999999 do numbers[i + 1] = i end
  for _, x in ipairs(numbers) do if x % 2 == 0 then even[#even + 1] = x end end
  for i, x in ipairs(even) do double[i] = x * 2 end
  for _, x in ipairs(double) do sum = sum + x end
  return sum
end, 499999000000)
best("string-map", function()
  local m, s = {}, 0
  for i = 0, 199999 do m["key" .. i] = i end
  for i = 0, 199999 do s = s + m["key" .. i] end
  return s
end, 19999900000)
best("sort", function()
  local v, x = {}, 42
  for i = 1, 500000 do
    x = (x * 1103515245 + 12345) % 2147483648
    v[i] = x
  end
  table.sort(v)
  return #v
end, 500000)
best("group-by", function()
  local groups, count = {}, 0
  for i = 0, 99999 do
    local r = { id = i, group = i % 100, value = i * 2 }
    local g = groups[r.group]
    if not g then
      g = {}
      groups[r.group] = g
      count = count + 1
    end
    g[#g + 1] = r
  end
  return count
end, 100)
best("vector", function()
  local v, s = {}, 0
  for i = 0, 999999 do v[#v + 1] = i end
  for i = 1, 1000000 do s = s + v[i] end
  return s
end, 499999500000)

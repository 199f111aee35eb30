local function random(x) return x * 16807 % 2147483647 end
return function()
  local v, x = {}, 42
  for i = 1, 500000 do
    v[i] = x / 2147483647.0
    x = random(x)
  end
  table.sort(v, function(a, b) return a > b end)
  return math.floor(1000000 * v[1001])
end

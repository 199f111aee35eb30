local function random(x) return x * 16807 % 2147483647 end
return function()
  local v, x = {}, 42
  for i = 1, 500000 do
    v[i] = x
    x = random(x)
  end
  table.sort(v)
  return v[1001]
end

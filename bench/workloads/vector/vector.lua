return function()
  local v = {}
  for i = 0, 999999 do v[#v + 1] = i end
  local sum = 0
  for i = 1, 1000000 do sum = sum + v[i] end
  return sum
end

return function()
  local m = {}
  for i = 0, 199999 do m["key" .. i] = i end
  local sum = 0
  for i = 0, 199999 do sum = sum + m["key" .. i] end
  return sum
end

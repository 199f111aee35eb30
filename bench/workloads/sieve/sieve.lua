return function()
  local flags = {}
  for i = 0, 200000 do flags[i] = true end
  for i = 2, 447 do
    if flags[i] then
      for j = i * i, 200000, i do flags[j] = false end
    end
  end
  local count = 0
  for i = 2, 200000 do
    if flags[i] then count = count + 1 end
  end
  return count
end

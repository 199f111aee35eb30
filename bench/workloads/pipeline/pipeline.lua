return function()
  local numbers, even, double, sum = {}, {}, {}, 0
  for i = 0, 999999 do numbers[i + 1] = i end
  for _, x in ipairs(numbers) do
    if x % 2 == 0 then even[#even + 1] = x end
  end
  for i, x in ipairs(even) do double[i] = x * 2 end
  for _, x in ipairs(double) do sum = sum + x end
  return sum
end

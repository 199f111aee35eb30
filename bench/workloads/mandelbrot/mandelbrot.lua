local function iterations(cx, cy)
  local x, y, n = 0.0, 0.0, 0
  while n < 50 do
    local x2, y2 = x * x, y * y
    if x2 + y2 > 4.0 then break end
    x, y = x2 - y2 + cx, 2.0 * x * y + cy
    n = n + 1
  end
  return n
end
return function()
  local total = 0
  for row = 0, 359 do
    for column = 0, 359 do
      total = total + iterations(column * 0.0075 - 2.0, row * 0.0075 - 1.35)
    end
  end
  return total
end

local function adder(n) return function(x) return x + n end end
local function scaler(n) return function(x) return x * n end end
local function compose(f, g) return function(x) return f(g(x)) end end
return function()
  local f = compose(adder(3), scaler(2))
  local sum = 0
  for i = 0, 999999 do sum = sum + f(i) end
  return sum
end

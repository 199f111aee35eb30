const adder = (n) => (x) => x + n;
const scaler = (n) => (x) => x * n;
const compose = (f, g) => (x) => f(g(x));
module.exports = () => {
  const f = compose(adder(3), scaler(2));
  let sum = 0;
  for (let i = 0; i < 1000000; i++) sum += f(i);
  return sum;
};

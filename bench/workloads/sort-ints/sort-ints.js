const random = (x) => (x * 16807) % 2147483647;
module.exports = () => {
  const v = [];
  for (let i = 0, x = 42; i < 500000; i++) {
    v.push(x);
    x = random(x);
  }
  v.sort((a, b) => a - b);
  return v[1000];
};

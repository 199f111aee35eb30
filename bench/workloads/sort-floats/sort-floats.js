const random = (x) => (x * 16807) % 2147483647;
module.exports = () => {
  const v = [];
  for (let i = 0, x = 42; i < 500000; i++) {
    v.push(x / 2147483647);
    x = random(x);
  }
  v.sort((a, b) => b - a);
  return Math.floor(1000000 * v[1000]);
};

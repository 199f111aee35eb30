module.exports = () => {
  const v = [];
  for (let i = 0; i < 1000000; i++) v.push(i);
  let sum = 0;
  for (let i = 0; i < 1000000; i++) sum += v[i];
  return sum;
};

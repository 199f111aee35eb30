function iterations(cx, cy) {
  let x = 0, y = 0, n = 0;
  while (n < 50) {
    const x2 = x * x, y2 = y * y;
    if (x2 + y2 > 4) break;
    y = 2 * x * y + cy;
    x = x2 - y2 + cx;
    n++;
  }
  return n;
}
module.exports = () => {
  let total = 0;
  for (let row = 0; row < 360; row++) {
    for (let column = 0; column < 360; column++) {
      total += iterations(column * 0.0075 - 2.0, row * 0.0075 - 1.35);
    }
  }
  return total;
};

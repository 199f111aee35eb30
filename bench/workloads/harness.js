// node harness.js WORKLOAD.js RUNS WARM_MS: one line of JSON, {"result": …, "ms": […]}, in processor time, after runs
// that warm the compiler up.
const work = require(require("path").resolve(process.argv[2]));
const spent = () => {
  const used = process.cpuUsage();
  return (used.user + used.system) / 1000;
};
const until = Date.now() + Number(process.argv[4]);
while (Date.now() < until) work();
const ms = [];
let result;
for (let i = 0; i < Number(process.argv[3]); i++) {
  if (global.gc) global.gc();
  const start = spent();
  result = work();
  ms.push(spent() - start);
}
console.log(JSON.stringify({ result, ms }));

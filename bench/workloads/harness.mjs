// node harness.mjs WORKLOAD.py RUNS MODULE: the Python workload in the interpreter of @pydantic/monty, which is loaded
// from MODULE. One line of JSON, {"result": …, "ms": […]}, in processor time; or {"unable": "why"}.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [path, runs, module] = process.argv.slice(2);
const { Monty } = await import(pathToFileURL(module));
const spent = () => {
  const used = process.cpuUsage();
  return (used.user + used.system) / 1000;
};
let answer;
try {
  const program = new Monty(readFileSync(path, "utf8") + "\nrun()\n");
  const ms = [];
  let result;
  for (let i = 0; i < Number(runs); i++) {
    const start = spent();
    result = program.run();
    ms.push(spent() - start);
  }
  answer = { result: Number(result), ms };
} catch (error) {
  answer = { unable: String(error.message) };
}
console.log(JSON.stringify(answer));

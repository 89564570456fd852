// Watches a volume with the library and stamps every value that it gets.
//
//   node watch-child.ts DIRECTORY COUNT

import { watchConfig } from "../packages/config/src/index.js";

const [, , directory = "", count] = process.argv;
const lines: string[] = [];
const watch = await watchConfig<{ number: number }>(`${directory}/app.json`);
process.stdout.write("ready\n");
for await (const change of watch) {
  const { number } = change.value;
  if (change.kind === "update") lines.push(`${number} ${process.hrtime.bigint()}\n`);
  if (number >= Number(count)) break;
}
await watch.close();
process.stdout.write(lines.join(""));

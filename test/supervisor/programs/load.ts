// Asks a server over and over, with fresh connections and with kept ones, and tries nothing twice. Prints a line for each answer that it has not had
// before, and what failed, when it is told to end.

import { Agent, request } from "node:http";

const [, , port = ""] = process.argv;
const seen = new Set<string>();
const failures: string[] = [];
let count = 0;
let isEnding = false;

function ask(agent: Agent): Promise<void> {
  return new Promise((resolve) => {
    const fail = (err: Error): void => {
      failures.push(err.message);
      resolve();
    };
    const sent = request({ port, host: "127.0.0.1", agent }, (answer) => {
      let text = "";
      answer.on("data", (chunk: Buffer) => (text += chunk.toString()));
      answer.on("error", fail);
      answer.on("end", () => {
        count++;
        if (answer.statusCode !== 200) failures.push(`answered ${answer.statusCode}`);
        if (!seen.has(text)) console.log(text);
        seen.add(text);
        resolve();
      });
    });
    sent.on("error", fail).end();
  });
}

async function client(keepAlive: boolean): Promise<void> {
  const agent = new Agent({ keepAlive, maxSockets: 1 });
  while (!isEnding) await ask(agent);
  agent.destroy();
}

process.on("SIGTERM", () => {
  isEnding = true;
});
await Promise.all([true, true, false, false, false].map(client));
console.log(JSON.stringify({ count, failures }));

// What an agent with --health-port tells about itself.

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Free now; the agent takes it a moment later. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

export async function metricsText(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  return answer.text();
}

/** The sum of all lines of a metric whose labels have this in them; 0 if there are none. */
export function metricIn(text: string, name: string, label = ""): number {
  return text
    .split("\n")
    .filter((line) => /^\w+/.exec(line)?.[0] === name && line.includes(label))
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

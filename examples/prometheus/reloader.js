// Makes Prometheus reload when its configuration or its rules have changed:
//   node reloader.js http://127.0.0.1:9090

import { setTimeout as sleep } from "node:timers/promises";
import { watchConfig } from "@driftless/config";

const [address] = process.argv.slice(2);
process.on("SIGTERM", () => process.exit());

async function isReady() {
  try {
    return (await fetch(`${address}/-/ready`)).ok;
  } catch {
    return false; // It does not listen yet.
  }
}

while (!(await isReady())) await sleep(100);

const config = await watchConfig("/etc/rules", {
  async apply() {
    const response = await fetch(`${address}/-/reload`, { method: "POST" });
    if (!response.ok) throw new Error((await response.text()).trim());
  },
  onError: (error) => console.log(`refused: ${error.message}`),
});

for await (const { kind, changed } of config) {
  console.log(kind === "initial" ? "watching" : `reloaded: ${changed.join(", ")} changed`);
}

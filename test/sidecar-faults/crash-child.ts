// The process that suffers: a sidecar with an old set that the app knows, and then, between two SIGUSR2 that tell the tracer, a new one from the source to the app.
//
//   node crash-child.ts ROOT volume|files PORT

import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../src/base/clock.ts";
import { NEW, OLD } from "./crash-sets.ts";
import { Life, LifeApp, type OutputKind, type Texts } from "./life.ts";

const [, , root = "", kind = "", port = ""] = process.argv;
const app = new LifeApp(kind as OutputKind);
app.root = root;
await app.listen(Number(port));
const common = { root, kind: kind as OutputKind, port: Number(port) };
const life = new Life({ ...common, onStart: false, gateTimeoutMs: 2000, clock: systemClock });

/** Looks at nothing on the disk: that would count. */
async function apply(texts: Texts): Promise<void> {
  const before = life.applied;
  life.source.set(texts);
  while (life.applied === before) await sleep(1);
}

// Twice, so that what Node loads when something is first used is no part of what is looked at.
await apply({ first: "first" });
await apply(OLD);
process.kill(process.pid, "SIGUSR2");
await apply(NEW);
process.kill(process.pid, "SIGUSR2");
process.exit(0);

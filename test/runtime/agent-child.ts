// An agent to be killed: starts a container in the directory of the first argument with the script of the second, says
// what it started, and waits.

import { systemClock } from "../../src/base/clock.ts";
import { LiveRuntime } from "./live-runtime.ts";

const [root = "", script = ""] = process.argv.slice(2);
const live = await LiveRuntime.start(root);
const status = await live.background(script);
process.stdout.write(`${JSON.stringify(status)}\n`);
await systemClock.sleep(600_000);

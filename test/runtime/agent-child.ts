// An agent to be killed: starts a container in the directory of the first argument with the script of the second, which
// sees the processes that the third one says (JSON); says what it started, and waits.

import { systemClock } from "../../src/base/clock.ts";
import type { ContainerSpec } from "../../src/runtime/runtime.ts";
import { LiveRuntime } from "./live-runtime.ts";

const [root = "", script = "", wanted = '"own"'] = process.argv.slice(2);
const processes = JSON.parse(wanted) as ContainerSpec["processes"];
const live = await LiveRuntime.start(root);
const status = await live.background(script, { processes });
process.stdout.write(`${JSON.stringify(status)}\n`);
await systemClock.sleep(600_000);

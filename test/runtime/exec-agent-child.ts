// An agent to be killed: starts a container in the directory of the first argument, and in it a program that sleeps as long as the
// second one says; says so, and waits.

import { systemClock } from "../../src/base/clock.ts";
import { LiveRuntime } from "./live-runtime.ts";
import { execSpec } from "./run-program.ts";

const [root = "", mark = ""] = process.argv.slice(2);
const live = await LiveRuntime.start(root);
const { id } = await live.background("echo up; exec sleep 1000");
await live.runtime.exec(id, execSpec(["sleep", mark]));
process.stdout.write("up\n");
await systemClock.sleep(600_000);

// The first process of a pod's PID namespace, until it becomes one that does nothing (process-keeper.ts). Argument: the file in which
// to write down who it is. Its output is closed when it has become that.

import { constants, openSync, writeFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { constants as os } from "node:os";
import { execve, identify, ignoreSignal } from "../../mounts/process-calls.ts";
import { become } from "./become.ts";
import { bootId } from "./container-state.ts";
import { findProgram } from "./find-program.ts";
import { prepareProcess, searchPathOf } from "./start-program.ts";

const keeper = identify("self");
writeFileSync(process.argv[2] ?? "", JSON.stringify({ bootId: bootId(), keeper, isReady: false }));
flushCompileCache();

const env = ["PATH=/usr/local/bin:/usr/bin:/bin"];
// 68 years: not every sleep knows "infinity".
const argv = ["sleep", "2147483647"];
const path = findProgram("sleep", searchPathOf(env));
const nothing = openSync("/dev/null", constants.O_RDWR);
const giveUpTheRest = become({
  user: { uid: 0, gid: 0, supplementalGroups: [] },
  security: {
    ...{ isPrivileged: false, capabilities: [], isWithoutNewPrivileges: true },
    ...{ seccomp: "default", isProcMasked: true },
  },
});
prepareProcess({ stdin: nothing, stdout: nothing, stderr: nothing });
// So that the kernel buries those who have no other parent.
ignoreSignal(os.signals.SIGCHLD);
giveUpTheRest();
execve({ path, argv, env });

// The same sessions and the same processes without being root of the machine, in a user namespace of one user.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { getuid } from "node:process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { probeKernel } from "../../src/mounts/kernel-support.ts";

const child = fileURLToPath(import.meta.resolve("./exec-rootless-child.ts"));
// As somebody who owns nothing, if we can be that.
const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
const skip = probeKernel().hasUserNamespaces ? false : "this kernel has no user namespaces";

describe("programs in containers of a rootless runtime", { skip }, () => {
  const places: readonly (readonly [where: string, namespaces: readonly string[]])[] = [
    ["in the machine's PID namespace, as a node has it", []],
    ["in a PID namespace of its own", ["--pid", "--fork", "--mount-proc"]],
  ];
  for (const [where, namespaces] of places) {
    it(`run, have terminals and end with all that they started, ${where}`, async () => {
      const enter = ["unshare", "--user", "--map-root-user", "--mount", ...namespaces];
      const [program = "", ...args] = [...(getuid?.() === 0 ? asNobody : []), ...enter];
      const { stdout } = await promisify(execFile)(program, [...args, process.execPath, child]);
      assert.deepEqual(JSON.parse(stdout), { own: [], pod: [], host: [] });
    });
  }
});

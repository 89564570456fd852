// The same runtime without being root of the machine, in a user namespace of one user.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { getuid } from "node:process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { probeKernel } from "../../src/mounts/kernel-support.ts";

const child = fileURLToPath(import.meta.resolve("./rootless-child.ts"));
const namespace = ["--user", "--map-root-user", "--mount", "--pid", "--fork", "--mount-proc"];
// As somebody who owns nothing, if we can be that.
const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

const skip = probeKernel().hasUserNamespaces ? false : "this kernel has no user namespaces";

describe("a rootless runtime", { skip }, () => {
  it("runs containers with mounts and a writable root, and refuses users that it cannot be", async () => {
    const command = [...(getuid?.() === 0 ? asNobody : []), "unshare", ...namespace];
    const [program, ...args] = [...command, process.execPath, child];
    const { stdout } = await promisify(execFile)(program, args);
    const result = JSON.parse(stdout) as Record<string, unknown>;
    assert.match(
      String(result["output"]),
      /^0\nweb-host\nfrom the volume\nno\n2\n1\nmine\n[1-9]\d*\n$/,
    );
    assert.equal(result["exitCode"], 9);
    assert.equal(result["isInUserNamespace"], true);
    assert.match(
      String(result["refused"]),
      /^cannot run as user 1000, group 1000: the agent runs in a user namespace/,
    );
  });
});

// What works without being root of the machine: run in a user namespace of one user. Prints one line of JSON.

import { describe as describeError } from "../../src/base/errors.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { probeKernel } from "../../src/mounts/kernel-support.ts";
import { LiveRuntime } from "./live-runtime.ts";

using dir = tempDir();
dir.write({ f: "from the volume\n" });
await using live = await LiveRuntime.start();
const ran = await live
  .sh(
    "id -u; hostname; cat /v/f; touch /v/x 2>/dev/null || echo no; head -c 2 /dev/zero | wc -c; echo $$; echo mine >/etc/mine && cat /etc/mine; ls /sys | wc -l; exit 9",
    {
      mounts: [{ hostPath: dir.path, containerPath: "/v", isReadOnly: true, propagation: "None" }],
    },
  )
  .catch((err: unknown) => ({ exitCode: undefined, output: describeError(err) }));
const refused = await live
  .sh("true", { user: { uid: 1000, gid: 1000, supplementalGroups: [] } })
  .then(() => "it ran", describeError);
const { isInUserNamespace, missing } = probeKernel();
process.stdout.write(
  `${JSON.stringify({ exitCode: ran.exitCode, output: ran.output, refused, isInUserNamespace, missing })}\n`,
);

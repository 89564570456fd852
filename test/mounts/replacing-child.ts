// A process of which one replacement is all that it does, and which kills itself in the middle if it is told to.
//
//   node replacing-child.ts REQUEST-AS-JSON STEP

import { MountRecords } from "../../src/mounts/mount-record.ts";
import { NamespaceVisitor } from "../../src/mounts/namespace-visitor.ts";
import { type ReplaceRequest, replaceMounts } from "../../src/mounts/replace-mounts.ts";

const [, , request = "", lastStep = ""] = process.argv;
using replaced = replaceMounts(JSON.parse(request) as ReplaceRequest, {
  visitor: new NamespaceVisitor(),
  records: new MountRecords(),
  onStep: (step) => {
    if (step === Number(lastStep)) process.kill(process.pid, "SIGKILL");
  },
});
replaced.finish();

// Takes the machine's files away from the keeper of a pod's processes, the only other one in this mount namespace. Argument: a directory
// to mount on.

import { flushCompileCache } from "node:module";
import { openNoLinks } from "../../mounts/safe-path.ts";
import {
  MOUNT_ATTR_RDONLY,
  MS_NODEV,
  MS_NOEXEC,
  MS_NOSUID,
  MS_RDONLY,
  mount,
  mountSetattr,
  pivotInto,
} from "../../mounts/system-calls.ts";

flushCompileCache();
{
  // The keeper's program and what it has open are files of the machine: nobody changes them through this namespace.
  using root = openNoLinks("/");
  mountSetattr(root, { set: MOUNT_ATTR_RDONLY, isRecursive: true });
}
const [place = ""] = process.argv.slice(2);
const flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
const data = "size=0,nr_inodes=2,mode=555";
mount({ source: "tmpfs", target: place, type: "tmpfs", flags, data });
using empty = openNoLinks(place);
// Takes everybody in this namespace along whose root is the old one.
pivotInto(empty);

// One write in a process of its own, with the rights and limits that the test gave it. Prints how it
// ended, as JSON.
//
//   node write-child.ts DIRECTORY FILES-AS-JSON
//
// FREE=N: opens files until the limit is reached, then closes N of them, before it writes.
// FS_GROUP=N: gives the volume to that group. MODE=N: octal mode of all files.

import { closeSync, openSync } from "node:fs";
import { systemRandom } from "../../src/base/random.ts";
import { payloadOf, testWriter } from "../../src/files/testing/test-writer.ts";
import { WriteError } from "../../src/files/write-error.ts";

const [, , directory = "", files = "{}"] = process.argv;
const fsGroup = process.env["FS_GROUP"];
const writer = testWriter(directory, fsGroup === undefined ? {} : { fsGroup: Number(fsGroup) });
const mode = Number.parseInt(process.env["MODE"] ?? "644", 8);
const texts = Object.entries(JSON.parse(files) as Record<string, string>);
const payload = payloadOf(Object.fromEntries(texts.map(([path, text]) => [path, [text, mode]])));
payload.identity.at(0);
systemRandom.uint32();
new Date().toString();

const taken = process.env["FREE"] === undefined ? [] : takeDescriptors();
for (const fd of taken.splice(0, Number(process.env["FREE"]))) closeSync(fd);
const ending = attempt();
for (const fd of taken) closeSync(fd);
process.stdout.write(JSON.stringify(ending));

function takeDescriptors(): number[] {
  const fds: number[] = [];
  for (;;) {
    try {
      fds.push(openSync("/dev/null", "r"));
    } catch {
      return fds; // The limit is reached.
    }
  }
}

function attempt(): object {
  try {
    return { outcome: writer.write(payload).outcome };
  } catch (err) {
    if (!(err instanceof WriteError)) throw err;
    return { outcome: "failed", code: err.code, path: err.path, message: err.message };
  }
}

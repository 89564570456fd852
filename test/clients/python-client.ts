// The Python client as Debian bookworm has it, unpacked beside the system's own modules.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { type EnsuredBinary, ensureLaterDebianBinary } from "../../tools/debian-later.ts";

/** Debian's own, whatever else is on the path: its packages are made for no other. */
export const python = "/usr/bin/python3";

/** Where its modules are, for PYTHONPATH, or why they cannot be had. */
export async function pythonModules(): Promise<EnsuredBinary> {
  if (!existsSync(python)) {
    return { ok: false, reason: `there is no ${python}` };
  }
  const found = await ensureLaterDebianBinary({
    suite: "bookworm",
    package: "python3-kubernetes",
    alsoUnpack: [
      "cachetools",
      "certifi",
      "chardet",
      "charset-normalizer",
      "dateutil",
      "google-auth",
      "idna",
      "oauthlib",
      "pkg-resources",
      "pyasn1",
      "pyasn1-modules",
      "requests",
      "requests-oauthlib",
      "rsa",
      "six",
      "urllib3",
      "websocket",
      "yaml",
    ].map((name) => `python3-${name}`),
    binary: "usr/lib/python3/dist-packages/kubernetes/__init__.py",
  });
  if (!found.ok) {
    return found;
  }
  const path = dirname(dirname(found.path));
  const env = { ...process.env, PYTHONPATH: path };
  try {
    await promisify(execFile)(python, ["-c", "import kubernetes"], { env });
  } catch (err) {
    const lastLine = (err as Error).message.trim().split("\n").at(-1);
    return { ok: false, reason: `${python} cannot load Debian bookworm's client: ${lastLine}` };
  }
  return { ok: true, path };
}

// Images that are brought to a node by hand, and the pods that run them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Container, Pod } from "../../src/api/types.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { imageArchitecture } from "../../src/runtime/images/image-architecture.ts";
import { entry, ociArchive, tarOf } from "../../src/runtime/images/testing/archive-builder.ts";
import { Cluster } from "./cluster.ts";
import { logText } from "./container-log.ts";

const skip = process.getuid?.() === 0 ? false : "containers need root here";
const program = new URL("../../src/cmd/driftless.ts", import.meta.url).pathname;

/** Says who and where it is. */
const script = `#!/bin/sh
echo "args $*"
echo "color $COLOR"
echo "user $(id -u):$(id -g)"
echo "in $(pwd)"
echo "home $HOME"
trap 'exit 0' TERM
sleep infinity & wait
`;

describe("a pod of an image", { skip }, () => {
  let cluster: Cluster;
  let home: TempDir;
  let root: string;
  before(async () => {
    home = tempDir();
    root = home.join("root");
    for (const path of ["/bin/sh", "/bin/sleep", "/usr/bin/id", "/bin/cat"])
      copyProgram(path, root);
    writeFileSync(join(root, "entry.sh"), script);
    chmodSync(join(root, "entry.sh"), 0o755);
    cluster = await Cluster.start();
    // The last test looks at it: a node looks for a missing image again after ten seconds.
    await cluster.makePod("missing", {
      containers: [container("later:1", { command: ["/entry.sh"] })],
    });
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
    home?.[Symbol.dispose]();
  });

  const importImage = (name: string, ...args: readonly string[]): string =>
    execFileSync(
      process.execPath,
      [program, "image", "import", name, ...args, "--data-dir", cluster.node.dataDir],
      { encoding: "utf8" },
    );
  const says = (pod: Pod, lines: readonly string[]): Promise<void> =>
    cluster.eventually("its words", () => {
      assert.deepEqual(logText(cluster.node.dataDir, pod), lines);
    });

  it("that was a directory runs what it was imported with", async () => {
    const out = importImage(
      "app:1",
      root,
      ...["--entrypoint", "/bin/sh", "--entrypoint", "/entry.sh"],
      ...[
        "--cmd",
        "from",
        "--cmd",
        "the image",
        "--env",
        "COLOR=red",
        "--user",
        "1234:2345",
        "--workdir",
        "/srv/here",
      ],
    );
    assert.match(out, /^driftless: imported docker\.io\/library\/app:1 \(1 layer, /);
    const pod = await cluster.runningPod("plain", {
      containers: [container("app:1")],
    });
    await says(pod, [
      "args from the image",
      "color red",
      "user 1234:2345",
      "in /srv/here",
      "home /",
    ]);
    const [status] = pod.status?.containerStatuses ?? [];
    assert.match(status?.imageID ?? "", /sha256:[0-9a-f]{64}$/);
    assert.equal(status?.image, "app:1");
    // Its root is the image, and nothing of the machine.
    assert.equal(
      cluster.node.inContainer(pod, ["/bin/sh", "-c", "echo /usr/bin/*"]).trim(),
      "/usr/bin/id",
    );
  });

  it("runs what the pod says instead, where it says something", async () => {
    const pod = await cluster.runningPod("other", {
      containers: [
        container("app:1", {
          args: ["from", "$(WHO)"],
          env: [
            { name: "COLOR", value: "blue" },
            { name: "WHO", value: "the pod" },
          ],
          workingDir: "/elsewhere",
          securityContext: { runAsUser: 77, runAsGroup: 78 },
        }),
      ],
    });
    await says(pod, ["args from the pod", "color blue", "user 77:78", "in /elsewhere", "home /"]);
  });

  it("leaves the image as it was, whatever it writes", async () => {
    const pod = await cluster.runningPod("writer", {
      containers: [
        container("app:1", {
          command: [
            "/bin/sh",
            "-c",
            "echo x > /new; echo x > /entry.sh; echo done; exec sleep infinity",
          ],
          securityContext: { runAsUser: 0 },
        }),
      ],
    });
    await says(pod, ["done"]);
    const second = await cluster.runningPod("reader", {
      containers: [
        container("app:1", {
          command: ["/bin/sh", "-c", "cat /entry.sh; echo /new*; exec sleep infinity"],
        }),
      ],
    });
    await says(second, [...script.trimEnd().split("\n"), "/new*"]);
  });

  it("that was an archive has its layers, and the user that its own list names", async () => {
    const files = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name));
    const base = await tarOf([
      ...files.map((file) =>
        entry(
          { name: file.slice(root.length + 1), mode: statSync(file).mode & 0o777 },
          readFileSync(file, "latin1"),
        ),
      ),
      entry(
        { name: "etc/passwd" },
        "root:x:0:0::/root:/bin/sh\napp:x:4321:5432::/home/app:/bin/sh\n",
      ),
      entry({ name: "etc/removed" }, "below"),
      entry({ name: "etc/replaced" }, "below"),
    ]);
    const top = await tarOf([
      entry({ name: "etc/.wh.removed" }),
      entry({ name: "etc/replaced" }, "above"),
    ]);
    const config = {
      Entrypoint: ["/entry.sh"],
      Cmd: ["from", "an archive"],
      Env: ["PATH=/bin:/usr/bin", "COLOR=green"],
      User: "app",
      WorkingDir: "/srv",
    };
    const architecture = imageArchitecture(process.arch);
    writeFileSync(
      home.join("oci.tar"),
      await ociArchive({ layers: [base, top], config, architecture }),
    );
    importImage("registry.example/team/app:2", home.join("oci.tar"));
    const pod = await cluster.runningPod("archive", {
      containers: [container("registry.example/team/app:2")],
    });
    await says(pod, [
      "args from an archive",
      "color green",
      "user 4321:5432",
      "in /srv",
      "home /home/app",
    ]);
    const look = "cat /etc/replaced; echo; echo /etc/rem* /etc/rep*";
    assert.equal(
      cluster.node.inContainer(pod, ["/bin/sh", "-c", look]),
      "above\n/etc/rem* /etc/replaced\n",
    );
  });

  it("that may not be pulled waits, and says so", async () => {
    await cluster.makePod("never", {
      containers: [container("nowhere:1", { imagePullPolicy: "Never" })],
    });
    const pod = await cluster.podWhere(
      "never",
      "a reason",
      ({ status }) =>
        status?.containerStatuses?.[0]?.state?.waiting?.reason === "ErrImageNeverPull",
    );
    assert.equal(pod.status?.phase, "Pending");
  });

  it("that is not there says what to do, backs off, and starts by itself when it was imported", async () => {
    const waiting = async (reason: string): Promise<string> => {
      const pod = await cluster.podWhere(
        "missing",
        reason,
        ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === reason,
      );
      return pod.status?.containerStatuses?.[0]?.state?.waiting?.message ?? "";
    };
    assert.match(
      await waiting("ImagePullBackOff"),
      /^Back-off pulling image "later:1": ErrImagePull: .*driftless image import later:1 /,
    );
    await cluster.eventually("both events", async () => {
      const events = await cluster.events("missing");
      assert.ok(
        events.some(
          ({ reason, message }) =>
            reason === "Failed" &&
            /^Failed to pull image "later:1": .*driftless image import/.test(message ?? ""),
        ),
      );
      assert.ok(
        events.some(
          ({ reason, message }) =>
            reason === "BackOff" && message === 'Back-off pulling image "later:1"',
        ),
      );
    });
    importImage("later:1", root);
    const pod = await cluster.podIn("missing", "Running");
    assert.equal(pod.status?.containerStatuses?.[0]?.restartCount, 0);
  });
});

/** Nothing but its image, unless the parts say more. */
function container(image: string, parts: Partial<Container> = {}): Container {
  return { name: "main", image, resources: {}, ...parts };
}

/** With the libraries that it is linked to. */
function copyProgram(path: string, root: string): void {
  const libraries = execFileSync("ldd", [path], { encoding: "utf8" }).matchAll(/(\/\S+) \(0x/g);
  for (const file of [path, ...[...libraries].map(([, library = ""]) => library)]) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    copyFileSync(file, join(root, file));
  }
}

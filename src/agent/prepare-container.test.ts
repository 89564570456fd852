import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Container, Pod } from "../api/types.ts";
import { tempDir } from "../base/testing/temp-dir.ts";
import type { ContainerSpec } from "../runtime/runtime.ts";
import { AgentPaths } from "./agent-paths.ts";
import { NoObjects } from "./objects/no-objects.ts";
import { prepareContainer } from "./prepare-container.ts";

const config = { entrypoint: [], cmd: [], env: [], user: "", workingDir: "", stopSignal: "" };

function prepared(securityContext: Container["securityContext"]): Promise<ContainerSpec> {
  return preparedOf({ container: { securityContext } });
}

interface Wishes {
  readonly container?: Partial<Container>;
  readonly spec?: Partial<Pod["spec"]>;
  readonly targetId?: string;
}

async function preparedOf(wishes: Wishes): Promise<ContainerSpec> {
  using dir = tempDir();
  const { targetId } = wishes;
  const container: Container = {
    ...{ name: "main", command: ["true"], resources: {} },
    ...wishes.container,
  };
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default", uid: "uid-1" },
    spec: { containers: [container], enableServiceLinks: false, ...wishes.spec },
    status: {},
  };
  const parts = {
    paths: new AgentPaths(dir.path),
    objects: new NoObjects(),
    volumes: { current: () => new Map(), mounted: () => Promise.resolve(new Map()) },
    subPaths: { prepare: () => assert.fail("there are no sub paths") },
    acks: { prepare: () => ({ mounts: [], env: [], annotations: {} }) },
    canReplaceMounts: true,
    pidsLimit: undefined,
    node: () => ({ name: "node", addresses: [], allocatable: {} }),
    isStatic: () => true,
    services: () => [],
  };
  const image = { name: "app", id: "sha256:1", layers: [dir.path], config };
  const { signal } = new AbortController();
  return await prepareContainer(parts, { pod, container, attempt: 0, image, targetId }, signal);
}

describe("prepareContainer", { skip: process.platform === "linux" ? false : "Linux only" }, () => {
  it("asks for a container without new privileges when the pod does, and only then", async () => {
    const asked = await Promise.all(
      [undefined, {}, { allowPrivilegeEscalation: true }, { allowPrivilegeEscalation: false }].map(
        prepared,
      ),
    );
    assert.deepEqual(
      asked.map(({ security }) => security.isWithoutNewPrivileges),
      [false, false, false, true],
    );
  });

  it("says whose processes the container sees", async () => {
    const asked = await Promise.all([
      preparedOf({}),
      preparedOf({ spec: { shareProcessNamespace: true } }),
      preparedOf({ spec: { hostPID: true } }),
      preparedOf({ spec: { hostPID: true }, targetId: "c7" }),
    ]);
    assert.deepEqual(
      asked.map(({ processes }) => processes),
      ["own", "pod", "host", { of: "c7" }],
    );
  });

  it("keeps stdin open for ever, for one visitor, or not at all", async () => {
    const asked = await Promise.all(
      [{}, { stdinOnce: true }, { stdin: true }, { stdin: true, stdinOnce: true }].map((one) =>
        preparedOf({ container: one }),
      ),
    );
    assert.deepEqual(
      asked.map(({ stdin }) => stdin),
      ["none", "none", "open", "once"],
    );
  });

  it("tells programs of their terminal, unless the pod does", async () => {
    const env = [{ name: "TERM", value: "dumb" }];
    const asked = await Promise.all([
      preparedOf({}),
      preparedOf({ container: { tty: true } }),
      preparedOf({ container: { tty: true, env } }),
    ]);
    assert.deepEqual(
      asked.map((one) => [one.hasTty, new Map(one.env).get("TERM")]),
      [
        [false, undefined],
        [true, "xterm"],
        [true, "dumb"],
      ],
    );
  });

  it("mounts a file for last words, where the pod wants it, and notes where it is", async () => {
    const plain = await preparedOf({
      container: { terminationMessagePath: "/dev/termination-log" },
    });
    const mount = plain.mounts.at(-1);
    assert.equal(mount?.containerPath, "/dev/termination-log");
    assert.match(mount?.hostPath ?? "", /\/pods\/uid-1\/containers\/main\/0$/);
    assert.equal(plain.annotations["driftless.dev/termination-message-file"], mount?.hostPath);

    const none = await preparedOf({ container: { terminationMessagePath: "" } });
    assert.deepEqual(
      none.mounts.map(({ containerPath }) => containerPath),
      ["/etc/hosts"],
    );
  });

  it("stops the container with the pod's signal rather than the image's", async () => {
    const { image } = await preparedOf({ container: { lifecycle: { stopSignal: "SIGUSR1" } } });
    assert.equal(image.config.stopSignal, "SIGUSR1");
  });
});

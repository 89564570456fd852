import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Container, Pod } from "../api/types.ts";
import { tempDir } from "../base/testing/temp-dir.ts";
import type { ContainerSpec } from "../runtime/runtime.ts";
import { AgentPaths } from "./agent-paths.ts";
import { NoObjects } from "./objects/no-objects.ts";
import { prepareContainer } from "./prepare-container.ts";

const config = { entrypoint: [], cmd: [], env: [], user: "", workingDir: "", stopSignal: "" };

async function prepared(securityContext: Container["securityContext"]): Promise<ContainerSpec> {
  using dir = tempDir();
  const container: Container = { name: "main", command: ["true"], resources: {}, securityContext };
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default", uid: "uid-1" },
    spec: { containers: [container], enableServiceLinks: false },
    status: {},
  };
  const parts = {
    paths: new AgentPaths(dir.path),
    objects: new NoObjects(),
    volumes: { current: () => new Map(), mounted: () => Promise.resolve(new Map()) },
    subPaths: { prepare: () => assert.fail("there are no sub paths") },
    node: () => ({ name: "node", addresses: [], allocatable: {} }),
    isStatic: () => true,
    services: () => [],
  };
  const image = { name: "app", id: "sha256:1", layers: [dir.path], config };
  const { signal } = new AbortController();
  return await prepareContainer(parts, { pod, container, attempt: 0, image }, signal);
}

describe("prepareContainer", { skip: process.platform === "linux" ? false : "Linux only" }, () => {
  it("asks for a container without new privileges when the pod does, and only then", async () => {
    const asked = await Promise.all(
      [undefined, {}, { allowPrivilegeEscalation: true }, { allowPrivilegeEscalation: false }].map(
        prepared,
      ),
    );
    assert.deepEqual(
      asked.map(({ isWithoutNewPrivileges }) => isWithoutNewPrivileges),
      [false, false, false, true],
    );
  });
});

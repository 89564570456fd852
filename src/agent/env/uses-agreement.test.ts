// Which keys a container uses is said by the spec alone (podUses); what it gets is made by other code. A change of a key that is not used must
// change nothing, or somebody would not be told that he is out of date.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type PodUse, podUses } from "../../api/config/pod-uses.ts";
import { notFound } from "../../api/status-error.ts";
import type { Container, EnvFromSource, EnvVar, Pod, Volume } from "../../api/types.ts";
import { Payload } from "../../files/payload.ts";
import { ConfigObject } from "../objects/config-object.ts";
import { keyFiles } from "../volumes/plugins/key-files.ts";
import { buildEnvironment } from "./build-environment.ts";
import { containerCommand } from "./container-command.ts";

const keys = ["A", "B", "A_B", "C"] as const;
const names = ["one", "two"] as const;
const key = fc.constantFrom(...keys);
const object = fc.constantFrom(...names);

/** Pieces of text that refer to variables, or look as if they did. */
const text = fc
  .array(fc.constantFrom("x", "$", "$$", "(", ")", "$(A)", "$(B)", "$(A_B)", "$(C)", "$(P_A)"), {
    maxLength: 4,
  })
  .map((pieces) => pieces.join(""));

const variable: fc.Arbitrary<EnvVar> = fc.oneof(
  fc.record({ name: key, value: text }),
  fc.record({
    name: key,
    valueFrom: fc.record({
      configMapKeyRef: fc.record({ name: object, key, optional: fc.constant(true) }),
    }),
  }),
);

const whole: fc.Arbitrary<EnvFromSource> = fc.record({
  prefix: fc.constantFrom("", "P_", "A_"),
  configMapRef: fc.record({ name: object, optional: fc.constant(true) }),
});

const container: fc.Arbitrary<Container> = fc.record({
  name: fc.constant("main"),
  resources: fc.constant({}),
  env: fc.array(variable, { maxLength: 5 }),
  envFrom: fc.array(whole, { maxLength: 2 }),
  args: fc.array(text, { minLength: 1, maxLength: 2 }),
});

type Content = Partial<Record<(typeof keys)[number], string>>;
const content: fc.Arbitrary<Content | undefined> = fc.option(
  fc.dictionary(key, fc.constantFrom("1", "2", "$(A)"), { maxKeys: 4 }),
  { nil: undefined },
);
const contents = fc.record({ one: content, two: content });
type Contents = Readonly<Record<(typeof names)[number], Content | undefined>>;

function objectOf(name: string, data: Content | undefined): ConfigObject | undefined {
  const metadata = { name, namespace: "shop", uid: name, resourceVersion: "1" };
  return data && ConfigObject.fromConfigMap({ metadata, data: data as Record<string, string> });
}

async function started(
  one: Container,
  all: Contents,
): Promise<{ readonly env: object; readonly argv: readonly string[] }> {
  const pod: Pod = {
    metadata: { name: "web", namespace: "shop", uid: "u" },
    spec: { containers: [one], enableServiceLinks: false },
    status: {},
  };
  const { variables } = await buildEnvironment({
    ...{ pod, container: one, services: [], isStatic: false, volumePath: () => undefined },
    node: { name: "n", addresses: [], allocatable: {} },
    object: ({ name }) => {
      const found = objectOf(name, all[name as keyof Contents]);
      if (found) return Promise.resolve(found);
      return Promise.reject(
        notFound({ group: "", resource: "configmaps", kind: "ConfigMap" }, name),
      );
    },
  });
  const image = { entrypoint: ["run"], cmd: [] };
  return {
    env: Object.fromEntries(variables),
    argv: containerCommand({ container: one, image, variables }),
  };
}

/** The versions of everything that these uses take, as whoever compares them has them. */
function usedVersions(uses: readonly PodUse[], all: Contents): readonly (string | undefined)[] {
  return uses.map(({ name, keys: used }) => {
    // An object that is not there is one that has none of the keys.
    const found = objectOf(name, all[name as keyof Contents] ?? {});
    return found?.versionOf(used);
  });
}

describe("podUses and the environment that is made", () => {
  it("agree: as long as no used key changes, neither variables nor arguments do", async () => {
    let same = 0;
    await fc.assert(
      fc.asyncProperty(container, contents, contents, async (one, before, after) => {
        const uses = podUses({ containers: [one] });
        const [first, second] = [await started(one, before), await started(one, after)];
        for (const [how, field] of [
          ["env", "env"],
          ["args", "argv"],
        ] as const) {
          const own = uses.filter((use) => use.how === how);
          const isUnchanged =
            JSON.stringify(usedVersions(own, before)) === JSON.stringify(usedVersions(own, after));
          if (!isUnchanged) continue;
          same++;
          assert.deepEqual(second[field], first[field], how);
        }
      }),
      { numRuns: 500 },
    );
    assert.ok(same > 100, `only ${same} starts were compared`);
  });
});

describe("podUses and the files that are made", () => {
  const path = fc.constantFrom("a", "b", "d/a", "d/e/b", "A");
  const items = fc.option(
    fc.uniqueArray(fc.record({ key, path }), { selector: (item) => item.path, maxLength: 3 }),
    { nil: undefined },
  );
  const subPath = fc.constantFrom(
    "",
    "a",
    "d",
    "d/",
    "./d/e",
    "d/e/b",
    "A",
    "B",
    "..data/A",
    "..data",
  );

  it("agree: as long as no used key changes, what is below the sub path does not", () => {
    let same = 0;
    fc.assert(
      fc.property(items, subPath, content, content, (listed, below, before, after) => {
        const configMap = { name: "one", optional: true, ...(listed && { items: listed }) };
        const volume: Volume = { name: "v", configMap };
        const volumeMounts = [{ name: "v", mountPath: "/v", subPath: below }];
        const main = { name: "main", resources: {}, volumeMounts };
        const uses = podUses({ containers: [main], volumes: [volume] });
        const used = (one: Content | undefined): string =>
          JSON.stringify(usedVersions(uses, { one, two: undefined }));
        if (used(before) !== used(after)) return;
        same++;
        assert.deepEqual(seenBelow(below, listed, after), seenBelow(below, listed, before));
      }),
      { numRuns: 1000 },
    );
    assert.ok(same > 100, `only ${same} volumes were compared`);
  });

  function seenBelow(
    below: string,
    listed: readonly { readonly key: string; readonly path: string }[] | undefined,
    data: Content | undefined,
  ): readonly string[] {
    const of = { kind: "ConfigMap", namespace: "shop", name: "one" } as const;
    const read = (): ConfigObject => {
      const found = objectOf("one", data);
      if (found) return found;
      throw notFound({ group: "", resource: "configmaps", kind: "ConfigMap" }, "one");
    };
    const source = { of, items: listed ? [...listed] : undefined, isOptional: true };
    let files: Payload["files"];
    try {
      ({ files } = Payload.from(keyFiles(source, read, { mode: 0o644, user: undefined })));
    } catch {
      return []; // One path in the other's way: nothing is written.
    }
    const top = below.split("/").filter((part) => part !== "" && part !== "." && part !== "..data");
    return files
      .filter((file) => top.every((part, i) => file.path.split("/")[i] === part))
      .map((file) => `${file.path} ${Buffer.from(file.data).toString()}`);
  }
});

// What a builder would need and cannot be asked for everywhere: that the Containerfile and what goes with it agree.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { HOME, USER } from "../../tools/assemble-image.ts";

const root = new URL("../..", import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const text = read("deploy/kubernetes/Containerfile");
const said = (pattern: RegExp): string => pattern.exec(text)?.[1] ?? "";

describe("the Containerfile", () => {
  it("has the Node that the tests run with", () => {
    const { devDependencies } = JSON.parse(read("package.json")) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    assert.equal(said(/^ARG NODE_VERSION=(.*)$/m), devDependencies["node"]);
  });

  it("has the version of the program, and so have the manifests and the chart", () => {
    const { version } = JSON.parse(read("package.json")) as { readonly version: string };
    assert.equal(said(/^ARG VERSION=(.*)$/m), version);
    for (const file of ["base/reload", "base/audit", "base/sidecar", "components/sidecar"]) {
      const manifest = read(`deploy/kubernetes/${file}/kustomization.yaml`);
      assert.match(manifest, new RegExp(`name: driftless, .*newTag: ${version} `));
    }
    assert.match(
      read("deploy/helm/driftless/Chart.yaml"),
      new RegExp(`^appVersion: ${version}$`, "m"),
    );
  });

  it("copies only what is there and not left out of the context", () => {
    const ignored = read(".dockerignore").split("\n");
    assert.ok(ignored.includes("*"));
    const copies = text.matchAll(/^COPY (?!--from)(.*) \S+$/gm);
    const sources = [...copies].flatMap(([, paths = ""]) => paths.split(" "));
    assert.ok(sources.includes("src") && sources.includes("tools/assemble-image.ts"));
    for (const source of sources) {
      assert.ok(existsSync(join(root, source)), source);
      assert.ok(ignored.includes(`!${source}`), `${source} is not in .dockerignore`);
    }
  });

  it("copies all that the program which assembles the image imports", () => {
    const imported = read("tools/assemble-image.ts").matchAll(/from "\.\/(.*?)"/g);
    for (const [, file = ""] of imported) assert.ok(text.includes(`tools/${file}`), file);
  });

  it("runs as somebody who is nobody, at the place that was assembled", () => {
    assert.equal(said(/^USER (.*)$/m), `${USER}:${USER}`);
    assert.equal(said(/^ENTRYPOINT (.*)$/m), JSON.stringify([`${HOME}/bin/driftless`]));
    assert.match(said(/^ENV (.*)$/m), new RegExp(`PATH=${HOME}/bin HOME=${HOME} `));
    assert.doesNotMatch(text, /:latest/);
  });
});

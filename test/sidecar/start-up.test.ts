// What the programs beside an app load when they start: each of these costs memory that most never use. `npm run bench -- sidecar` has the figures.

import { deepEqual, ok } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";

const CMD = new URL("../../src/cmd/", import.meta.url);

interface Loaded {
  /** Parts of Node. */
  readonly builtin: readonly string[];
  /** Of everything else, as URLs. */
  readonly files: readonly string[];
}

function loadedBy(command: string): Loaded {
  const url = JSON.stringify(new URL(`${command}.ts`, CMD));
  const script = `
    import { registerHooks } from "node:module";
    const files = [];
    registerHooks({ load: (file, context, next) => (files.push(file), next(file, context)) });
    await import(${url});
    console.log(JSON.stringify({ builtin: process.moduleLoadList, files }));`;
  const argv = ["--input-type=module", "-e", script];
  return JSON.parse(execFileSync(process.execPath, argv).toString()) as Loaded;
}

describe("the start of a program beside an app", { timeout: 60_000 }, () => {
  for (const command of ["sidecar", "run"]) {
    it(`loads no network that "${command}" may never need`, () => {
      const { builtin } = loadedBy(command);
      ok(builtin.includes("NativeModule fs"), "the list is one");
      const heavy = ["internal/deps/undici/undici", "tls", "https", "http2", "inspector"];
      deepEqual(
        builtin.filter((name) => heavy.some((one) => name === `NativeModule ${one}`)),
        [],
      );
    });
  }

  it("loads no engine that a composition may never need", () => {
    const { files } = loadedBy("sidecar");
    ok(
      files.some((file) => file.includes("/node_modules/pino/")),
      "the list is one",
    );
    const heavy = ["liquidjs", "ajv", "smol-toml", "koffi", "@opentelemetry", "@grpc", "tdigest"];
    deepEqual(
      files.filter((file) => heavy.some((one) => file.includes(`/node_modules/${one}/`))),
      [],
    );
  });
});

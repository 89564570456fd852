// What a real Kubernetes API server answers, as a table: the scripts in testdata hold conversations with this one. Each file
// has a namespace of its name, and all but those that ask for a server of their own share one.

import { fail } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import { runCase } from "./run-case.ts";
import { parseScript } from "./script.ts";
import { ScriptClient, tokenFile } from "./script-client.ts";
import type { Variables } from "./script-variables.ts";

const directory = join(import.meta.dirname, "testdata");
const files = readdirSync(directory).filter((file) => file.endsWith(".txt"));
const dir = tempDir();
dir.write({ tokens: tokenFile });
after(() => dir[Symbol.dispose]());

const startServer = (flags: readonly string[]): Promise<DriftlessServer> =>
  DriftlessServer.start({
    flags: ["--store", "memory", "--token-file", dir.join("tokens"), ...flags],
  });

describe("the API server answers as Kubernetes does:", { concurrency: 8 }, () => {
  let shared: DriftlessServer;
  before(async () => {
    shared = await startServer([]);
  });
  after(() => shared[Symbol.asyncDispose]());

  for (const file of files) {
    const { serverFlags, cases } = parseScript(file, readFileSync(join(directory, file), "utf8"));
    const namespace = basename(file, ".txt");

    describe(namespace, { concurrency: 1 }, () => {
      let own: DriftlessServer | undefined;
      let client: ScriptClient;
      const variables: Variables = new Map();
      before(async () => {
        own = serverFlags && (await startServer(serverFlags));
        const server = own ?? shared;
        client = new ScriptClient(server);
        await server.fetch("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
      });
      after(async () => {
        client[Symbol.dispose]();
        await own?.[Symbol.asyncDispose]();
      });

      for (const one of cases) {
        it(one.name, async () => {
          const faults = await runCase(one, { client, namespace, variables });
          if (faults.length > 0) fail(faults.join("\n"));
        });
      }
    });
  }
});

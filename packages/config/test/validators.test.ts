// Real validators, because hand-made objects would test our own idea of Standard Schema.

import assert from "node:assert/strict";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import type { StandardSchema } from "../src/index.js";
import { eventually, open, temporaryDirectory } from "./situation.ts";

interface Settings {
  readonly port: number;
  readonly hosts: readonly string[];
}

const validators: Record<string, StandardSchema<Settings>> = {
  zod: z.object({ port: z.number().int(), hosts: z.array(z.string()) }),
  "zod with an async check": z.object({
    port: z.number().refine((port) => Promise.resolve(port > 0)),
    hosts: z.array(z.string()),
  }),
  valibot: v.object({ port: v.number(), hosts: v.array(v.string()) }),
  arktype: type({ port: "number", hosts: "string[]" }),
};

for (const [name, schema] of Object.entries(validators)) {
  describe(`watchConfig with ${name}`, () => {
    it("has the validated value, refuses a bad one with its place, and takes the next good one", async (t) => {
      const path = join(temporaryDirectory(t), "settings.json");
      const save = (value: unknown): void => {
        writeFileSync(`${path}.tmp`, JSON.stringify(value));
        renameSync(`${path}.tmp`, path);
      };
      save({ port: 1, hosts: ["a"] });
      const { watch, errors } = await open<Settings>(t, path, { schema });
      const { port }: { port: number } = watch.current;
      assert.equal(port, 1);

      save({ port: 2, hosts: ["a", 7] });
      await eventually("the refusal", () => errors.length > 0);

      assert.equal(watch.current.port, 1);
      assert.equal(errors[0]?.stage, "schema");
      assert.equal(errors[0]?.issues[0]?.path, "hosts.1");
      save({ port: 3, hosts: [] });
      await eventually("the next good value", () => watch.current.port === 3);
      assert.equal(watch.error, undefined);
    });
  });
}

// Holds docs/drop-ins.md against the code and the tests: a variable or flag that is read has a line, one that has a line is read, and what a line says is shown by a test with
// real processes in test/drop-ins, whose title begins with it: "SLEEP_TIME same: …", "LABEL, LABEL_VALUE better: …".

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { createMetrics } from "../../base/metrics.ts";
import { CONFIGMAP_RELOAD_FLAGS, configmapReload } from "./configmap-reload.ts";
import type { ProgramName } from "./drop-in-model.ts";
import { K8S_SIDECAR_FLAGS, k8sSidecar } from "./k8s-sidecar.ts";
import { createOldMetrics } from "./old-metrics.ts";
import {
  PROMETHEUS_CONFIG_RELOADER_FLAGS,
  prometheusConfigReloader,
} from "./prometheus-config-reloader.ts";
import { Settings } from "./settings.ts";

const doc = readFileSync(new URL("../../../docs/drop-ins.md", import.meta.url)).toString();

function sectionOf(program: string): string {
  const [, after = ""] = doc.split(`\n## ${program}\n`);
  return after.split("\n## ")[0] ?? "";
}

function rowsOf(program: string): Map<string, string> {
  const rows = sectionOf(program).matchAll(/^\| `([^`]+)` *\| (.+?) *\|$/gm);
  return new Map([...rows].map(([, name = "", text = ""]) => [name, text]));
}

/** "LABEL same", "--volume-dir better": what the tests of this program show. */
function shownFor(program: string): ReadonlySet<string> {
  const tests = new URL("../../../test/drop-ins/", import.meta.url).pathname;
  const titles = globSync(`${program}*.test.ts`, { cwd: tests }).flatMap((file) =>
    [...readFileSync(tests + file, "utf8").matchAll(/\bit\(\s*"([^"]+)"/g)].map(
      ([, title = ""]) => title,
    ),
  );
  const claims = titles.flatMap((title) => [...title.matchAll(CLAIM)]);
  return new Set(
    claims.flatMap(([, names = "", how = ""]) => names.split(", ").map((one) => `${one} ${how}`)),
  );
}

const NAME = "(?:[A-Z][A-Z0-9_]+|--[a-z.-]+)";
const CLAIM = new RegExp(`(${NAME}(?:, ${NAME})*) (same|better|not supported)\\b`, "g");

/** Whatever is set: each is to be read in any case. */
function readBy(translate: (settings: Settings) => unknown): string[] {
  const read = new Set<string>();
  translate(
    new Settings((name) => {
      read.add(name);
      return [];
    }),
  );
  return [...read].toSorted();
}

const programs = [
  { name: "k8s-sidecar", translate: k8sSidecar, flags: K8S_SIDECAR_FLAGS },
  { name: "configmap-reload", translate: configmapReload, flags: CONFIGMAP_RELOAD_FLAGS },
  {
    name: "prometheus-config-reloader",
    translate: prometheusConfigReloader,
    flags: PROMETHEUS_CONFIG_RELOADER_FLAGS,
  },
] as const satisfies readonly { name: ProgramName; [key: string]: unknown }[];

describe("docs/drop-ins.md", () => {
  for (const { name, translate, flags } of programs) {
    it(`has a line for all that ${name} reads, and for nothing else`, () => {
      // A variable whose name is the default of a flag.
      const read = readBy(translate).filter((one) => one !== "POD_NAME");
      assert.deepEqual([...rowsOf(name).keys()].toSorted(), read);
      const readFlags = read.filter((one) => one.startsWith("-"));
      assert.deepEqual(Object.keys(flags).toSorted(), readFlags);
    });

    it(`says of each whether it is the same, better or not supported in ${name}`, () => {
      for (const [variable, text] of rowsOf(name)) {
        assert.match(text, /^(same|better|not supported: )/, variable);
      }
    });

    it(`has a test with real processes for each claim about ${name}`, () => {
      const shown = shownFor(name);
      const claims = [...rowsOf(name)].flatMap(([variable, text]) => {
        const hows = ["same", "better", "not supported"].filter((how) =>
          new RegExp(`\\b${how}\\b`, "i").test(text),
        );
        return hows.map((how) => `${variable} ${how}`);
      });
      assert.deepEqual(
        claims.filter((claim) => !shown.has(claim)),
        [],
        "claims that no test shows",
      );
      assert.deepEqual(
        [...shown].filter((claim) => !claims.includes(claim)),
        [],
        "tests that show what is not claimed",
      );
    });

    it(`names the metrics that ${name} had`, async () => {
      const metrics = createMetrics();
      createOldMetrics({ program: name, actions: [], sources: 0, metrics });
      const made = [...(await metrics.text()).matchAll(/^# TYPE (\S+)/gm)].map(
        ([, one = ""]) => one,
      );
      const named = sectionOf(name).matchAll(/`((?:configmap_reload|reloader)_\w+)`/g);
      assert.deepEqual([...named].map(([, one = ""]) => one).toSorted(), made.toSorted());
    });
  }
});

// kubectl has the parser of the API server, so that it can say what a server would say of a text that is not YAML.

import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { refusals } from "../../src/api/yaml-syntax/testing/refusals.ts";
import { yamlSyntaxError } from "../../src/api/yaml-syntax/yaml-syntax-error.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { LONG, testSeed } from "../support/campaign.ts";
import { damagedManifests } from "./damaged-manifests.ts";
import { kubectlBinary, kubectlLines } from "./kubectl-binaries.ts";

/** In each round: kubectl takes its second for them. */
const texts = 1500;
const firstSeed = testSeed();
const seeds = Array.from({ length: LONG ? 8 : 1 }, (_, round) => firstSeed + round);
console.log(`seed ${firstSeed}`);
/** Of texts that are YAML, and yet no value for JSON: that is not about syntax. */
const aboutValues = /map key|map merge|cannot decode|unsupported value|aliasing|contains itself/i;

for (const line of kubectlLines) {
  const kubectl = await kubectlBinary(line);
  if (!kubectl.ok) {
    it(`mistakes in YAML are told as kubectl ${line} tells them`, { skip: kubectl.reason });
    continue;
  }
  describe(`kubectl ${kubectl.version}`, () => {
    for (const seed of seeds) {
      it(`finds the same mistakes in damaged manifests, in the same words (seed ${seed})`, () => {
        using dir = tempDir();
        const damaged = damagedManifests(texts, seed).filter((text) => !isTakenApart(text));
        dir.write(Object.fromEntries(damaged.map((text, i) => [`${i}.yaml`, `${text}\n`])));
        const told = toldOfFiles(kubectl.path, dir);
        const faults = damaged.flatMap((text, i) => {
          const ours = yamlSyntaxError(`${text}\n`);
          return ours === told.get(i) ? [] : [{ text, kubectl: told.get(i), ours }];
        });
        assert.deepEqual(faults.slice(0, 3), [], `${faults.length} of ${damaged.length} differ`);
        // Otherwise nothing was compared.
        assert.ok(told.size > damaged.length / 4, `only ${told.size} were refused`);
      });
    }
  });
}

const newest = await kubectlBinary("1.36");
const skip = newest.ok ? false : newest.reason;
describe("the newest kubectl", { concurrency: 4, skip }, () => {
  for (const [what, cases] of Object.entries(refusals)) {
    it(`still says what was written down of mistakes with ${what}`, async () => {
      assert.ok(newest.ok);
      using dir = tempDir();
      dir.write({
        "object.json": '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}',
      });
      const told: [string, string][] = [];
      for (const [text] of cases) told.push([text, await toldOfPatch(newest.path, dir, text)]);
      assert.deepEqual(told, cases);
    });
  }
});

/** kubectl reads lines and documents before its parser does, and takes for JSON what begins like it. */
function isTakenApart(text: string): boolean {
  return /^(?:---|\.\.\.)/m.test(text) || /^\s*(?:\{|$)/.test(text);
}

/** By the number of the file: one kubectl reads them all. */
function toldOfFiles(kubectl: string, dir: TempDir): Map<number, string> {
  const { stderr } = spawnSync(
    kubectl,
    ["label", "--local", "--overwrite", "-f", dir.path, "a=b", "-o", "name"],
    {
      encoding: "utf8",
      maxBuffer: 1 << 28,
      env: { HOME: dir.path },
    },
  );
  // A line for each, or one for all if something else is wrong as well.
  const found = stderr.matchAll(
    /\/(\d+)\.yaml: error converting YAML to JSON: (yaml: .*?)(?=, (?:error parsing|unable to decode) |\]?$)/gm,
  );
  return new Map(
    [...found]
      .map(([, number, message]): [number, string] => [Number(number), message ?? ""])
      .filter(([, message]) => !aboutValues.test(message)),
  );
}

/** This way the text gets to the parser as it is. */
async function toldOfPatch(kubectl: string, dir: TempDir, text: string): Promise<string> {
  const args = ["patch", "--local", "-f", dir.join("object.json"), `--patch=${text}`, "-o", "name"];
  try {
    await promisify(execFile)(kubectl, args, { env: { HOME: dir.path } });
  } catch (err) {
    return (
      /unable to parse .*: (yaml: .*)\n$/.exec(String((err as { stderr: unknown }).stderr))?.[1] ??
      ""
    );
  }
  return "";
}

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import type { ReloadActionSpec } from "../compose-model.ts";
import { CONFIGMAP_RELOAD_FLAGS } from "./configmap-reload.ts";
import { dropIn } from "./drop-in.ts";
import type { DropIn } from "./drop-in-model.ts";

const NEEDED = ["--volume-dir=/v", "--webhook-url=http://a/r"];

function made(...argv: string[]): DropIn {
  const one = dropIn({ argv: ["--as", "configmap-reload", ...argv], env: {} });
  assert.ok(one);
  return one;
}

function requests(one: DropIn): Extract<ReloadActionSpec, { type: "http" }>[] {
  return one.compose.reload.actions.filter((action) => action.type === "http");
}

type Case = readonly [argv: readonly string[], look: (one: DropIn) => unknown, expected: unknown];

/** Every flag. */
const cases: Readonly<Record<string, readonly Case[]>> = {
  "--volume-dir": [
    [
      [...NEEDED, "-volume-dir", "/w"],
      (one) => [...one.compose.sources],
      [
        ["volume-1", { type: "directory", path: "/v", optional: false }],
        ["volume-2", { type: "directory", path: "/w", optional: false }],
      ],
    ],
    [NEEDED, (one) => [one.compose.output, one.compose.files], [{ type: "none" }, []]],
  ],
  "--webhook-url": [
    [
      [...NEEDED, "--webhook-url", "https://u:p@b/r?x=1"],
      (one) =>
        requests(one).map(({ url, auth }) => [url, auth?.username, auth?.password?.reveal()]),
      [
        ["http://a/r", undefined, undefined],
        ["https://b/r?x=1", "u", Buffer.from("p")],
      ],
    ],
    [NEEDED, (one) => requests(one).map(({ skipsTlsVerify }) => skipsTlsVerify), [false]],
    [NEEDED, (one) => one.compose.reload.onStart, true],
  ],
  "--webhook-method": [
    [NEEDED, (one) => requests(one).map(({ method }) => method), ["POST"]],
    [
      [...NEEDED, "-webhook-method=put"],
      (one) => requests(one).map(({ method }) => method),
      ["PUT"],
    ],
  ],
  "--webhook-status-code": [
    [NEEDED, (one) => requests(one).map(({ expectedStatus }) => expectedStatus), [[200]]],
    [
      [...NEEDED, "--webhook-status-code", "500", "--webhook-status-code=204"],
      (one) => requests(one).map(({ expectedStatus }) => expectedStatus),
      [[204]],
    ],
  ],
  "--webhook-retries": [
    [
      [...NEEDED, "--webhook-retries=3"],
      (one) => [one.notes, one.options.onceTries],
      [[], undefined],
    ],
    [[...NEEDED, "--webhook-retries=-1"], (one) => one.notes, []],
    [[...NEEDED, "--webhook-retries=0"], (one) => one.notes.length, 1],
    [NEEDED, (one) => one.compose.reload.retryMaxMs, 10_000],
  ],
  "--web.listen-address": [
    [
      NEEDED,
      (one) => one.options.listen,
      {
        host: undefined,
        port: 9533,
        isOptional: false,
        metricsPath: "/metrics",
        health: undefined,
      },
    ],
    [
      [...NEEDED, "--web.listen-address=[::1]:1"],
      (one) => [one.options.listen?.host, one.options.listen?.port],
      ["::1", 1],
    ],
  ],
  "--web.telemetry-path": [
    [[...NEEDED, "--web.telemetry-path=/m"], (one) => one.options.listen?.metricsPath, "/m"],
  ],
};

describe("configmap-reload's flags", () => {
  for (const [flag, all] of Object.entries(cases)) {
    it(`${flag} means what it meant, or better`, () => {
      for (const [argv, look, expected] of all) {
        assert.deepEqual(look(made(...argv)), expected, `${inspect(argv)} ${look.toString()}`);
      }
    });
  }

  it("are all tried here", () => {
    assert.deepEqual(Object.keys(cases), Object.keys(CONFIGMAP_RELOAD_FLAGS));
  });

  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [["--webhook-url=http://a"], /^--volume-dir is missing: /],
    [["--volume-dir=/v"], /^--webhook-url is missing: /],
    [[...NEEDED, "--webhook-url=a"], /^--webhook-url is not an address /],
    [[...NEEDED, "--webhook-method=a b"], /^--webhook-method is "a b": /],
    [[...NEEDED, "--webhook-status-code=99"], /^--webhook-status-code is "99": .*from 100 to 599$/],
    [[...NEEDED, "--webhook-retries=many"], /^--webhook-retries is "many": /],
    [[...NEEDED, "--web.listen-address=9533"], /^--web.listen-address is "9533": /],
    [[...NEEDED, "--web.listen-address=:65536"], /^--web.listen-address is ":65536": /],
    [[...NEEDED, "--web.telemetry-path=m"], /^--web.telemetry-path is "m": must begin with "\/"$/],
    [
      [...NEEDED, "--volume-dirs=/x"],
      /^"--volume-dirs" is not known here: there are --volume-dir, /,
    ],
    [[...NEEDED, "/x"], /^"\/x" is not known here: /],
    [[...NEEDED, "--volume-dir"], /^--volume-dir needs a value$/],
  ];
  for (const [argv, message] of wrong) {
    it(`are refused when they are wrong: ${argv.at(-1)}`, () => {
      assert.throws(() => made(...argv), { name: "DropInError", message });
    });
  }
});

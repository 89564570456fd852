import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import type { ReloadActionSpec } from "../compose-model.ts";
import { dropIn } from "./drop-in.ts";
import type { DropIn } from "./drop-in-model.ts";
import { PROMETHEUS_CONFIG_RELOADER_FLAGS } from "./prometheus-config-reloader.ts";

const FILE = "--config-file=/in/prometheus.yaml.gz";
const BOTH = [FILE, "--config-envsubst-file=/out/prometheus.yaml"];
const SIGNAL = [FILE, "--reload-method=signal"];

function made(...argv: string[]): DropIn {
  const env = { POD_NAME: "prometheus-k8s-12", OTHER: "x-7", NONE: "x" };
  const one = dropIn({ argv: ["--as=prometheus-config-reloader", ...argv], env });
  assert.ok(one);
  return one;
}

function action(one: DropIn): ReloadActionSpec {
  const [first, ...more] = one.compose.reload.actions;
  assert.ok(first !== undefined && more.length === 0);
  return first;
}

function http(one: DropIn): Extract<ReloadActionSpec, { type: "http" }> {
  const found = action(one);
  assert.equal(found.type, "http");
  return found as Extract<ReloadActionSpec, { type: "http" }>;
}

function ordinal(one: DropIn): string | undefined {
  const make = one.compose.files[0]?.make;
  return make?.type === "envsubst" ? make.variables?.get("STATEFULSET_ORDINAL_NUMBER") : undefined;
}

type Case = readonly [argv: readonly string[], look: (one: DropIn) => unknown, expected: unknown];

/** Every flag. */
const cases: Readonly<Record<string, readonly Case[]>> = {
  "--config-file": [
    [
      [FILE],
      ({ compose: { sources, files, output } }) => [[...sources], files, output],
      [
        [
          [
            "config",
            { type: "file", path: "/in/prometheus.yaml.gz", optional: false, pollMs: 180_000 },
          ],
        ],
        [],
        { type: "none" },
      ],
    ],
  ],
  "--config-envsubst-file": [
    [
      BOTH,
      ({ compose: { files, output, watched } }) => [files, output, watched],
      [
        [
          {
            path: "prometheus.yaml",
            make: {
              type: "envsubst",
              from: "config/prometheus.yaml.gz",
              variables: new Map([["STATEFULSET_ORDINAL_NUMBER", "12"]]),
              keepsUnset: true,
            },
            decode: [],
            mode: 0o644,
            owner: undefined,
          },
        ],
        { type: "files", path: "/out", removesOthers: true, takesOver: true },
        [],
      ],
    ],
  ],
  "--watched-dir": [
    [
      [...BOTH, "--watched-dir=/rules", "--watched-dir", "/tls"],
      ({ compose: { sources, watched, files } }) => [[...sources.keys()], watched, files.length],
      [["config", "watched-1", "watched-2"], ["watched-1", "watched-2"], 1],
    ],
    [
      ["--watched-dir=/rules"],
      ({ compose: { sources, output } }) => [[...sources.keys()], output.type],
      [["watched-1"], "none"],
    ],
  ],
  "--watch-interval": [
    [
      [FILE, "--watch-interval=1m30s"],
      (one) =>
        [...one.compose.sources.values()].map((source) => "pollMs" in source && source.pollMs),
      [90_000],
    ],
    [
      [...BOTH, "--watch-interval=0", "--listen-address=:8080"],
      (one) => [one.options.isOnce, one.compose.reload.actions, one.options.listen],
      [true, [], undefined],
    ],
    [
      [FILE, "--watch-interval=0s"],
      (one) => [...one.compose.sources.values()].map((source) => "pollMs" in source),
      [false],
    ],
  ],
  "--delay-interval": [
    [[FILE], ({ compose: { reload } }) => [reload.minWaitMs, reload.maxWaitMs], [1000, 10_000]],
    [
      [FILE, "--delay-interval=200ms"],
      ({ compose: { reload } }) => [reload.minWaitMs, reload.maxWaitMs],
      [200, 2000],
    ],
  ],
  "--retry-interval": [
    [[FILE], (one) => one.compose.reload.retryMaxMs, 5000],
    [[FILE, "--retry-interval=15s"], (one) => one.compose.reload.retryMaxMs, 15_000],
  ],
  "--reload-timeout": [
    [[FILE], (one) => http(one).timeoutMs, 30_000],
    [[FILE, "--reload-timeout=1m"], (one) => http(one).timeoutMs, 60_000],
  ],
  "--reload-method": [
    [[FILE], (one) => action(one).type, "http"],
    [
      SIGNAL,
      action,
      {
        type: "signal",
        signal: "SIGHUP",
        target: { processName: "prometheus" },
        runtimeInfoUrl: "http://127.0.0.1:9090/api/v1/status/runtimeinfo",
        timeoutMs: 180_000,
      },
    ],
  ],
  "--process-executable-name": [
    [
      [...SIGNAL, "--process-executable-name=vmagent"],
      (one) => "target" in action(one) && action(one),
      {
        type: "signal",
        signal: "SIGHUP",
        target: { processName: "vmagent" },
        runtimeInfoUrl: "http://127.0.0.1:9090/api/v1/status/runtimeinfo",
        timeoutMs: 180_000,
      },
    ],
  ],
  "--reload-url": [
    [
      [FILE],
      http,
      {
        type: "http",
        method: "POST",
        url: "http://127.0.0.1:9090/-/reload",
        auth: undefined,
        headers: new Map(),
        body: undefined,
        expectedStatus: [200],
        timeoutMs: 30_000,
        skipsTlsVerify: true,
      },
    ],
    [[FILE, "--reload-url=https://localhost:9/r"], (one) => http(one).url, "https://localhost:9/r"],
  ],
  "--runtimeinfo-url": [
    [
      [...SIGNAL, "--runtimeinfo-url=http://localhost/i"],
      (one) => ({ runtimeInfoUrl: "", ...action(one) }).runtimeInfoUrl,
      "http://localhost/i",
    ],
    [[...SIGNAL, "--runtimeinfo-url="], (one) => "runtimeInfoUrl" in action(one), false],
  ],
  "--statefulset-ordinal-from-envvar": [
    [BOTH, ordinal, "12"],
    [[...BOTH, "--statefulset-ordinal-from-envvar=OTHER"], ordinal, "7"],
    [[...BOTH, "--statefulset-ordinal-from-envvar=NONE"], ordinal, ""],
    [[...BOTH, "--statefulset-ordinal-from-envvar=MISSING"], ordinal, ""],
  ],
  "--listen-address": [
    [[FILE], (one) => one.options.listen, undefined],
    [
      [FILE, "--listen-address=localhost:8080"],
      (one) => one.options.listen,
      {
        host: "localhost",
        port: 8080,
        isOptional: false,
        metricsPath: "/metrics",
        health: { path: "/healthz", is: "up", text: '{"status":"up"}' },
      },
    ],
  ],
  "--web-config-file": [[[FILE, "--web-config-file="], (one) => one.notes, []]],
  "--auto-gomemlimit-ratio": [
    [[FILE, "--auto-gomemlimit-ratio=0.9"], (one) => one.notes.length, 1],
  ],
  "--log-format": [
    [[FILE], (one) => one.options.log.format, "logfmt"],
    [[FILE, "--log-format=json"], (one) => one.options.log.format, "json"],
  ],
  "--log-level": [
    [[FILE], (one) => one.options.log.level, "info"],
    [[FILE, "--log-level=all"], (one) => one.options.log.level, "debug"],
    [[FILE, "--log-level", "none"], (one) => one.options.log.level, "error"],
  ],
};

describe("prometheus-config-reloader's flags", () => {
  for (const [flag, all] of Object.entries(cases)) {
    it(`${flag} means what it meant, or better`, () => {
      for (const [argv, look, expected] of all) {
        assert.deepEqual(look(made(...argv)), expected, `${inspect(argv)} ${look.toString()}`);
      }
    });
  }

  it("are all tried here", () => {
    assert.deepEqual(Object.keys(cases), Object.keys(PROMETHEUS_CONFIG_RELOADER_FLAGS));
  });

  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /^There is nothing to watch: name --config-file, --watched-dir or both$/],
    [
      ["--config-envsubst-file=/o", "--watched-dir=/d"],
      /^--config-envsubst-file needs --config-file/,
    ],
    [["--config-file=/a/x", "--config-envsubst-file=/a/./x"], /is the same as --config-file/],
    [[FILE, FILE], /^--config-file is given twice$/],
    [[FILE, "--watch-interval=3"], /^--watch-interval is "3": must be a duration such as 30s/],
    [[FILE, "--delay-interval=-1s"], /^--delay-interval is "-1s": must be a duration/],
    [[FILE, "--retry-interval=x"], /^--retry-interval is "x": must be a duration/],
    [[FILE, "--reload-timeout=x"], /^--reload-timeout is "x": must be a duration/],
    [[FILE, "--reload-method=tcp"], /^--reload-method is "tcp": must be one of http, signal$/],
    [[FILE, "--reload-url=prometheus"], /^--reload-url is not an address /],
    [[FILE, "--reload-url="], /^--reload-url is empty: /],
    [[FILE, "--runtimeinfo-url=prometheus"], /^--runtimeinfo-url is not an address /],
    [[FILE, "--listen-address=here"], /^--listen-address is "here": must be HOST:PORT or :PORT$/],
    [[FILE, "--web-config-file=/w"], /^--web-config-file is not supported: /],
    [[FILE, "--log-format=xml"], /^--log-format is "xml": must be one of logfmt, json$/],
    [[FILE, "--log-level=loud"], /^--log-level is "loud": must be one of all, debug, /],
    [[FILE, "-watched-dir=/d"], /^"-watched-dir" is not known here: /],
  ];
  for (const [argv, message] of wrong) {
    it(`are refused when they are wrong: ${argv.at(-1) ?? "none"}`, () => {
      assert.throws(() => made(...argv), { name: "DropInError", message });
    });
  }
});

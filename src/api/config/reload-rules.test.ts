import { deepEqual, equal, match } from "node:assert/strict";
import { describe, it } from "node:test";
import type { PodUse } from "./pod-uses.ts";
import { parseReloadWish, reloadWishLabel, reloadWishText } from "./reload-action.ts";
import { type Effect, reloadRules } from "./reload-rules.ts";

const use: PodUse = {
  kind: "ConfigMap",
  name: "app",
  how: "env",
  container: "c",
  containerType: "regular",
  mountPath: "",
  volume: "",
  subPath: "",
  keys: undefined,
  optional: false,
  variables: [],
  path: "spec.containers[0]",
};
const volume: PodUse = { ...use, how: "volume", mountPath: "/etc/app", volume: "v" };
const subPath: PodUse = { ...volume, how: "subPath", subPath: "a" };
const init: PodUse = { ...volume, containerType: "init" };

interface Asked {
  readonly workload?: Readonly<Record<string, string>>;
  readonly pod?: Readonly<Record<string, string>>;
  readonly of?: PodUse;
  readonly keys?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly subPathIsLive?: boolean;
}

function effect(asked: Asked): Effect {
  const { workload = {}, pod = {}, of = use, keys = ["a"], annotations = {} } = asked;
  const change = { kind: of.kind, name: of.name, annotations, keys };
  const facts = { subPathIsLive: asked.subPathIsLive ?? false };
  return reloadRules({ workload, pod }).effectOf(of, change, facts);
}

const ours = (value: string): Readonly<Record<string, string>> => ({
  "driftless.dev/reload": value,
});

describe("reloadRules", () => {
  const table: readonly [string, Asked, Effect["effect"]][] = [
    ["nothing asked: env", {}, "frozen"],
    ["nothing asked: args", { of: { ...use, how: "args" } }, "frozen"],
    ["nothing asked: volume", { of: volume }, "hot"],
    ["nothing asked: subPath that is frozen", { of: subPath }, "frozen"],
    ["nothing asked: subPath that is live", { of: subPath, subPathIsLive: true }, "hot"],
    ["nothing asked: init container", { of: init }, "nothing"],
    ["auto: env", { workload: ours("auto") }, "restart"],
    ["auto: args", { workload: ours("auto"), of: { ...use, how: "args" } }, "restart"],
    ["auto: volume", { workload: ours("auto"), of: volume }, "hot"],
    ["auto: subPath that is frozen", { workload: ours("auto"), of: subPath }, "restart"],
    [
      "auto: subPath that is live",
      { workload: ours("auto"), of: subPath, subPathIsLive: true },
      "hot",
    ],
    ["auto: init container", { workload: ours("auto"), of: init }, "restart"],
    ["restart: volume", { workload: ours("restart"), of: volume }, "restart"],
    ["signal: volume", { workload: ours("signal:HUP"), of: volume }, "signal"],
    ["signal: env is none the wiser", { workload: ours("signal:HUP") }, "frozen"],
    ["http: volume", { workload: ours("http:POST:http://127.0.0.1:1/x"), of: volume }, "http"],
    ["exec: volume", { workload: ours("exec:nginx -s reload"), of: volume }, "exec"],
    ["none: env", { workload: ours("none") }, "frozen"],
    ["none: volume", { workload: ours("none"), of: volume }, "hot"],
    [
      "none counts for more than Reloader's",
      { workload: { ...ours("none"), "reloader.stakater.com/auto": "true" } },
      "frozen",
    ],
    [
      "the pod's counts for more than the workload's",
      { workload: ours("restart"), pod: ours("none") },
      "frozen",
    ],
    [
      "Reloader's auto: volume",
      { workload: { "reloader.stakater.com/auto": "true" }, of: volume },
      "restart",
    ],
    [
      "a key that is not used",
      { workload: ours("restart"), of: { ...use, keys: ["b"] } },
      "nothing",
    ],
    ["no key", { workload: ours("restart"), keys: [] }, "nothing"],
    ["what cannot be read counts as not written", { workload: ours("sometimes") }, "frozen"],
    [
      "an ephemeral container",
      { workload: ours("restart"), of: { ...use, containerType: "ephemeral" } },
      "nothing",
    ],
    [
      "a key's own rule",
      {
        workload: { ...ours("restart"), "driftless.dev/reload.log.level": "hot" },
        of: volume,
        keys: ["log.level"],
      },
      "hot",
    ],
    [
      "the key that asks for most decides",
      {
        workload: { ...ours("restart"), "driftless.dev/reload.log.level": "hot" },
        of: volume,
        keys: ["log.level", "port"],
      },
      "restart",
    ],
    [
      "a key's own rule beside Reloader's",
      {
        workload: { "reloader.stakater.com/auto": "true", "driftless.dev/reload.a": "hot" },
        of: volume,
      },
      "hot",
    ],
  ];
  for (const [what, asked, expected] of table) {
    it(`${what}: ${expected}`, () => {
      equal(effect(asked).effect, expected);
    });
  }

  it("says why", () => {
    equal(
      effect({ of: { ...use, keys: ["LEVEL"] } }).why,
      "uses only LEVEL, which does not change",
    );
    equal(
      effect({ workload: { "reloader.stakater.com/auto": "true" } }).why,
      "reloader.stakater.com/auto",
    );
    match(
      effect({}).why,
      /^environment variables are fixed when the container starts; no annotation/,
    );
    match(
      effect({
        workload: { "reloader.stakater.com/auto": "true" },
        annotations: { "reloader.stakater.com/ignore": "true" },
      }).why,
      /\(reloader\.stakater\.com\/ignore on the object\)$/,
    );
  });

  it("does all that different keys ask for", () => {
    const workload = {
      "driftless.dev/reload.a": "signal:USR1",
      "driftless.dev/reload.b": "exec:reload",
      "driftless.dev/reload.c": "signal:SIGUSR1",
    };
    deepEqual(effect({ workload, of: volume, keys: ["a", "b", "c"] }).actions, [
      { type: "exec", command: "reload" },
      { type: "signal", signal: "SIGUSR1" },
    ]);
  });

  it("counts any number of names, and a hundred patterns", () => {
    const annotation = "configmap.reloader.stakater.com/reload";
    const names = Array.from({ length: 5000 }, (_, at) => `app-${at}`);
    const patterns = Array.from({ length: 101 }, (_, at) => `p${at}-.*`);
    const workload = { [annotation]: [...names, ...patterns].join(",") };
    const rules = reloadRules({ workload, pod: {} });
    const isNamed = (name: string): boolean =>
      rules.restartsUnusedFor({ kind: "ConfigMap", name, annotations: {} }) !== undefined;
    deepEqual(["app-4999", "p99-x", "p100-x", "app"].map(isNamed), [true, true, false, false]);
    deepEqual(rules.problems, [`${annotation}: only the first 100 patterns count`]);
    equal(rules.mayRestartUnused, true);
  });

  it("names what it does not understand", () => {
    const problemsOf = (workload: Readonly<Record<string, string>>): string =>
      reloadRules({ workload, pod: {} }).problems.join();
    match(
      problemsOf(ours("signal:KILL")),
      /^driftless\.dev\/reload: the signal "KILL" is not one of HUP/,
    );
    match(
      problemsOf({ "reloader.stakater.com/auto": "yes" }),
      /"yes" is neither "true" nor "false"$/,
    );
    match(
      problemsOf({ "configmap.reloader.stakater.com/reload": "a,(b" }),
      /the pattern "\(b" has a \(/,
    );
    match(
      problemsOf({ "deployment.reloader.stakater.com/pause-period": "5" }),
      /is not a time such as/,
    );
    equal(problemsOf({ "reloader.stakater.com/auto": "T" }), "");
  });

  it("reads pauses as Go does", () => {
    const pauseOf = (text: string): number | undefined =>
      reloadRules({ workload: { "deployment.reloader.stakater.com/pause-period": text }, pod: {} })
        .pauseMs;
    equal(pauseOf("1h30m"), 5_400_000);
    equal(pauseOf("1.5s"), 1500);
    equal(pauseOf("-5m"), undefined);
    equal(pauseOf("0s"), undefined);
  });
});

describe("parseReloadWish", () => {
  it("lets the node ask nobody but the pod itself", () => {
    for (const host of ["127.0.0.1", "127.1:80", "localhost:8080", "[::1]:1", "LOCALHOST"]) {
      equal(typeof parseReloadWish(`http:POST:http://${host}/x`), "object", host);
    }
    for (const host of [
      "169.254.169.254",
      "10.0.0.1:10250",
      "0.0.0.0",
      "localhost.example.com",
      "127.0.0.1.example.com",
      "[::ffff:127.0.0.1]",
      "example.com",
    ]) {
      const problem = parseReloadWish(`http:POST:http://${host}/x`);
      match(typeof problem === "string" ? problem : "none", /asks the pod alone/, host);
    }
  });

  it("has a form for people that shows no token", () => {
    const label = (text: string): string => {
      const wish = parseReloadWish(text);
      return typeof wish === "string" ? wish : reloadWishLabel(wish);
    };
    equal(label("http:POST:http://127.0.0.1/x?token=hunter2"), "http:POST:http://127.0.0.1/x");
    equal(label("exec:test a? && b"), "exec:test a? && b");
  });

  it("reads what reloadWishText writes", () => {
    for (const text of [
      "auto",
      "restart",
      "hot",
      "none",
      "signal:HUP",
      "http:PUT:https://localhost:1/p?q",
      "exec:sh -c 'a:b'",
    ]) {
      const wish = parseReloadWish(text);
      equal(typeof wish === "string" ? wish : reloadWishText(wish), text);
    }
  });

  it("takes POST for a request without a method, and signals with SIG", () => {
    deepEqual(parseReloadWish("http:http://127.0.0.1/x"), {
      type: "http",
      method: "POST",
      url: "http://127.0.0.1/x",
    });
    deepEqual(parseReloadWish("signal:SIGUSR2"), { type: "signal", signal: "SIGUSR2" });
  });

  it("refuses the rest with a sentence", () => {
    for (const text of [
      "",
      "auto:x",
      "signal",
      "http:DELETE:http://localhost/",
      "http:POST:ftp://localhost/",
      "http:POST:http://u:p@localhost/",
      "exec:",
      "Restart",
    ]) {
      equal(typeof parseReloadWish(text), "string", text);
    }
  });
});

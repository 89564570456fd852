import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import { tempDir } from "../../base/testing/temp-dir.ts";
import type { ReloadActionSpec, SourceSpec } from "../compose-model.ts";
import { dropIn } from "./drop-in.ts";
import type { DropIn } from "./drop-in-model.ts";

type Env = Readonly<Record<string, string>>;
type Objects = Extract<SourceSpec, { type: "objects" }>;
type Http = Extract<ReloadActionSpec, { type: "http" }>;

function made(env: Env, ...argv: string[]): DropIn {
  const all = { LABEL: "app", FOLDER: "/out", ...env };
  const one = dropIn({ argv: ["--as", "k8s-sidecar", ...argv], env: all });
  assert.ok(one);
  return one;
}

function sources(one: DropIn): Map<string, Objects> {
  return new Map(
    [...one.compose.sources].map(([name, source]) => {
      assert.equal(source.type, "objects");
      return [name, source as Objects];
    }),
  );
}

const source = (one: DropIn): Objects => {
  const [first] = sources(one).values();
  assert.ok(first);
  return first;
};
const http = (one: DropIn): Http => {
  const action = one.compose.reload.actions.find(({ type }) => type === "http");
  assert.equal(action?.type, "http");
  return action as Http;
};
const followed = (one: DropIn): unknown =>
  [...sources(one)].map(([name, { kinds, names, namespaces }]) => [
    name,
    ...kinds,
    names,
    namespaces,
  ]);
const auth = (one: DropIn): unknown => {
  const { password, ...others } = http(one).auth ?? {};
  return { ...others, ...(password && { password: Buffer.from(password.reveal()).toString() }) };
};
const url = { REQ_URL: "http://app/reload" };
const user = { REQ_USERNAME: "u", REQ_PASSWORD: "p" };

/** What is set, what of the outcome is looked at, and what that is. */
type Case = readonly [env: Env, look: (one: DropIn) => unknown, expected: unknown];

/** Every variable. */
const cases: Readonly<Record<string, readonly Case[]>> = {
  LABEL: [
    [{ LABEL: "grafana_dashboard" }, (one) => source(one).labelSelector, "grafana_dashboard"],
    [{ LABEL: "a in (x,y),!b" }, (one) => source(one).labelSelector, "a in (x,y),!b"],
  ],
  LABEL_VALUE: [
    [{ LABEL_VALUE: "1" }, (one) => source(one).labelSelector, "app=1"],
    [{ LABEL_VALUE: "" }, (one) => source(one).labelSelector, "app"],
  ],
  FOLDER: [
    [
      { FOLDER: "/tmp/dashboards" },
      (one) => one.compose.output,
      {
        type: "files",
        path: "/tmp/dashboards",
        removesOthers: true,
        takesOver: true,
        allowsOutside: true,
        leavesOut: true,
        share: "9f637e55",
      },
    ],
  ],
  FOLDER_ANNOTATION: [
    [{}, (one) => source(one).folderAnnotation, "k8s-sidecar-target-directory"],
    [{ FOLDER_ANNOTATION: "dir" }, (one) => source(one).folderAnnotation, "dir"],
    [{ FOLDER_ANNOTATION: "" }, (one) => source(one).folderAnnotation, undefined],
  ],
  NAMESPACE: [
    [{}, (one) => source(one).namespaces, undefined],
    [{ NAMESPACE: "" }, (one) => source(one).namespaces, undefined],
    [{ NAMESPACE: "a, b,a" }, (one) => source(one).namespaces, ["a", "b"]],
    [{ NAMESPACE: "ALL" }, (one) => source(one).namespaces, "*"],
    [{ NAMESPACE: "a,ALL" }, (one) => source(one).namespaces, "*"],
  ],
  RESOURCE: [
    [{}, followed, [["configmaps", "ConfigMap", undefined, undefined]]],
    [{ RESOURCE: "secret" }, followed, [["secrets", "Secret", undefined, undefined]]],
    [
      { RESOURCE: "both" },
      (one) => one.compose.files.map(({ path, make }) => [path, "from" in make && make.from]),
      [
        ["", "secrets/**"],
        ["", "configmaps/**"],
      ],
    ],
  ],
  RESOURCE_NAME: [
    [{ RESOURCE_NAME: "a,b" }, followed, [["configmaps", "ConfigMap", ["a", "b"], undefined]]],
    [{ RESOURCE_NAME: "a" }, (one) => source(one).labelSelector, undefined],
    [{ RESOURCE_NAME: "a", LABEL: "" }, (one) => source(one).labelSelector, undefined],
    [
      { RESOURCE_NAME: "secret/s,configmap/c,x", RESOURCE: "both" },
      followed,
      [
        ["secrets", "Secret", ["s", "x"], undefined],
        ["configmaps", "ConfigMap", ["c", "x"], undefined],
      ],
    ],
    [
      { RESOURCE_NAME: "n/secret/s,x", RESOURCE: "both", NAMESPACE: "m,n" },
      followed,
      [
        ["secrets-m", "Secret", ["x"], ["m"]],
        ["secrets-n", "Secret", ["s", "x"], ["n"]],
        ["configmaps-m", "ConfigMap", ["x"], ["m"]],
        ["configmaps-n", "ConfigMap", ["x"], ["n"]],
      ],
    ],
    [
      { RESOURCE_NAME: "n/configmap/c,x" },
      followed,
      [
        ["configmaps", "ConfigMap", ["x"], undefined],
        ["configmaps-n", "ConfigMap", ["c"], ["n"]],
      ],
    ],
    [
      { RESOURCE_NAME: "secret/s,x" },
      (one) => one.notes,
      [
        'RESOURCE_NAME has "secret/s", which is not among what RESOURCE and NAMESPACE allow: it is left out',
      ],
    ],
    [
      { RESOURCE_NAME: "x", NAMESPACE: "ALL" },
      (one) => [source(one).names, source(one).labelSelector, one.notes.length],
      [undefined, "app", 1],
    ],
  ],
  METHOD: [
    [{}, (one) => [one.options.isOnce, source(one).pollMs], [false, undefined]],
    [{ METHOD: "WATCH" }, (one) => [one.options.isOnce, source(one).pollMs], [false, undefined]],
    [{ METHOD: "LIST" }, (one) => [one.options.isOnce, source(one).pollMs], [true, 60_000]],
    [{ METHOD: "SLEEP" }, (one) => [one.options.isOnce, source(one).pollMs], [false, 60_000]],
    [{ METHOD: "list" }, (one) => [one.options.isOnce, one.notes.length], [false, 1]],
  ],
  SLEEP_TIME: [
    [{ SLEEP_TIME: "7" }, (one) => source(one).pollMs, undefined],
    [{ SLEEP_TIME: "7", METHOD: "SLEEP" }, (one) => source(one).pollMs, 7000],
    [{ SLEEP_TIME: "7", RESOURCE_NAME: "x" }, (one) => source(one).pollMs, 7000],
    [{ SLEEP_TIME: "0", METHOD: "SLEEP" }, (one) => source(one).pollMs, 1000],
    [{ SLEEP_TIME: "7", METHOD: "SLEEP" }, (one) => source(one).urls?.intervalMs, 7000],
  ],
  REQ_URL: [
    [{}, (one) => one.compose.reload.actions, []],
    [{ REQ_URL: "" }, (one) => one.compose.reload.actions, []],
    [url, (one) => http(one).url, "http://app/reload"],
    [
      url,
      (one) => [200, 204, 302, 303].every((code) => http(one).expectedStatus?.includes(code)),
      true,
    ],
    [
      url,
      (one) => [301, 401, 404, 500].some((code) => http(one).expectedStatus?.includes(code)),
      false,
    ],
    [{ REQ_URL: "http://u:p%40@app/x" }, (one) => http(one).url, "http://app/x"],
    [{ REQ_URL: "http://u:p%40@app/x" }, auth, { username: "u", password: "p@" }],
  ],
  REQ_METHOD: [
    [url, (one) => http(one).method, "GET"],
    [{ ...url, REQ_METHOD: "POST" }, (one) => http(one).method, "POST"],
    [{ ...url, REQ_METHOD: "post" }, (one) => http(one).method, "POST"],
  ],
  REQ_PAYLOAD: [
    [
      { ...url, REQ_METHOD: "POST", REQ_PAYLOAD: '{"id": 12345678901234567890}' },
      (one) => [http(one).body, [...http(one).headers]],
      ['{"id": 12345678901234567890}', [["Content-Type", "application/json"]]],
    ],
    [{ ...url, REQ_METHOD: "POST", REQ_PAYLOAD: "a=b" }, (one) => http(one).body, '"a=b"'],
    [
      { ...url, REQ_PAYLOAD: "{}" },
      (one) => [http(one).body, [...http(one).headers], one.notes.length],
      [undefined, [], 1],
    ],
  ],
  REQ_RETRY_TOTAL: [
    [{ REQ_RETRY_TOTAL: "3", METHOD: "LIST" }, (one) => one.options.onceTries, 4],
    [{ METHOD: "LIST" }, (one) => one.options.onceTries, 6],
    [{ REQ_RETRY_TOTAL: "3" }, (one) => one.options.onceTries, undefined],
  ],
  REQ_RETRY_CONNECT: [[{ REQ_RETRY_CONNECT: "3" }, (one) => one.notes, []]],
  REQ_RETRY_READ: [[{ REQ_RETRY_READ: "3" }, (one) => one.notes, []]],
  REQ_RETRY_BACKOFF_FACTOR: [[{ REQ_RETRY_BACKOFF_FACTOR: "0.5" }, (one) => one.notes, []]],
  REQ_TIMEOUT: [
    [url, (one) => [http(one).timeoutMs, source(one).urls?.timeoutMs], [10_000, 10_000]],
    [
      { ...url, REQ_TIMEOUT: "2.5" },
      (one) => [http(one).timeoutMs, source(one).urls?.timeoutMs],
      [2500, 2500],
    ],
  ],
  REQ_USERNAME: [
    [{ ...url, ...user }, auth, { username: "u", password: "p", encoding: "latin1" }],
    [{ ...url, ...user }, (one) => source(one).urls?.auth === http(one).auth, true],
    [{ ...url, REQ_USERNAME: "u" }, (one) => [http(one).auth, one.notes.length], [undefined, 1]],
  ],
  REQ_PASSWORD: [
    [
      { ...url, ...user, REQ_PASSWORD: "hush" },
      (one) => inspect(one, { depth: 9 }).includes("hush"),
      false,
    ],
    [
      { ...url, ...user, REQ_PASSWORD: "hush" },
      (one) => JSON.stringify(http(one)).includes("hush"),
      false,
    ],
    [{ ...url, REQ_PASSWORD: "p" }, (one) => [http(one).auth, one.notes.length], [undefined, 1]],
  ],
  REQ_USERNAME_FILE: [
    [
      { ...url, ...user, REQ_USERNAME_FILE: "/u" },
      auth,
      { username: "u", usernameFile: "/u", password: "p", encoding: "latin1" },
    ],
  ],
  REQ_PASSWORD_FILE: [
    [
      { ...url, REQ_USERNAME: "u", REQ_PASSWORD_FILE: "/p" },
      auth,
      { username: "u", passwordFile: "/p", encoding: "latin1" },
    ],
  ],
  REQ_BASIC_AUTH_ENCODING: [
    [
      { ...url, ...user, REQ_BASIC_AUTH_ENCODING: "UTF-8" },
      (one) => http(one).auth?.encoding,
      "utf-8",
    ],
  ],
  REQ_SKIP_INIT: [
    [url, (one) => one.compose.reload.onStart, true],
    [{ ...url, REQ_SKIP_INIT: "True" }, (one) => one.compose.reload.onStart, false],
    [{ ...url, REQ_SKIP_INIT: "true", METHOD: "LIST" }, (one) => one.compose.reload.onStart, true],
    [
      { ...url, REQ_SKIP_INIT: "true", SCRIPT: "/s" },
      (one) => [one.compose.reload.onStart, http(one).skipsStart],
      [true, true],
    ],
    [{ REQ_SKIP_INIT: "true", SCRIPT: "/s" }, (one) => one.compose.reload.onStart, true],
  ],
  REQ_SKIP_TLS_VERIFY: [
    [url, (one) => [http(one).skipsTlsVerify, source(one).urls?.skipsTlsVerify], [false, false]],
    [
      { ...url, REQ_SKIP_TLS_VERIFY: "true" },
      (one) => [http(one).skipsTlsVerify, source(one).urls?.skipsTlsVerify],
      [true, true],
    ],
    [
      { ...url, REQ_SKIP_TLS_VERIFY: "True" },
      (one) => [http(one).skipsTlsVerify, one.notes.length],
      [false, 1],
    ],
  ],
  SCRIPT: [
    [
      { ...url, SCRIPT: "/s.sh" },
      (one) =>
        one.compose.reload.actions.map((one_) =>
          one_.type === "command" ? one_.argv.at(-1) : one_.type,
        ),
      ["/s.sh", "http"],
    ],
  ],
  ERROR_THROTTLE_SLEEP: [[{ ERROR_THROTTLE_SLEEP: "9" }, (one) => one.notes, []]],
  SKIP_TLS_VERIFY: [
    [{}, (one) => one.options.skipsApiTlsVerify, false],
    [{ SKIP_TLS_VERIFY: "true" }, (one) => one.options.skipsApiTlsVerify, true],
    [{ SKIP_TLS_VERIFY: "TRUE" }, (one) => one.options.skipsApiTlsVerify, false],
  ],
  DISABLE_X509_STRICT_VERIFICATION: [
    [
      { DISABLE_X509_STRICT_VERIFICATION: "true" },
      (one) => [one.options.skipsApiTlsVerify, one.notes],
      [false, []],
    ],
  ],
  UNIQUE_FILENAMES: [
    [{}, (one) => source(one).isUnique, false],
    [{ UNIQUE_FILENAMES: "True" }, (one) => source(one).isUnique, true],
    [{ UNIQUE_FILENAMES: "yes" }, (one) => [source(one).isUnique, one.notes.length], [false, 1]],
  ],
  DEFAULT_FILE_MODE: [
    [{ RESOURCE: "both" }, (one) => one.compose.files.map(({ mode }) => mode), [0o644, 0o644]],
    [{ DEFAULT_FILE_MODE: "440" }, (one) => one.compose.files.map(({ mode }) => mode), [0o440]],
    [{ DEFAULT_FILE_MODE: "0600" }, (one) => one.compose.files.map(({ mode }) => mode), [0o600]],
    [{ DEFAULT_FILE_MODE: "0o640" }, (one) => one.compose.files.map(({ mode }) => mode), [0o640]],
  ],
  KUBECONFIG: [
    [{}, (one) => one.options.kubeconfig, undefined],
    [{ KUBECONFIG: "/k" }, (one) => one.options.kubeconfig, "/k"],
  ],
  ENABLE_5XX: [
    [{}, (one) => source(one).urls?.takesServerErrors, false],
    [{ ENABLE_5XX: "true" }, (one) => source(one).urls?.takesServerErrors, true],
    [{ ...url, ENABLE_5XX: "true" }, (one) => http(one).expectedStatus?.includes(500), false],
  ],
  WATCH_SERVER_TIMEOUT: [
    [{}, (one) => source(one).urls?.intervalMs, 60_000],
    [{ WATCH_SERVER_TIMEOUT: "3600" }, (one) => source(one).urls?.intervalMs, 3_600_000],
  ],
  WATCH_CLIENT_TIMEOUT: [[{ WATCH_CLIENT_TIMEOUT: "9" }, (one) => one.notes, []]],
  IGNORE_ALREADY_PROCESSED: [
    [{ IGNORE_ALREADY_PROCESSED: "true" }, (one) => source(one).urls?.intervalMs, undefined],
    [
      { IGNORE_ALREADY_PROCESSED: "true", METHOD: "SLEEP" },
      (one) => source(one).urls?.intervalMs,
      undefined,
    ],
  ],
  LOG_LEVEL: [
    [{}, (one) => one.options.log.level, "info"],
    [{ LOG_LEVEL: "DEBUG" }, (one) => one.options.log.level, "debug"],
    [{ LOG_LEVEL: "warning" }, (one) => one.options.log.level, "warn"],
    [{ LOG_LEVEL: "CRITICAL" }, (one) => one.options.log.level, "error"],
  ],
  LOG_FORMAT: [
    [{}, (one) => one.options.log.format, "json"],
    [{ LOG_FORMAT: "LOGFMT" }, (one) => one.options.log.format, "logfmt"],
  ],
  LOG_TZ: [
    [{}, (one) => one.options.log.timeZone, "local"],
    [{ LOG_TZ: "UTC" }, (one) => one.options.log.timeZone, "utc"],
  ],
  LOG_CONFIG: [[{ LOG_CONFIG: "/l" }, (one) => one.notes.length, 1]],
  HEALTH_PORT: [
    [
      {},
      (one) => one.options.listen,
      {
        host: undefined,
        port: 8080,
        isOptional: true,
        metricsPath: "/metrics",
        health: { path: "/healthz", is: "ready", text: "OK" },
      },
    ],
    [{ HEALTH_PORT: "9000" }, (one) => one.options.listen?.port, 9000],
  ],
  HEALTH_HOST: [[{ HEALTH_HOST: "0.0.0.0" }, (one) => one.options.listen?.host, "0.0.0.0"]],
  REQUESTS_CA_BUNDLE: [[{ REQUESTS_CA_BUNDLE: "/ca" }, (one) => one.notes.length, 1]],
};

describe("k8s-sidecar's variables", () => {
  for (const [variable, all] of Object.entries(cases)) {
    it(`${variable} means what it meant, or better`, () => {
      for (const [env, look, expected] of all) {
        assert.deepEqual(look(made(env)), expected, `${inspect(env)} ${look.toString()}`);
      }
    });
  }

  it("are all tried here", () => {
    const doc = readFileSync(new URL("../../../docs/drop-ins.md", import.meta.url)).toString();
    const [, section = ""] = doc.split("\n## k8s-sidecar\n");
    const [own = ""] = section.split("\n## ");
    const named = [...own.matchAll(/^\| `(\w+)` *\|/gm)].map(([, name = ""]) => name);
    assert.deepEqual(Object.keys(cases).toSorted(), named.toSorted());
  });

  const files = ["--req-username-file=/flag/u", "--req-password-file", "/flag/p"];

  it("count for less than its flags", () => {
    const one = made(
      { ...url, REQ_USERNAME_FILE: "/env/u", REQ_PASSWORD_FILE: "/env/p" },
      ...files,
    );
    assert.deepEqual(auth(one), {
      usernameFile: "/flag/u",
      passwordFile: "/flag/p",
      encoding: "latin1",
    });
  });

  const wrong: readonly (readonly [Env, RegExp])[] = [
    [{ LABEL: "" }, /^LABEL is missing: /],
    [{ LABEL: "a b" }, /^LABEL make no label selector, "a b": /],
    [{ LABEL_VALUE: "-" }, /^LABEL and LABEL_VALUE make no label selector, "app=-": /],
    [{ FOLDER: "" }, /^FOLDER is missing: /],
    [{ RESOURCE: "pod" }, /^RESOURCE is "pod": must be one of configmap, secret, both$/],
    [{ RESOURCE_NAME: "a/b" }, /^RESOURCE_NAME has "a\/b": must be NAME, /],
    [{ RESOURCE_NAME: "both/b" }, /^RESOURCE_NAME has "both\/b": must be NAME, /],
    [{ RESOURCE_NAME: "secret/" }, /^RESOURCE_NAME has "secret\/": must be NAME, /],
    [{ RESOURCE_NAME: "w/x/secret/z" }, /^RESOURCE_NAME has "w\/x\/secret\/z": must be NAME, /],
    [{ RESOURCE_NAME: "secret/s" }, /^RESOURCE_NAME has "secret\/s", which is not among /],
    [{ SLEEP_TIME: "soon" }, /^SLEEP_TIME is "soon": must be a whole number, 0 or more$/],
    [{ REQ_URL: "app:80" }, /^REQ_URL is not an address that begins with http/],
    [{ REQ_METHOD: "PUT" }, /^REQ_METHOD is "PUT": must be one of get, post$/],
    [{ REQ_TIMEOUT: "0" }, /^REQ_TIMEOUT is "0": must be a number, 0.001 or more$/],
    [{ REQ_RETRY_TOTAL: "-1" }, /^REQ_RETRY_TOTAL is "-1": /],
    [{ REQ_RETRY_CONNECT: "1.5" }, /^REQ_RETRY_CONNECT is "1.5": must be a whole number/],
    [{ REQ_RETRY_READ: "x" }, /^REQ_RETRY_READ is "x": /],
    [{ REQ_RETRY_BACKOFF_FACTOR: "x" }, /^REQ_RETRY_BACKOFF_FACTOR is "x": /],
    [{ REQ_BASIC_AUTH_ENCODING: "ebcdic" }, /^REQ_BASIC_AUTH_ENCODING is "ebcdic": /],
    [{ ERROR_THROTTLE_SLEEP: "x" }, /^ERROR_THROTTLE_SLEEP is "x": /],
    [{ DEFAULT_FILE_MODE: "999" }, /^DEFAULT_FILE_MODE is "999": must be octal digits/],
    [{ WATCH_SERVER_TIMEOUT: "x" }, /^WATCH_SERVER_TIMEOUT is "x": /],
    [{ WATCH_CLIENT_TIMEOUT: "x" }, /^WATCH_CLIENT_TIMEOUT is "x": /],
    [{ LOG_LEVEL: "loud" }, /^LOG_LEVEL is "loud": must be one of /],
    [{ LOG_FORMAT: "xml" }, /^LOG_FORMAT is "xml": must be one of json, logfmt$/],
    [{ LOG_TZ: "mars" }, /^LOG_TZ is "mars": must be one of local, utc$/],
    [{ HEALTH_PORT: "65536" }, /^HEALTH_PORT is "65536": must be a whole number, from 0 to 65535$/],
  ];
  for (const [env, message] of wrong) {
    it(`are refused when they are wrong: ${inspect(env)}`, () => {
      assert.throws(() => made(env), { name: "DropInError", message });
    });
  }

  it("do not show a password in what is wrong with an address", () => {
    assert.throws(
      () => made({ REQ_URL: "htp://u:hush@app" }),
      (err: Error) => !err.message.includes("hush"),
    );
  });
});

describe("k8s-sidecar's SCRIPT", () => {
  function run(mode: number): string {
    using directory = tempDir();
    const script = join(directory.path, "a script");
    // $0 is the script, and $$ stays the same only without another shell in between.
    writeFileSync(
      script,
      '#!/bin/sh\necho "ran $# by $(ps -o comm= $$ 2>/dev/null || cat /proc/$$/comm)"\n',
    );
    chmodSync(script, mode);
    const action = made({ SCRIPT: script }).compose.reload.actions[0];
    assert.equal(action?.type, "command");
    const [command = "", ...args] = (action as Extract<ReloadActionSpec, { type: "command" }>).argv;
    return spawnSync(command, args, { timeout: 10_000 }).stdout.toString().trim();
  }

  it("is executed if it can be", () => {
    assert.equal(run(0o755), "ran 0 by a script");
  });

  it("goes to sh if it cannot be executed", () => {
    assert.match(run(0o644), /^ran 0 by (sh|dash|bash)$/);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { dropIn, dropInFlags } from "./drop-in.ts";
import { DropInError } from "./drop-in-model.ts";
import { parseGoDuration } from "./go-duration.ts";

const env = { LABEL: "app", FOLDER: "/out" };

describe("dropIn", () => {
  it("stands in for k8s-sidecar when its two variables are set", () => {
    assert.equal(dropIn({ argv: [], env })?.options.program, "k8s-sidecar");
  });

  for (const argv of [["-f", "c.yaml"], ["-fc.yaml"], ["--file", "c.yaml"], ["--file=c.yaml"]]) {
    it(`does not when there is a compose file: ${argv.join(" ")}`, () => {
      assert.equal(dropIn({ argv, env }), undefined);
    });
  }

  it("does not when one of the two is missing or empty", () => {
    assert.equal(dropIn({ argv: [], env: {} }), undefined);
    assert.equal(dropIn({ argv: [], env: { LABEL: "app" } }), undefined);
    assert.equal(dropIn({ argv: [], env: { ...env, FOLDER: "" } }), undefined);
  });

  it("names the flags of the program that --as names, and of no other", () => {
    const flags = dropInFlags(["--as=configmap-reload", "--help"]);
    assert.ok(flags.includes("--volume-dir") && !flags.includes("--config-file"));
    assert.deepEqual(dropInFlags(["--help"]), []);
    assert.deepEqual(dropInFlags(["--as", "nothing"]), []);
  });

  it("refuses a compose file beside --as", () => {
    const message = "--as k8s-sidecar takes no compose file: leave out either --as or -f";
    assert.throws(() => dropIn({ argv: ["-f", "c", "--as", "k8s-sidecar"], env }), { message });
  });

  for (const name of ["reloader", "", "toString"]) {
    it(`names the programs that there are instead of ${JSON.stringify(name)}`, () => {
      const message = `--as ${name}: must be one of k8s-sidecar, configmap-reload, prometheus-config-reloader`;
      assert.throws(() => dropIn({ argv: ["--as", name], env }), { message });
      assert.throws(() => dropIn({ argv: [`--as=${name}`], env }), { message });
    });
  }

  it("hands on the sidecar's own flags, wherever they stand", () => {
    const own = ["--dry-run", "--state-dir", "/s", "--listen=127.0.0.1:1"];
    const argv = ["--dry-run", "--as", "configmap-reload", "--volume-dir=/v", "--state-dir", "/s"];
    const more = ["-webhook-url", "http://a", "--listen=127.0.0.1:1"];
    assert.deepEqual(dropIn({ argv: [...argv, ...more], env: {} })?.rest, own);
  });

  it("gives a flag that both have to the program", () => {
    const argv = ["--as=prometheus-config-reloader", "--watched-dir=/d", "--log-level=debug"];
    const one = dropIn({ argv, env: {} });
    assert.deepEqual([one?.options.log.level, one?.rest], ["debug", []]);
  });

  it("says everything that is wrong at once", () => {
    const argv = ["--as", "configmap-reload", "--x", "--webhook-status-code=y"];
    assert.throws(
      () => dropIn({ argv, env: {} }),
      ({ message }: Error) => message.split("\n").length === 4,
    );
  });

  it("does not read the environment as flags, nor what objects have by nature", () => {
    const argv = ["--as", "prometheus-config-reloader", "--watched-dir=/d"];
    const one = dropIn({ argv, env: { "--config-file": "/x" } });
    assert.deepEqual([...(one?.compose.sources.keys() ?? [])], ["watched-1"]);
    const message = /^"constructor" is not known here/;
    assert.throws(() => dropIn({ argv: ["--as", "k8s-sidecar", "constructor"], env }), { message });
  });

  it("throws nothing but DropInError, whatever it is given", () => {
    const names = ["LABEL", "LABEL_VALUE", "NAMESPACE", "RESOURCE_NAME", "REQ_URL", "REQ_PAYLOAD"];
    const value = fc.oneof(fc.string(), fc.constantFrom("a", "secret/b", "ALL", "http://%zz@a"));
    const envs = fc.dictionary(fc.constantFrom(...names), value);
    const flags = fc.constantFrom("--config-file", "--watched-dir=", "--reload-url=", "--once");
    const argvs = fc.array(fc.oneof(flags, fc.string()));
    const programs = fc.constantFrom(
      "k8s-sidecar",
      "configmap-reload",
      "prometheus-config-reloader",
    );
    fc.assert(
      fc.property(programs, envs, argvs, (program, variables, argv) => {
        try {
          dropIn({ argv: ["--as", program, ...argv], env: { ...env, ...variables } });
        } catch (err) {
          assert.ok(err instanceof DropInError, String(err));
        }
      }),
    );
  });
});

describe("parseGoDuration", () => {
  const durations: readonly (readonly [string, number | undefined])[] = [
    ["0", 0],
    ["0s", 0],
    ["3m0s", 180_000],
    ["1m30s", 90_000],
    ["1.5h", 5_400_000],
    [".5s", 500],
    ["300ms", 300],
    ["250us", 0.25],
    ["-5s", -5000],
    ["+5s", 5000],
    ["", undefined],
    ["5", undefined],
    ["5d", undefined],
    ["s", undefined],
    ["5 s", undefined],
    ["1.2.3s", undefined],
  ];
  for (const [text, ms] of durations) {
    it(`makes ${ms} ms of ${JSON.stringify(text)}`, () => {
      assert.equal(parseGoDuration(text), ms);
    });
  }
});

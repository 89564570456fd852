import { doesNotMatch, equal, match } from "node:assert/strict";
import { describe, it } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { quoted, readyText, stoppedText, type UpReady } from "./up-message.ts";

const ready: UpReady = {
  tookMs: 812.4,
  url: "https://127.0.0.1:8443",
  dataDir: "/home/ann/.driftless",
  drains: false,
  node: {
    name: "laptop",
    isRootless: false,
    isCordoned: false,
    containers: 0,
    missing: [],
    shortcomings: 0,
  },
  joining: undefined,
  place: {
    directory: "/home/ann/driftless",
    program: "./driftless",
    example: "examples/hello.yaml",
    home: "/home/ann",
    kubeconfigVariable: undefined,
    hasDefaultDataDir: true,
  },
};

describe("readyText", () => {
  it("says what is there and what to paste", () => {
    equal(
      readyText(ready, false),
      `
driftless is ready in 812 ms

  server  https://127.0.0.1:8443
  node    laptop
  data    ~/.driftless   log in up.log

Now, in another terminal, in ~/driftless:

  ./driftless apply -f examples/hello.yaml
  ./driftless set configmap/hello text=moin
  ./driftless logs -f deploy/hello

or with kubectl:

  export KUBECONFIG=~/.driftless/kubeconfig
  kubectl apply -f examples/hello.yaml && kubectl rollout status deploy/hello
  kubectl patch configmap hello -p '{"data":{"text":"moin"}}'
  kubectl logs -f deploy/hello

Ctrl-C stops it; containers go on.

`,
    );
  });

  it("says the same in colour", () => {
    const coloured = readyText(ready, true);
    equal(coloured.includes("\u001B["), true);
    equal(stripVTControlCharacters(coloured), readyText(ready, false));
  });

  it("names the kubeconfig where the commands would not find it, or would find another one", () => {
    const elsewhere = { ...ready.place, hasDefaultDataDir: false };
    const busy = { ...ready.place, kubeconfigVariable: "/home/ann/.kube/work" };
    for (const place of [elsewhere, busy]) {
      match(readyText({ ...ready, place }, false), /KUBECONFIG=\S+\n {2}\.\/driftless apply/);
    }
  });

  it("says of the node what is not as everybody expects", () => {
    const said = (node: Partial<UpReady["node"]>): string =>
      / {2}node +(.*)/.exec(
        readyText({ ...ready, node: { ...ready.node, ...node } as UpReady["node"] }, false),
      )?.[1] ?? "";
    equal(
      said({ isRootless: true, shortcomings: 4 }),
      "laptop (without root, lacks 4 things, see the log)",
    );
    equal(said({ containers: 2 }), "laptop (2 containers found)");
    equal(said({ isCordoned: true }), "laptop (cordoned: takes no new pods)");
    equal(said({ missing: ["No namespaces."] }), "laptop (cannot run pods: No namespaces.)");
  });

  it("shows other things to do where no pod can run, and how another machine joins", () => {
    const text = readyText(
      { ...ready, node: undefined, joining: { token: "a.b", command: "driftless node …" } },
      false,
    );
    match(text, /node +none \(--no-node\)/);
    match(text, /\.\/driftless token create/);
    match(
      text,
      /Another machine becomes a node with this, within an hour:\n\n {2}driftless node …/,
    );
  });
});

describe("readyText of a first start that only this machine reaches", () => {
  it("has a token, and says what others need", () => {
    const text = readyText({ ...ready, joining: { token: "a.b", command: undefined } }, false);
    match(text, /^ {2}join +a\.b {3}for an hour; other machines need --listen$/m);
    doesNotMatch(text, /Another machine/);
  });
});

describe("stoppedText", () => {
  const stopped = { program: "./driftless", dataDir: "/data dir", ended: undefined };

  it("says what goes on, and how to end it", () => {
    equal(
      stoppedText({ ...stopped, containers: 2 }),
      `driftless: stopped. 2 containers go on, and the next start finds them again
To end them: ./driftless node --drain --data-dir '/data dir'
`,
    );
  });

  it("says no more than that it stopped if nothing goes on", () => {
    equal(stoppedText({ ...stopped, containers: 0 }), "driftless: stopped\n");
    equal(
      stoppedText({ ...stopped, containers: 0, ended: 1 }),
      "driftless: stopped, and 1 container ended\n",
    );
  });
});

describe("quoted", () => {
  it("leaves plain words alone, and makes one word of all others", () => {
    equal(quoted("/a/b-c_d.e"), "/a/b-c_d.e");
    equal(quoted("it's"), String.raw`'it'\''s'`);
    equal(quoted("$(rm)"), "'$(rm)'");
  });
});

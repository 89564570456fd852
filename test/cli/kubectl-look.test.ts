// The same commands to driftless and to the newest kubectl, on one server: the same words come out, and the same exit code.

import { deepEqual } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Kubectl, type Said } from "../agent/kubectl-session.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import { Verbs } from "./verbs.ts";

const odd = {
  "a.txt": "one\ntwo\n",
  yes: "yes",
  number: "0777",
  quoted: "a: b",
  html: "<a & b>",
  long: "a line that is so long that it has to be folded somewhere, which is behind its column eighty, at a space",
  emoji: "\u{1f600}",
};

const deployment = {
  metadata: { name: "web", labels: { app: "web" } },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "main", image: "host" }] },
    },
  },
};

/** Words without spaces in them, but for the last list. */
const commands: readonly (readonly string[])[] = [
  "get cm",
  "get configmaps",
  "get ConfigMap odd",
  "get cm odd -o yaml",
  "get cm odd -o json",
  "get cm odd -o name",
  "get cm odd -o wide",
  "get cm odd none",
  "get cm odd none -o json",
  "get cm none -o yaml",
  "get cm none --ignore-not-found",
  "get cm/odd deploy/web",
  "get deploy,cm",
  "get all",
  "get all -A",
  "get cm -A",
  "get deploy -o yaml",
  "get deploy,cm -o name",
  "get pods",
  "get pods -A",
  "get nodes",
  "get pods,rs",
  "get nosuch",
  "get roles.rbac -A",
  "get deployments.v1.apps",
  "get ns --show-labels",
  "get ns -L kubernetes.io/metadata.name",
  "get ns --no-headers",
  "get ns --sort-by=.metadata.name -o name",
  "get ns --sort-by=.metadata.uid",
  "get ns -l kubernetes.io/metadata.name=default",
  "get ns -l none=none",
  "get ns --field-selector=metadata.name=default -o wide",
  "get ns -o jsonpath={.items[*].metadata.name}",
  'get ns -o jsonpath={.items[?(@.metadata.name=="default")].status}',
  "get clusterroles --no-headers",
  "get cm -n none",
  "delete cm none",
  "delete cm none --ignore-not-found",
  "delete cm odd --dry-run=client",
  "delete deploy/web cm/odd --dry-run=server",
  "delete cm odd -o name --dry-run=server",
  "delete cm -l none=none",
]
  .map((line) => line.split(" "))
  .concat([
    [
      "get",
      "ns",
      "-o",
      'jsonpath={range .items[*]}{.metadata.name}{"\\t"}{.status.phase}{"\\n"}{end}',
    ],
  ]);

describe("driftless looks as kubectl", { concurrency: 2 }, () => {
  let server: DriftlessServer;
  let kubectl: Kubectl | string;
  before(async () => {
    server = await DriftlessServer.start({ flags: ["--store", "memory"] });
    kubectl = await Kubectl.of("1.36", server.kubeconfig);
    const core = "/api/v1/namespaces/default";
    await server.fetch("POST", `${core}/configmaps`, { metadata: { name: "odd" }, data: odd });
    await server.fetch("POST", "/apis/apps/v1/namespaces/default/deployments", deployment);
  });
  after(() => server[Symbol.asyncDispose]());

  for (const command of commands) {
    it(command.join(" "), async (t) => {
      if (typeof kubectl === "string") return t.skip(kubectl);
      const ours = await new Verbs(server.kubeconfig).run(...command);
      const theirs = await kubectl.run(...command);
      deepEqual(ageless(ours), ageless(theirs));
    });
  }
});

/** Between the two some seconds pass. */
function ageless({ code, stdout, stderr }: Said): Said {
  return { code, stdout: stdout.replaceAll(/ {3,}(?:\d+[smh])+(?= |$)( *)/gm, "   AGE"), stderr };
}

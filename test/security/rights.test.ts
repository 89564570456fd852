// Who may do what: every verb of every kind, asked over HTTP by each of a few people, nodes and pods. What is expected
// is in testdata/rights.txt, a line for each kind, so that it can be read and compared with what one would want.

import { deepEqual, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Kind } from "../../src/api/kind.ts";
import { kinds } from "../../src/api/kinds.ts";
import { DriftlessServer, type HttpAnswer } from "../support/driftless-server.ts";

const expected = new URL("testdata/rights.txt", import.meta.url);

/** As the table writes them. */
const letters: ReadonlyMap<string, string> = new Map([
  ["get", "g"],
  ["list", "l"],
  ["watch", "w"],
  ["create", "c"],
  ["update", "u"],
  ["patch", "p"],
  ["delete", "d"],
  ["deletecollection", "D"],
]);

interface Subject {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Impersonated by the admin: rights do not ask where an identity came from. */
const subjects: readonly Subject[] = [
  { name: "admin", headers: { "impersonate-user": "ann" } },
  { name: "edit", headers: { "impersonate-user": "ed" } },
  { name: "view", headers: { "impersonate-user": "vic" } },
  { name: "nobody", headers: { "impersonate-user": "nobody" } },
  { name: "anonymous", headers: { "impersonate-user": "system:anonymous" } },
  {
    name: "node",
    headers: { "impersonate-user": "system:node:n1", "impersonate-group": "system:nodes" },
  },
];

const people = { ann: "admin", ed: "edit", vic: "view" } as const;

let server: DriftlessServer;

before(async () => {
  server = await DriftlessServer.start({ flags: ["--store", "memory"] });
  await must("POST", "/api/v1/namespaces", { metadata: { name: "shop" } });
  for (const [name, role] of Object.entries(people)) {
    await must("POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/shop/rolebindings", {
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name }],
    });
  }
});

after(async () => server?.[Symbol.asyncDispose]());

async function must(method: string, path: string, body: unknown): Promise<HttpAnswer> {
  const answer = await server.fetch(method, path, body);
  ok(answer.status < 300, answer.text);
  return answer;
}

function pathOf({ group, version, namespaced, resource }: Kind): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespaced ? "/namespaces/shop" : ""}/${resource}`;
}

/** Nothing happens: what is written is dry, and about nothing. */
function ask(kind: Kind, verb: string, { headers }: Subject): Promise<HttpAnswer> {
  const path = pathOf(kind);
  const one = `${path}/nothing`;
  const dry = "?dryRun=All";
  const patch = { ...headers, "content-type": "application/merge-patch+json" };
  const body = {
    apiVersion: kind.group === "" ? kind.version : `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name: "nothing" },
  };
  switch (verb) {
    case "get":
      return server.fetch("GET", one, undefined, headers);
    case "list":
      return server.fetch("GET", path, undefined, headers);
    case "watch":
      // A watch that is allowed would go on: a bad version ends it, after rights were asked.
      return server.fetch("GET", `${path}?watch=true&resourceVersion=bad`, undefined, headers);
    case "create":
      return server.fetch("POST", path + dry, body, headers);
    case "update":
      return server.fetch("PUT", one + dry, body, headers);
    case "patch":
      return server.fetch("PATCH", one + dry, {}, patch);
    case "delete":
      return server.fetch("DELETE", one + dry, undefined, headers);
    default:
      return server.fetch("DELETE", path + dry, undefined, headers);
  }
}

function isRefused({ status, text }: HttpAnswer, verb: string): boolean {
  return status === 401 || (status === 403 && text.includes(` cannot ${verb} resource `));
}

async function rightsOf(kind: Kind, subject: Subject): Promise<string> {
  let may = "";
  for (const verb of kind.verbs.toSorted(byLetter)) {
    const answer = await ask(kind, verb, subject);
    if (!isRefused(answer, verb)) may += letters.get(verb) ?? "?";
  }
  return may === "" ? "-" : may;
}

function byLetter(a: string, b: string): number {
  const order = [...letters.keys()];
  return order.indexOf(a) - order.indexOf(b);
}

describe("Rights", () => {
  it("are as the table says, for every verb of every kind", async () => {
    const rows: string[][] = [["kind", ...subjects.map(({ name }) => name)]];
    for (const kind of kinds) {
      const row = [kind.group === "" ? kind.resource : `${kind.resource}.${kind.group}`];
      for (const subject of subjects) row.push(await rightsOf(kind, subject));
      rows.push(row);
    }
    const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
    const lines = rows.map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths?.[i] ?? 0))
        .join("  ")
        .trimEnd(),
    );
    const wanted = readFileSync(expected, "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    deepEqual(lines, wanted);
  });
});

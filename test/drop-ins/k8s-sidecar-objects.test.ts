// Which objects a stand-in for k8s-sidecar follows, and what files they become: real processes with its variables, against a real API server.
// What a title says in front of ":" is what docs/drop-ins.md says of the variable; drop-ins-doc.test.ts holds them against each other.

import { deepEqual, equal, match } from "node:assert/strict";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { DropInScene, type Program } from "./drop-in-scene.ts";
import { ObjectServer } from "./object-server.ts";

const x = { app: "x" };
const rights = (...verbs: readonly string[]) => [{ resources: ["configmaps", "secrets"], verbs }];

describe("driftless sidecar in place of k8s-sidecar, its objects", { timeout: 200_000 }, () => {
  let scene: DropInScene;
  let server: ObjectServer;
  const programs = new Map<string, Program>();

  /** One that writes to the folder of its name. */
  function start(name: string, env: Readonly<Record<string, string>>): Program {
    const common = { FOLDER: scene.join(name), HEALTH_PORT: "0", KUBECONFIG: server.kubeconfig() };
    const program = scene.start({ env: { ...common, ...env } });
    programs.set(name, program);
    return program;
  }

  async function shows(name: string, files: readonly string[]): Promise<void> {
    const text = files.toSorted().join(" ");
    const what = (): string => scene.list(name).join(" ");
    try {
      await programs.get(name)?.until(`${name} has ${text}`, () => what() === text);
    } catch (err) {
      throw new Error(`${name} has ${what()}`, { cause: err });
    }
  }

  before(async () => {
    scene = new DropInScene();
    server = await ObjectServer.start("one", "two");
    await server.apply("configmaps/default/a", { labels: x, data: { "a.txt": "a", same: "map" } });
    await server.apply("configmaps/default/b", { labels: { app: "y" }, data: { "b.txt": "b" } });
    await server.apply("configmaps/default/bare", { data: { "bare.txt": "bare" } });
    await server.apply("secrets/default/s", { labels: x, data: { "s.txt": "s", same: "secret" } });
    await server.apply("configmaps/one/c", {
      labels: { app: "z" },
      binaryData: { "c.bin": Buffer.from([0, 255]).toString("base64") },
    });
    await server.apply("configmaps/two/d", {
      labels: { app: "y" },
      annotations: { "k8s-sidecar-target-directory": "below" },
      data: { "d.txt": "d" },
    });
    await server.apply("secrets/two/t", {
      labels: x,
      annotations: {
        "example.com/dir": scene.join("elsewhere"),
        "k8s-sidecar-target-directory": "no",
      },
      data: { "t.txt": "t" },
    });
    mkdirSync(scene.join("plain"));
    writeFileSync(scene.join("plain/others.txt"), "of somebody else");
    writeFileSync(scene.join("plain/b.txt"), "left by somebody");
    start("plain", { LABEL: "app", NAMESPACE: "" });
    start("chosen", {
      ...{ LABEL: "app in (x, y, z),!missing", NAMESPACE: " one , two", RESOURCE: "both" },
      ...{
        UNIQUE_FILENAMES: "TRUE",
        DEFAULT_FILE_MODE: "440",
        FOLDER_ANNOTATION: "example.com/dir",
      },
    });
    start("all", {
      ...{ LABEL: "app", LABEL_VALUE: "y", NAMESPACE: "ALL", RESOURCE_NAME: "a", METHOD: "list" },
    });
    start("both", { LABEL: "app", LABEL_VALUE: "x", RESOURCE: "both", METHOD: "WATCH" });
    start("secrets", { LABEL: "app", RESOURCE: "secret", METHOD: "SLEEP", SLEEP_TIME: "3600" });
  });

  after(async () => {
    await scene[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it("LABEL same: without LABEL_VALUE any value will do, and it may be a whole selector", async () => {
    await shows("plain", ["a.txt", "b.txt", "others.txt", "same"]);
    const unique = (what: string): string => `namespace_${what}`;
    await shows("chosen", [unique("one.configmap_c.c.bin"), unique("two.configmap_d.d.txt")]);
  });

  it("LABEL_VALUE same: only objects with that value", async () => {
    await shows("all", ["b.txt", "below"]);
    await shows("both", ["a.txt", "s.txt", "same"]);
  });

  it("FOLDER same: what others wrote stays, what is in the way of a file is replaced", async () => {
    await shows("plain", ["a.txt", "b.txt", "others.txt", "same"]);
    await programs.get("plain")?.until("it is replaced", () => scene.read("plain/b.txt") === "b");
    equal(scene.read("plain/others.txt"), "of somebody else");
  });

  it("FOLDER_ANNOTATION same: below the folder by default, or any directory that another annotation names", async () => {
    await shows("all", ["b.txt", "below"]);
    // The directory is there before the file in it.
    await programs.get("all")?.until("it is below", () => scene.read("all/below/d.txt") === "d");
    await programs
      .get("chosen")
      ?.until("it is elsewhere", () => scene.list("elsewhere").length > 0);
    equal(scene.read("elsewhere/namespace_two.secret_t.t.txt"), "t");
  });

  it("FOLDER_ANNOTATION same: files move when it changes", async () => {
    const data = { "d.txt": "d" };
    await server.apply("configmaps/two/d", {
      ...{ labels: { app: "y" }, data },
      annotations: { "k8s-sidecar-target-directory": "deep/er/" },
    });
    await shows("all", ["b.txt", "deep"]);
    equal(scene.read("all/deep/er/d.txt"), "d");
  });

  it("NAMESPACE same: a list, or ALL", async () => {
    await shows("chosen", ["namespace_one.configmap_c.c.bin", "namespace_two.configmap_d.d.txt"]);
    await shows("all", ["b.txt", "deep"]);
  });

  it("NAMESPACE better: blanks around commas do no harm, and empty is the own one", async () => {
    // "chosen" has blanks in its list, "plain" an empty one.
    await shows("chosen", ["namespace_one.configmap_c.c.bin", "namespace_two.configmap_d.d.txt"]);
    await shows("plain", ["a.txt", "b.txt", "others.txt", "same"]);
  });

  it("RESOURCE same: configmap by default, secret, or both", async () => {
    await shows("plain", ["a.txt", "b.txt", "others.txt", "same"]);
    await shows("secrets", ["s.txt", "same"]);
    await shows("both", ["a.txt", "s.txt", "same"]);
    equal(scene.read("secrets/same"), "secret");
  });

  it("RESOURCE better: of two files with one name the ConfigMap's counts, whichever comes last", async () => {
    equal(scene.read("both/same"), "map");
    const data = { "s.txt": "s2", same: "the secret is newer" };
    await server.apply("secrets/default/s", { labels: x, data });
    await programs.get("both")?.until("it is there", () => scene.read("both/s.txt") === "s2");
    equal(scene.read("both/same"), "map");
  });

  it("UNIQUE_FILENAMES same: namespace, kind and name of the object are in front", async () => {
    equal(scene.read("chosen/namespace_two.configmap_d.d.txt"), "d");
    equal(scene.read("elsewhere/namespace_two.secret_t.t.txt"), "t");
  });

  it("DEFAULT_FILE_MODE same: 440 if it says so, 644 without it, for Secrets as well", () => {
    const mode = (name: string): string => (statSync(scene.join(name)).mode & 0o7777).toString(8);
    equal(mode("chosen/namespace_one.configmap_c.c.bin"), "440");
    equal(mode("elsewhere/namespace_two.secret_t.t.txt"), "440");
    deepEqual([mode("plain/a.txt"), mode("secrets/s.txt")], ["644", "644"]);
  });

  it("DEFAULT_FILE_MODE better: a file is never there with another mode, not even for a moment", async () => {
    const file = "chosen/namespace_two.configmap_d.d.txt";
    const modes = new Set<number>();
    const look = (): string | undefined => {
      modes.add(statSync(scene.join(file)).mode & 0o7777);
      return scene.read(file);
    };
    for (let round = 0; round < 5; round++) {
      const text = `${round}`.repeat(100_000);
      await server.apply("configmaps/two/d", { labels: { app: "y" }, data: { "d.txt": text } });
      const isThere = (): boolean => {
        // Many looks for each turn of the loop: a moment is short.
        for (let looks = 0; looks < 50; looks++) if (look() === text) return true;
        return false;
      };
      await programs.get("chosen")?.until(`round ${round}`, isThere);
    }
    deepEqual([...modes], [0o440]);
  });

  it("METHOD same: anything else than LIST or SLEEP watches", async () => {
    await server.apply("configmaps/default/a", { labels: x, data: { "a.txt": "a2", same: "map" } });
    for (const name of ["plain", "both"]) {
      await programs.get(name)?.until("it is there", () => scene.read(`${name}/a.txt`) === "a2");
    }
    // "list" is not LIST, which is said.
    match(programs.get("all")?.log ?? "", /METHOD is \\"list\\", which means to watch/);
    equal(programs.get("all")?.hasEnded, false);
  });

  it("METHOD same: LIST is one round, and ends with 0", async () => {
    const list = { LABEL: "app", LABEL_VALUE: "y", METHOD: "LIST", SLEEP_TIME: "3600" };
    equal(await start("listed", list).ended(), 0);
    await shows("listed", ["b.txt"]);
  });

  it("METHOD better: SLEEP sees changes at once, where the account may watch", async () => {
    await server.apply("secrets/default/s", { labels: x, data: { "s.txt": "s3" } });
    await shows("secrets", ["s.txt"]);
    equal(scene.read("secrets/s.txt"), "s3");
  });

  it("METHOD better: SLEEP lists, where the account may do nothing else", async () => {
    const token = await server.account("one", "lister", rights("list"));
    const KUBECONFIG = server.kubeconfig({ token, namespace: "one" });
    start("sleeping", { LABEL: "app", METHOD: "SLEEP", SLEEP_TIME: "1", KUBECONFIG });
    await shows("sleeping", ["c.bin"]);
    await server.apply("configmaps/one/later", { labels: x, data: { later: "1" } });
    await shows("sleeping", ["c.bin", "later"]);
    await server.remove("configmaps/one/later");
    await shows("sleeping", ["c.bin"]);
    // That the server takes its time may be said.
    const problems = (programs.get("sleeping")?.log ?? "")
      .split("\n")
      .filter((line) => line.includes('"stage":"source"') && !line.includes("has not yet told of"));
    deepEqual(
      problems.filter((line) => !line.includes("problem is over")),
      [],
    );
  });

  it("SLEEP_TIME same: names are looked at this often, where the account may only get them", async () => {
    const token = await server.account("one", "getter", rights("get"));
    const KUBECONFIG = server.kubeconfig({ token, namespace: "one" });
    start("named", {
      ...{ LABEL: "ignored", RESOURCE: "both", RESOURCE_NAME: "c,secret/pass", SLEEP_TIME: "1" },
      KUBECONFIG,
    });
    await shows("named", ["c.bin"]);
    await server.apply("secrets/one/pass", { data: { word: "1" } });
    await shows("named", ["c.bin", "word"]);
    await server.remove("secrets/one/pass");
    await shows("named", ["c.bin"]);
  });

  it("RESOURCE_NAME better: the kind is heeded, and changes are seen at once where the account may watch", async () => {
    await server.apply("secrets/two/only", { data: { secret: "1" } });
    await server.apply("configmaps/two/only", { data: { map: "1" } });
    start("watched", {
      ...{ LABEL: "app", RESOURCE: "both", SLEEP_TIME: "3600", NAMESPACE: "two,default" },
      ...{ RESOURCE_NAME: "two/secret/only,default/configmap/bare" },
    });
    await shows("watched", ["bare.txt", "secret"]);
    await server.apply("secrets/two/only", { data: { secret: "1", more: "2" } });
    await shows("watched", ["bare.txt", "more", "secret"]);
  });

  it("RESOURCE_NAME better: a kind without a name has no objects, instead of all with the label", async () => {
    start("maps", { LABEL: "app", RESOURCE: "both", RESOURCE_NAME: "configmap/bare" });
    await shows("maps", ["bare.txt"]);
    const maps = programs.get("maps");
    await maps?.until("it is said", () => maps.log.includes("configuration is live"));
    match(maps?.log ?? "", /"files":1/);
  });

  it("RESOURCE_NAME same: has no effect with NAMESPACE=ALL, which is said", async () => {
    await shows("all", ["b.txt", "d.txt"]);
    match(programs.get("all")?.log ?? "", /RESOURCE_NAME has no effect with NAMESPACE=ALL/);
  });

  it("FOLDER better: what was written before a restart is known, and removed when its object is gone", async () => {
    await programs.get("plain")?.kill();
    await server.remove("configmaps/default/b");
    start("plain", { LABEL: "app", NAMESPACE: "" });
    await shows("plain", ["a.txt", "others.txt", "same"]);
  });

  it("FOLDER same: several with different labels may share one, and leave each other's files alone", async () => {
    for (const label of ["left", "right"]) {
      const labels = { [label]: "" };
      await server.apply(`configmaps/default/${label}`, { labels, data: { [label]: "1" } });
      const program = start(label, { LABEL: label, FOLDER: scene.join("shared") });
      programs.set("shared", program);
    }
    await shows("shared", ["left", "right"]);
    await server.remove("configmaps/default/left");
    await shows("shared", ["right"]);
    await server.apply("configmaps/default/right", { labels: { right: "" }, data: { other: "1" } });
    await shows("shared", ["other"]);
  });

  it("FOLDER better: a second one with the same objects is told who has it, and ends", async () => {
    const second = start("second", { LABEL: "right", FOLDER: scene.join("shared") });
    equal(await second.ended(), 1);
    match(second.log, /Another sidecar has .*: process \d+/);
    await shows("shared", ["other"]);
  });

  it("--dry-run and --explain stand beside its variables, show what would be, and touch nothing", async () => {
    const env = { LABEL: "app", LABEL_VALUE: "x", RESOURCE: "both", FOLDER: scene.join("dry") };
    const KUBECONFIG = server.kubeconfig();
    const [dry, explained] = ["--dry-run", "--explain"].map((flag) =>
      scene.start({ argv: ["--as", "k8s-sidecar", flag], env: { ...env, KUBECONFIG } }),
    );
    equal(await dry?.ended(), 0);
    match(dry?.log ?? "", /a\.txt: new/);
    match(dry?.log ?? "", /s\.txt: new, a secret/);
    equal(await explained?.ended(), 0);
    match(explained?.log ?? "", /configmap\/a in default/);
    deepEqual(
      readdirSync(scene.path).filter((name) => name.includes("dry")),
      [],
    );
  });

  it("FOLDER_ANNOTATION better: one that leads nowhere is said, and keeps no other file from being written", async () => {
    const nowhere = { nowhere: "/proc/nowhere", file: "b.txt", odd: "..data/\u0000" };
    for (const [name, folder] of Object.entries(nowhere)) {
      await server.apply(`configmaps/default/${name}`, {
        ...{ labels: { app: "y" }, data: { [name]: "1" } },
        annotations: { "k8s-sidecar-target-directory": folder },
      });
    }
    await server.apply("configmaps/default/b", { labels: { app: "y" }, data: { "b.txt": "b3" } });
    const all = programs.get("all");
    await all?.until("it is there", () => scene.read("all/b.txt") === "b3");
    for (const name of Object.keys(nowhere)) {
      await all?.until(`${name} is said`, () =>
        new RegExp(`${name}.*(left out|Cannot write)|Cannot write.*${name}`).test(all.log),
      );
    }
    for (const name of Object.keys(nowhere)) await server.remove(`configmaps/default/${name}`);
    await all?.until("the problem is over", () => /problem is over/.test(all.log));
  });
});

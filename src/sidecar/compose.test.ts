import { deepEqual, equal, match } from "node:assert/strict";
import { describe, it } from "node:test";
import { compose } from "./compose.ts";
import { readCompose } from "./compose-file.ts";
import type { SourceContent, SourceFile } from "./source.ts";
import { contentOf } from "./sources/kept-state.ts";

type Files = Readonly<Record<string, string | Partial<SourceFile>>>;

function content(files: Files, isSecret = false): SourceContent {
  const entries = Object.entries(files).map(([name, file]): [string, SourceFile] => {
    const more = typeof file === "string" ? { data: Buffer.from(file) } : file;
    return [name, { data: Buffer.from("x"), isSecret, origin: "test", ...more }];
  });
  return contentOf(new Map(entries));
}

const SOURCES = "sources: {app: /app, db: {secret: db, optional: true}}\noutput: {files: /out}\n";

function made(
  files: string,
  sources: Readonly<Record<string, SourceContent | undefined>>,
  head = SOURCES,
) {
  const contents = new Map(Object.entries({ app: content({}), db: content({}), ...sources }));
  return compose(readCompose(`${head}files:\n${files}`, "compose.yaml"), {
    contents,
    variables: { A: "1" },
  });
}

function filesOf(result: ReturnType<typeof compose>): Record<string, string> {
  if ("problems" in result) throw new Error(result.problems.join("\n"));
  const { files } = result.candidate;
  return Object.fromEntries(
    [...files].map(([path, { data, mode }]) => [
      path,
      `${mode.toString(8)} ${Buffer.from(data).toString()}`,
    ]),
  );
}

function problemsOf(result: ReturnType<typeof compose>): readonly string[] {
  return "problems" in result ? result.problems : [];
}

describe("compose", () => {
  it("copies, renames and puts globs into directories", () => {
    const app = content({ "a.yaml": "1", "b.yaml": "2", "c.txt": "3", "d/e.yaml": "4" });
    const files =
      "- app/c.txt\n- {path: rules/, copy: app/*.yaml, rename: {match: '^(.*)\\.yaml$', to: '$1.yml'}}\n- {copy: app/d/*.yaml}";
    deepEqual(filesOf(made(files, { app })), {
      "c.txt": "644 3",
      "e.yaml": "644 4",
      "rules/a.yml": "644 1",
      "rules/b.yml": "644 2",
    });
  });

  it("lets later entries replace earlier ones", () => {
    deepEqual(filesOf(made("- {path: x, text: a}\n- {path: ./x, text: b}", {})), { x: "644 b" });
  });

  it("gives everything that a Secret went into to its owner alone, unless told otherwise", () => {
    const app = content({ "a.yaml": "a: 1", t: "{{ db.p }}", plain: "{{ app.t | size }}" });
    const db = content({ p: "b: 2" }, true);
    const files = [
      "- {path: merged.yaml, merge: [app/a.yaml, db/p]}",
      "- {path: rendered, template: app/t}",
      "- {path: other, template: app/plain}",
      "- {path: open, copy: db/p, mode: 0644}",
    ].join("\n");
    const result = made(files, { app, db });
    deepEqual(filesOf(result), {
      "merged.yaml": "600 a: 1\nb: 2\n",
      open: "644 b: 2",
      other: "644 10",
      rendered: "600 b: 2",
    });
    if ("made" in result) equal(result.made.get("open")?.isSecret, true);
  });

  it("names everything that is missing, together", () => {
    const app = content({ x: "1", y: "2" });
    deepEqual(problemsOf(made("- app/a\n- {path: b, merge: [app/b, app/x]}", { app })), [
      'file "a": source "app" has no "a"; it has "x", "y"',
      'file "b": source "app" has no "b"; it has "x", "y"',
    ]);
  });

  it("makes nothing while a source has never been there", () => {
    deepEqual(problemsOf(made("- {path: x, text: a}", { db: undefined })), [
      'source "db" has nothing yet',
    ]);
  });

  it("does without what an optional source does not have, and never makes an empty file of it", () => {
    const app = content({ "a.yaml": "a: 1" });
    const result = made(
      "- {path: x, merge: [app/a.yaml, db/b.yaml]}\n- db/c\n- {path: y, concat: db/d}",
      { app },
    );
    deepEqual(filesOf(result), { x: "644 a: 1\n" });
    if ("notes" in result) match(result.notes.join(), /"y" is left out/);
  });

  it("refuses a file that would be a directory too", () => {
    match(
      problemsOf(made("- {path: a, text: x}\n- {path: a/b, text: x}", {})).join(),
      /"a" would be a file/,
    );
  });

  it("substitutes, decodes, concatenates and writes pairs", () => {
    const app = content({ e: "v=$(A)", b: Buffer.from("hi").toString("base64"), K: "a b" });
    const files =
      "- {path: e, envsubst: app/e}\n- {path: b, copy: app/b, decode: base64}\n- {path: c, concat: [app/e, app/K]}\n- {path: k.env, dotenv: app/K}";
    deepEqual(filesOf(made(files, { app })), {
      b: "644 hi",
      c: "644 v=$(A)\na b",
      e: "644 v=1",
      "k.env": "644 K='a b'\n",
    });
  });

  it("has the same version for the same files, and another for another mode or owner", () => {
    const version = (files: string): string => {
      const result = made(files, { app: content({ x: "1", y: "2" }) });
      return "candidate" in result ? result.candidate.version : "";
    };
    equal(version("- app/x\n- app/y"), version("- app/y\n- app/x"));
    const all = ["- app/x", "- {copy: app/x, mode: 0600}", "- {copy: app/x, owner: 1}", "- app/y"];
    equal(new Set(all.map(version)).size, 4);
  });

  describe("with folders that annotations name", () => {
    const app = content({
      "team/a": { folder: "team" },
      "/out/abs/b": { folder: "/out/abs" },
      "../up/c": { folder: "../up" },
      "/etc/d": { folder: "/etc" },
    });

    it("puts files there, and leaves out what is outside without keeping the others away", () => {
      const result = made("- app/*", { app });
      deepEqual(Object.keys(filesOf(result)), ["abs/b", "team/a"]);
      if ("notes" in result) equal(result.notes.length, 2);
    });

    it("leaves out what would make a directory of somebody's file, and is a problem without an annotation", () => {
      const nested = content({ "app.conf": "1", "app.conf/x": { folder: "app.conf" } });
      const result = made("- app/**", { app: nested });
      deepEqual(Object.keys(filesOf(result)), ["app.conf"]);
      match("notes" in result ? result.notes.join() : "", /left out: "app.conf" would be a file/);
      const files = "- {copy: app/app.conf, path: x}\n- {copy: app/app.conf, path: x/y}";
      match(
        problemsOf(made(files, { app: content({ "app.conf": "1" }) })).join(),
        /would be a file/,
      );
    });

    it("goes outside where that is allowed", () => {
      const head = SOURCES.replace("/out", "/out, allowOutside: true");
      deepEqual(Object.keys(filesOf(made("- app/*", { app }, head))), [
        "/etc/d",
        "/up/c",
        "abs/b",
        "team/a",
      ]);
    });

    it("leaves out what no path can be, also outside", () => {
      const long = "x".repeat(300);
      const deep = "y/".repeat(1000);
      const folders = [`/etc/${long}`, long, `/etc/${deep}`, deep, "/..etc"];
      const hostile = Object.fromEntries(folders.map((folder) => [`${folder}/a`, { folder }]));
      for (const more of ["", ", allowOutside: true"]) {
        const result = made(
          "- app/**",
          { app: content({ "app.conf": "1", ...hostile }) },
          SOURCES.replace("/out", `/out${more}`),
        );
        deepEqual(Object.keys(filesOf(result)), ["app.conf"]);
        if ("notes" in result) equal(result.notes.length, folders.length);
      }
    });

    it("leaves out a file where others have a directory", () => {
      const nested = content({ "team/rules": { folder: "team" }, "x.yaml": "1" });
      const result = made("- app/team/*\n- app/**\n- {copy: app/x.yaml, path: team/rules/x.yaml}", {
        app: nested,
      });
      deepEqual(Object.keys(filesOf(result)), ["team/rules/x.yaml", "x.yaml"]);
      match("notes" in result ? result.notes.join() : "", /left out: "team\/rules" would be/);
    });
  });

  it("counts everything where nothing is written", () => {
    const spec = readCompose("sources: {app: /app}\noutput: none", "c");
    const version = (text: string): string => {
      const result = compose(spec, {
        contents: new Map([["app", content({ x: text })]]),
        variables: {},
      });
      return "candidate" in result ? result.candidate.version : "";
    };
    equal(version("1") === version("2"), false);
  });
});

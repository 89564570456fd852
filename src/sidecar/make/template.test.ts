import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "./make-error.ts";
import { rendered } from "./template.ts";

function input(text: string, isSecret = false): Input {
  return { address: "t/x", name: "x", data: Buffer.from(text), isSecret };
}

const sources = new Map([
  [
    "app",
    new Map([
      ["a.yaml", input("x: 1\nl: [a, b]")],
      ["name", input("web")],
    ]),
  ],
  ["db", new Map([["password", input("hunter2", true)]])],
  ["bin", new Map([["x", { ...input(""), data: Buffer.from([0xff, 0xfe]) }]])],
]);

function render(text: string, isSecret = false): { text: string; isSecret: boolean } {
  const made = rendered(input(text, isSecret), sources);
  return { text: Buffer.from(made.data).toString(), isSecret: made.isSecret };
}

describe("rendered", () => {
  it("shows files of sources, parsed where asked for", () => {
    const text =
      '{{ app.name }}:{% assign c = app["a.yaml"] | yaml %}{% for i in c.l %}{{ i }}{{ c.x }}{% endfor %}';
    deepEqual(render(text), { text: "web:a1b1", isSecret: false });
  });

  it("is secret exactly when it has read a secret", () => {
    equal(render("{{ db.password }}").isSecret, true);
    equal(render("{% if false %}{{ db.password }}{% endif %}").isSecret, false);
    equal(render("plain", true).isSecret, true);
  });

  const refused: readonly [text: string, why: RegExp][] = [
    ["{{ nope }}", /^MakeError: t\/x: 1:4: undefined variable: nope$/],
    ["\n{{ app.nope }}", /2:4: undefined variable: app\.nope/],
    ["{{ app.name | nope }}", /undefined filter: nope/],
    ['{% include "/etc/passwd" %}', /tag "include" not found/],
    ['{% render "/etc/passwd" %}', /tag "render" not found/],
    ['{% layout "/etc/passwd" %}', /tag "layout" not found/],
    ['{{ "now" | date: "%Y" }}', /undefined filter: date/],
    ["{{ app.constructor }}", /undefined variable/],
    ["{% if %}", /1:/],
    ["{{ bin.x }}", /not text/],
    ["{% for i in (1..1000000000) %}x{% endfor %}", /memory/],
    ["{% for i in (1..9999) %}{% for j in (1..9999) %}x{% endfor %}{% endfor %}", /render limit/],
  ];
  for (const [text, why] of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => throws(() => render(text), why));
  }

  it("takes a default for what is undefined", () => {
    equal(render('{{ app.nope | default: "x" }}').text, "x");
  });

  it("shows nothing of a secret in its errors", () => {
    const text = "{{ db.password | yaml | nope2: 1 }}";
    throws(
      () => render(`{{ db.password | json | json | toml }}${text}`),
      (err: Error) => !err.message.includes("hunter2"),
    );
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { changesBetween, type Files, mixed, type Settings, settingsOf } from "./settings.ts";

function files(values: Readonly<Record<string, string>>): Files {
  return new Map(Object.entries(values).map(([name, text]) => [name, Buffer.from(text)]));
}

function settings(
  variables: Readonly<Record<string, string>>,
  conf: Readonly<Record<string, string>>,
): Settings {
  return settingsOf({
    variables: new Map(Object.entries(variables)),
    environment: new Map([["/etc/env", files(variables)]]),
    directories: new Map([["/etc/app", files(conf)]]),
  });
}

test("settingsOf gives the same version to the same content, whatever its order", () => {
  const one = settings({ A: "1", B: "2" }, { x: "1", y: "2" });
  const other = settings({ B: "2", A: "1" }, { y: "2", x: "1" });
  assert.equal(one.version, other.version);
  assert.notEqual(one.version, settings({ A: "2", B: "1" }, { x: "1", y: "2" }).version);
});

test("settingsOf tells other variables from other files", () => {
  const one = settings({ A: "1" }, { x: "1" });
  const otherFiles = settings({ A: "1" }, { x: "2" });
  assert.equal(one.environmentVersion, otherFiles.environmentVersion);
  assert.notEqual(one.filesVersion, otherFiles.filesVersion);
  assert.notEqual(one.version, otherFiles.version);
});

test("mixed has the variables of one and the files of the other", () => {
  const [good, bad] = [settings({ A: "1" }, { x: "1" }), settings({ A: "2" }, { x: "2" })];
  assert.equal(mixed(good, bad).version, settings({ A: "1" }, { x: "2" }).version);
});

test("changesBetween names what came, went and changed, and shows no values", () => {
  const before = settings({ A: "secret", B: "1", C: "1" }, { x: "1", y: "1" });
  const after = settings({ A: "other", C: "1", D: "1" }, { x: "2", y: "1", z: "1" });
  assert.deepEqual(changesBetween(before, after), ["A", "B", "D", "/etc/app/x", "/etc/app/z"]);
  assert.deepEqual(changesBetween(before, before), []);
});

test("changesBetween names a file that is watched by itself once", () => {
  const one = (text: string): Settings =>
    settingsOf({
      variables: new Map(),
      environment: new Map(),
      directories: new Map([["/etc/app/conf", files({ conf: text })]]),
    });
  assert.deepEqual(changesBetween(one("1"), one("2")), ["/etc/app/conf"]);
});

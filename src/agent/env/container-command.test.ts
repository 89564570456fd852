import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { containerCommand, processEnvironment } from "./container-command.ts";

describe("containerCommand", () => {
  const image = { entrypoint: ["/entry", "$(A)"], cmd: ["cmd"] };
  const variables = new Map([["A", "1"]]);
  type Said = readonly string[] | undefined;
  const cases: readonly [command: Said, args: Said, argv: readonly string[]][] = [
    [undefined, undefined, ["/entry", "$(A)", "cmd"]],
    [[], [], ["/entry", "$(A)", "cmd"]],
    [["/run"], undefined, ["/run"]],
    [undefined, ["x", "$(A)"], ["/entry", "$(A)", "x", "1"]],
    [["/run", "$(A)$(B)"], ["$$(A)"], ["/run", "1$(B)", "$(A)"]],
  ];
  for (const [command, args, argv] of cases) {
    it(`runs ${argv.join(" ")} for command ${JSON.stringify(command)} and args ${JSON.stringify(args)}`, () => {
      const container = { command: command?.slice(), args: args?.slice() };
      assert.deepEqual(containerCommand({ container, image, variables }), argv);
    });
  }

  it("runs the image's arguments alone if it has no entrypoint", () => {
    const argv = containerCommand({
      container: {},
      image: { entrypoint: [], cmd: ["sh"] },
      variables,
    });
    assert.deepEqual(argv, ["sh"]);
  });

  it("fails if nobody says what to run", () => {
    const nothing = { entrypoint: [], cmd: [] };
    assert.throws(() => containerCommand({ container: {}, image: nothing, variables }), {
      message: "no command specified",
    });
  });
});

describe("processEnvironment", () => {
  it("lets the pod win over the image, and the image over the defaults", () => {
    const env = processEnvironment({
      image: { env: ["PATH=/app/bin", "MODE=image", "EMPTY=", "WITH=a=b", "broken"] },
      variables: new Map([
        ["MODE", "pod"],
        ["OWN", "x"],
      ]),
      hostname: "web",
      home: "/root",
      hasTty: false,
    });
    assert.deepEqual(env, [
      ["PATH", "/app/bin"],
      ["HOSTNAME", "web"],
      ["HOME", "/root"],
      ["MODE", "pod"],
      ["EMPTY", ""],
      ["WITH", "a=b"],
      ["OWN", "x"],
    ]);
  });
});

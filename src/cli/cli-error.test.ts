import { equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { notFound, StatusError, unauthorized } from "../api/status-error.ts";
import { CliError, errorText } from "./cli-error.ts";

const pods = { group: "", resource: "pods", kind: "Pod" };

function invalid(...messages: readonly string[]): StatusError {
  const causes = messages.map((message) => ({ field: "a.b", message }));
  const details = { kind: "Pod", name: "x", causes };
  return new StatusError({ code: 422, reason: "Invalid", message: "", details });
}

describe("What went wrong", () => {
  it("is told as kubectl tells it", () => {
    equal(errorText(notFound(pods, "x")), 'Error from server (NotFound): pods "x" not found');
    equal(errorText(unauthorized()), "error: You must be logged in to the server (Unauthorized)");
    equal(errorText(invalid("bad")), 'The Pod "x" is invalid: a.b: bad');
    equal(
      errorText(invalid("bad", "bad", "worse")),
      'The Pod "x" is invalid: \n* a.b: bad\n* a.b: worse',
    );
    equal(errorText(new CliError("Cannot do it")), "error: Cannot do it");
  });

  it("names the address of a server that is not there", () => {
    const cause = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    const err = new Error("Cannot reach the API server at https://127.0.0.1:8443", { cause });
    equal(
      errorText(err),
      "The connection to the server 127.0.0.1:8443 was refused - is it running, and is this the right host and port?",
    );
  });
});

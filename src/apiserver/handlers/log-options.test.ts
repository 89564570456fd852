import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { StatusError } from "../../api/status-error.ts";
import { logQuery } from "./log-options.ts";

function refusal(query: string): string {
  try {
    logQuery(new URLSearchParams(query), "web");
  } catch (err) {
    if (err instanceof StatusError) return `${err.code} ${err.message}`;
    throw err;
  }
  return "";
}

describe("logQuery", () => {
  it("passes on what the node has to know, and nothing else", () => {
    const asked = "container=a&follow=true&previous=false&tailLines=05&pretty=1&limitBytes=7";
    deepEqual(
      [...logQuery(new URLSearchParams(asked), "web")],
      [
        ["follow", "true"],
        ["tailLines", "5"],
        ["limitBytes", "7"],
      ],
    );
  });

  const cases: Readonly<Record<string, string>> = {
    "": "",
    "tailLines=0&sinceTime=2024-01-01T00:00:00Z&stream=All": "",
    "tailLines=-1":
      '422 PodLogOptions "web" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    "limitBytes=0":
      '422 PodLogOptions "web" is invalid: limitBytes: Invalid value: 0: must be greater than 0',
    "sinceSeconds=0":
      '422 PodLogOptions "web" is invalid: sinceSeconds: Invalid value: 0: must be greater than 0',
    "sinceSeconds=1&sinceTime=2024-01-01T00:00:00Z":
      '422 PodLogOptions "web" is invalid: : Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
    "stream=Other":
      '422 PodLogOptions "web" is invalid: stream: Unsupported value: "Other": supported values: "All", "Stderr", "Stdout"',
    "stream=Stdout&tailLines=1":
      '422 PodLogOptions "web" is invalid: : Forbidden: `tailLines` and specific `stream` are mutually exclusive for now',
    "tailLines=x": '400 strconv.ParseInt: parsing "x": invalid syntax',
    "tailLines=99999999999999999999":
      '400 strconv.ParseInt: parsing "99999999999999999999": value out of range',
    "sinceTime=yesterday":
      '400 parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
  };
  for (const [query, expected] of Object.entries(cases)) {
    it(`${expected === "" ? "takes" : "refuses"} "${query}"`, () =>
      equal(refusal(query), expected));
  }
});

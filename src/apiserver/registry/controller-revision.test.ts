import { describe } from "node:test";
import { itAccepts, itJudgesUpdates, itRefuses } from "./testing/refusals.ts";

const good = {
  apiVersion: "apps/v1",
  kind: "ControllerRevision",
  metadata: { name: "x" },
  data: { spec: { a: 1 } },
  revision: 1,
};

describe("ControllerRevision", () => {
  itAccepts(good);

  itRefuses(good, [
    ["no data", { data: null }, "data: Required value: data is mandatory"],
    ["data that is a list", { data: [] }, "data: Required value: data must be a valid JSON object"],
    [
      "a negative number",
      { revision: -1 },
      "revision: Invalid value: -1: must be greater than or equal to 0",
    ],
  ]);

  itJudgesUpdates(good, [
    [
      "changes the data",
      { data: { spec: { a: 2 } } },
      'data: Invalid value: {"spec":{"a":2}}: field is immutable',
    ],
    ["change the number", { revision: 2 }],
  ]);
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  configMapKey,
  dns1123Label,
  dns1123Subdomain,
  dns1123SubdomainWithUnderscore,
  envVarName,
  httpHeaderName,
  labelValue,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  nameIsPathSegment,
  ownerId,
  percent,
  portName,
  portNumber,
  qualifiedName,
  wildcardDns1123Subdomain,
} from "./names.ts";

const long = (length: number): string => "a".repeat(length);
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const namePart =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const key =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** A rule, and for each value what it says about it. */
const cases: readonly [
  (value: string) => readonly string[],
  Readonly<Record<string, readonly string[]>>,
][] = [
  [
    dns1123Subdomain,
    {
      a: [],
      "a.b-c.1": [],
      [long(253)]: [],
      "": [subdomain],
      "a..b": [subdomain],
      "-a": [subdomain],
      "a.-b": [subdomain],
      A: [subdomain],
      a_b: [subdomain],
      [long(254)]: ["must be no more than 253 characters"],
      [`${long(254)}_`]: ["must be no more than 253 characters", subdomain],
    },
  ],
  [
    dns1123Label,
    {
      a: [],
      "1-a": [],
      [long(63)]: [],
      "a.b": ["must not contain dots"],
      "": [label],
      "a-": [label],
      "a\n": [label],
      [long(64)]: ["must be no more than 63 characters"],
    },
  ],
  [
    dns1123SubdomainWithUnderscore,
    {
      "_a.b": [],
      "a.": [
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')",
      ],
    },
  ],
  [
    wildcardDns1123Subdomain,
    {
      "*.example.com": [],
      "example.com": [
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    },
  ],
  [
    qualifiedName,
    {
      a: [],
      "example.com/A_b.c": [],
      "bad key": [namePart],
      "": ["name part must be non-empty", namePart],
      "/a": ["prefix part must be non-empty"],
      "a/": ["name part must be non-empty", namePart],
      "A/a": [`prefix part ${subdomain}`],
      [long(64)]: ["name part must be no more than 63 bytes"],
      [`${long(254)}/a`]: ["prefix part must be no more than 253 bytes"],
      "a/b/c": [
        "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
      ],
    },
  ],
  [
    labelValue,
    {
      "": [],
      "My_value.1": [],
      [long(63)]: [],
      [long(64)]: ["must be no more than 63 bytes"],
      "bad value!": [
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      ],
    },
  ],
  [
    configMapKey,
    {
      ".hidden": [],
      "A.b-c_d": [],
      [long(253)]: [],
      [long(254)]: ["must be no more than 253 characters"],
      "": [key],
      "a/b": [key],
      ü: [key],
      ".": ["must not be '.'"],
      "..": ["must not be '..'"],
      "..data": ["must not start with '..'"],
      "../x": [key, "must not start with '..'"],
    },
  ],
  [
    envVarName,
    {
      "1bad": [],
      "a b:c": [],
      "": ["environment variable name must be non-empty"],
      "a=b": [
        "a valid environment variable name must consist only of printable ASCII characters other than '='",
      ],
      "a\tb": [
        "a valid environment variable name must consist only of printable ASCII characters other than '='",
      ],
    },
  ],
  [
    httpHeaderName,
    {
      "X-A": [],
      "X A": [
        "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
      ],
    },
  ],
  [
    percent,
    {
      "25%": [],
      "25": [
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      ],
    },
  ],
  [
    portName,
    {
      http: [],
      "1-a": [],
      [long(16)]: ["must be no more than 15 characters"],
      HTTP: [
        "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        "must contain at least one letter (a-z)",
      ],
      "80": ["must contain at least one letter (a-z)"],
      "a--b": ["must not contain consecutive hyphens"],
      "-a": ["must not begin or end with a hyphen"],
    },
  ],
  [
    (name) => nameIsPathSegment(name, false),
    {
      "system:node": [],
      ".": ["may not be '.'"],
      "..": ["may not be '..'"],
      "a/b%c": ["may not contain '/'", "may not contain '%'"],
    },
  ],
];

for (const [rule, values] of cases) {
  describe(`Rule ${rule.name || "nameIsPathSegment"}`, () => {
    for (const [value, texts] of Object.entries(values)) {
      const shown = JSON.stringify(
        value.length > 30 ? `${value.slice(0, 3)}… (${value.length})` : value,
      );
      it(`${texts.length === 0 ? "takes" : "refuses"} ${shown}`, () => {
        assert.deepEqual(rule(value), texts);
      });
    }
  });
}

describe("Name rules", () => {
  it("let a prefix end with a dash, because letters will follow", () => {
    assert.deepEqual(nameIsDnsSubdomain("gen-", true), []);
    assert.deepEqual(nameIsDnsSubdomain("gen-", false), [subdomain]);
    assert.deepEqual(nameIsDnsLabel("-", true), [label]);
    assert.deepEqual(nameIsPathSegment("..", true), []);
  });

  it("count bytes where they say characters", () => {
    assert.deepEqual(qualifiedName("ü".repeat(32)), [
      "name part must be no more than 63 bytes",
      namePart,
    ]);
  });

  it("limit ports and owners", () => {
    assert.deepEqual(portNumber(0), ["must be between 1 and 65535, inclusive"]);
    assert.deepEqual(portNumber(65_535), []);
    assert.deepEqual(ownerId(-1), ["must be between 0 and 2147483647, inclusive"]);
    assert.deepEqual(ownerId(2 ** 31 - 1), []);
  });

  it("decide long nonsense quickly: time grows with the length and not with its square", () => {
    fc.assert(
      fc.property(fc.constantFrom("a", "a.", "a-", "-", ".", "A_"), (part) => {
        const text = `${part.repeat(100_000)}/\n`;
        for (const [rule] of cases) assert.notEqual(rule(text).length, 0);
      }),
    );
  });
});

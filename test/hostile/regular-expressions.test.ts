// No text of a client makes a rule take time beyond all proportion. Every rule with a regular expression that sees what
// clients send gets texts that make careless ones try everything: a quadratic one takes seconds at this length.

import { ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { canonicalElement } from "../../src/api/apply/path-element.ts";
import { canonicalBase64 } from "../../src/api/decode-base64.ts";
import { canonicalTime } from "../../src/api/decode-time.ts";
import { imageTag } from "../../src/api/defaults/image-tag.ts";
import { parseQuantity } from "../../src/api/quantity.ts";
import { parseFieldSelector } from "../../src/api/selectors/field-selector.ts";
import { parseLabelSelector } from "../../src/api/selectors/label-selector-parser.ts";
import type { Node, Pod, Volume } from "../../src/api/types.ts";
import { cronScheduleError, timeZoneError } from "../../src/api/validation/cron-schedule.ts";
import { validateFieldRef } from "../../src/api/validation/env.ts";
import { FieldPath } from "../../src/api/validation/field-path.ts";
import { goQuote } from "../../src/api/validation/go-text.ts";
import { intOrPercentNumber } from "../../src/api/validation/int-or-percent.ts";
import { parseCidr, parseIp } from "../../src/api/validation/ip-address.ts";
import {
  configMapKey,
  dns1123SubdomainWithUnderscore,
  labelValue,
  percent,
  qualifiedName,
  wildcardDns1123Subdomain,
} from "../../src/api/validation/names.ts";
import { validateNode } from "../../src/api/validation/node.ts";
import { validatePod } from "../../src/api/validation/pod.ts";
import { sysctlConflict } from "../../src/api/validation/sysctl.ts";
import { overlapWarnings } from "../../src/api/validation/volume-warnings.ts";
import { plainYamlScalar } from "../../src/api/yaml-scalar.ts";
import { decodePlace } from "../../src/apiserver/handlers/continue-token.ts";
import { parseVersion } from "../../src/apiserver/handlers/list-options.ts";
import { mediaType } from "../../src/apiserver/http/media-type.ts";
import { originForm } from "../../src/apiserver/http/request-form.ts";

const LENGTH = 120_000;
const MAX_MS = 5000;

const repeat = (text: string): string => text.repeat(Math.ceil(LENGTH / text.length));
const texts: readonly string[] = [
  `${repeat("/")}x`,
  repeat("['"),
  `:${repeat(".")}:x`,
  `${repeat("a")}!`,
  `${repeat("a-")}!`,
  `${repeat("a.")}!`,
  `${repeat("a/")}!`,
  `a${repeat("-")}!`,
  `a${repeat("_")}!`,
  `${repeat("0")}x`,
  `${repeat(" ")}x`,
  `${repeat("\n")}x`,
  `${repeat('"')}x`,
  `"rv":${repeat(" ")}x`,
  `TZ=${repeat(" ")}`,
  `https://${repeat("a")}`,
];

const path = FieldPath.of("x");
const items = (text: string): Volume["projected"] => ({
  sources: [
    { configMap: { name: "a", items: [{ key: "k", path: text }] } },
    { secret: { name: "b", items: [{ key: "k", path: `${text}/y` }] } },
  ],
});

const rules: Readonly<Record<string, (text: string) => unknown>> = {
  parseIp,
  parseCidr,
  validateFieldRef: (fieldPath) => validateFieldRef({ apiVersion: "v1", fieldPath }, "env", path),
  overlapWarnings: (text) => overlapWarnings([{ name: "v", projected: items(text) }]),
  imageTag,
  qualifiedName,
  labelValue,
  configMapKey,
  percent,
  dns1123SubdomainWithUnderscore,
  wildcardDns1123Subdomain,
  cronScheduleError,
  timeZoneError,
  sysctlConflict: (name) => sysctlConflict(name, { containers: [] }),
  intOrPercentNumber,
  goQuote,
  parseQuantity,
  canonicalTime: (text) => canonicalTime(text, "time"),
  canonicalBase64,
  plainYamlScalar: (text) => plainYamlScalar(text, ""),
  canonicalElement,
  parseLabelSelector,
  parseFieldSelector,
  decodePlace: (text) => decodePlace(Buffer.from(`{${text}`).toString("base64url")),
  parseVersion,
  mediaType,
  originForm,
  validateNode: (name) => validateNode({ metadata: { name }, spec: { podCIDR: name } } as Node),
  validatePod: (text) =>
    validatePod({
      metadata: { name: text, annotations: { [text]: text }, labels: { a: text } },
      spec: {
        hostname: text,
        nodeName: text,
        securityContext: { sysctls: [{ name: text, value: text }] },
        hostAliases: [{ ip: text, hostnames: [text] }],
        containers: [{ name: text, image: text, env: [{ name: text }] }],
      },
    } as unknown as Pod),
};

describe("a rule judges long texts in time", () => {
  for (const [name, rule] of Object.entries(rules)) {
    it(`of ${name}`, () => {
      for (const text of texts) {
        const began = performance.now();
        try {
          rule(text);
        } catch {
          // Whether it is refused, and how, is not the question.
        }
        const ms = performance.now() - began;
        ok(ms < MAX_MS, `${ms.toFixed(0)} ms for ${JSON.stringify(text.slice(0, 12))}…`);
      }
    });
  }
});

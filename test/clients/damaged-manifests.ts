// Manifests with the mistakes that people and templates make: something missing, something twice, a quote, a bracket, a tab
// or a line too many or in the wrong column. About half of them are still YAML.

import fc from "fast-check";

const manifests = [
  `apiVersion: v1
kind: ConfigMap
metadata:
  name: web
  labels: {app: web, "tier": 'front end'}
  annotations:
    note: "a \\"quoted\\" text\\n"
data:
  site.conf: |
    server {
      listen: 8080;
    }
  folded: >-
    one
      two

    three
  empty:
`,
  `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: web
    image: nginx:1.27 # newest
    args: ["--port", "80", {a: b}]
    env:
      - name: A
        value: "1"
      - {name: B, valueFrom: {configMapKeyRef: {name: c, key: d}}}
    ports:
    - containerPort: 80
  volumes:
    -
      name: config
      configMap:
        name: web
        items: [
          {key: a, path: a},
        ]
`,
  `base: &base
  a: 1
  b: [c, d: e, "f": g, ? h : i]
more:
  <<: *base
  ? long key
  : !!str 12
  tagged: !local {x, y: z}
  'quoted
    on': two lines
text: plain text
  that goes on
literal: |+2
    deeper
  less
`,
  `- - a
  - b: c
    d: "\\x41\\u00e9"
-
  - !e%66 g
  - !<tag:h> i
- &j k
- *j
`,
];

/** Put in anywhere. What ends a document or begins JSON is left out: kubectl looks for that before its parser does. */
const pieces = [
  ...Array.from("\t '\"[]{}:-?#&*!|>%@`,\\x0~<é😀\u0085\u2028\u0007"),
  ...[
    "  ",
    ": ",
    "- ",
    "? ",
    " #",
    "\n",
    "\n\n",
    "\\x",
    "*base",
    "&j ",
    "!!str ",
    "!a!b ",
    "|2",
    ">-",
  ],
];

const damage = fc.record({
  how: fc.constantFrom(
    "cut",
    "put",
    "put",
    "end",
    "drop line",
    "double line",
    "shift line",
    "pull line",
  ),
  place: fc.nat(),
  length: fc.integer({ min: 1, max: 3 }),
  piece: fc.constantFrom(...pieces),
});

export function damagedManifests(count: number, seed: number): string[] {
  const manifest = fc
    .tuple(fc.constantFrom(...manifests), fc.array(damage, { minLength: 1, maxLength: 3 }))
    .map(([text, damages]) => damages.reduce(damaged, text));
  return fc.sample(manifest, { numRuns: count, seed });
}

interface Damage {
  readonly how: string;
  readonly place: number;
  readonly length: number;
  readonly piece: string;
}

function damaged(text: string, { how, place, length, piece }: Damage): string {
  if (how.endsWith("line"))
    return damagedLines(text.split("\n"), { how, place, length }).join("\n");
  // By characters, so that none is cut in two.
  const characters = Array.from(text);
  const at = place % (characters.length + 1);
  if (how === "end") return characters.slice(0, at).join("");
  if (how === "cut") return characters.toSpliced(at, length).join("");
  return characters.toSpliced(at, 0, piece).join("");
}

function damagedLines(
  lines: readonly string[],
  { how, place, length }: Omit<Damage, "piece">,
): string[] {
  const at = place % lines.length;
  const line = lines[at] ?? "";
  if (how === "drop line") return lines.toSpliced(at, 1);
  if (how === "double line") return lines.toSpliced((at * length) % lines.length, 0, line);
  if (how === "shift line") return lines.with(at, " ".repeat(length) + line);
  return lines.with(at, line.replace(/^ {1,2}/, length === 3 ? "\t" : ""));
}

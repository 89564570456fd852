import { equal, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import type { Look } from "./answers/look.ts";
import { changesText, contentDiffText } from "./content-diff.ts";

const plain: Look = { columns: undefined, hasColour: false, isUnicode: true };

function content(values: Readonly<Record<string, string | Buffer>>): Map<string, Buffer> {
  return new Map(Object.entries(values).map(([key, value]) => [key, Buffer.from(value)]));
}

const before = content({
  gone: "x",
  "log.level": "info",
  logo: Buffer.from([0xff, 0xfe]),
  "nginx.conf": "server {\n\tlisten 80;\n}\n",
  same: "1",
});
const after = content({
  "log.level": "debug",
  logo: Buffer.from([0xff, 0xfe, 0xfd]),
  new: "\u001b[31mred",
  "nginx.conf": "server {\n\tlisten 443;\n}\n",
  same: "1",
});

describe("contentDiffText", () => {
  it("shows each key that differs, as short as it can be", () => {
    equal(
      contentDiffText({ before, after, isSecret: false, look: plain }),
      `- gone: "x"
~ log.level: "info" -> "debug"
~ logo: 2 bytes -> 3 bytes (binary)
+ new: "\\u001b[31mred"
~ nginx.conf:
    @@ -1,3 +1,3 @@
     server {
    -\tlisten 80;
    +\tlisten 443;
     }
`,
    );
  });

  it("says of a Secret which keys differ, and nothing of values or their lengths", () => {
    equal(
      contentDiffText({ before, after, isSecret: true, look: plain }),
      [
        "- gone: removed",
        "~ log.level: changed",
        "~ logo: changed",
        "+ new: added",
        "~ nginx.conf: changed",
      ]
        .map((line) => `${line} (the value of a Secret is not shown)\n`)
        .join(""),
    );
  });

  it("says nothing where there is no difference", () => {
    equal(contentDiffText({ before, after: before, isSecret: false, look: plain }), "");
  });

  it("has colours where they can be seen", () => {
    const text = contentDiffText({
      before,
      after,
      isSecret: false,
      look: { ...plain, hasColour: true },
    });
    ok(text.includes("\u001b[31m- gone\u001b[0m"));
    ok(text.includes("    \u001b[32m+\tlisten 443;\u001b[0m\n"));
  });
});

describe("changesText", () => {
  it("is one line of signs and keys", () => {
    equal(
      changesText({ added: ["new"], changed: ["log.level"], removed: ["old"] }),
      "~log.level +new -old",
    );
    equal(changesText({}), "");
  });
});

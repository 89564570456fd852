import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod, PodSecurityContext, SecurityContext } from "../../api/types.ts";
import { containerUser, type ResolvedUser } from "./container-user.ts";

const passwd =
  "root:x:0:0:root:/root:/bin/sh\n# no line\napp:x:1000:2000::/home/app:/bin/sh\nbroken:x:y:z\n";
const group = "root:x:0:\napp:x:2000:\nextra:x:3000:other,app\nmore:x:3001:app\nops:x:4000:root\n";

interface Case {
  readonly pod?: PodSecurityContext;
  readonly container?: SecurityContext;
  readonly image?: string;
  readonly files?: Readonly<Record<string, string>>;
}

function userOf({ pod, container, image, files }: Case): Promise<ResolvedUser> {
  const of: Pod = {
    metadata: { name: "web", namespace: "shop", uid: "u1" },
    spec: { securityContext: pod },
    status: {},
  };
  const all = files ?? { "/etc/passwd": passwd, "/etc/group": group };
  return containerUser({
    pod: of,
    container: { name: "main", securityContext: container },
    imageUser: image ?? "",
    imageFile: (path) => Promise.resolve(all[path]),
  });
}

const where = '(pod: "web_shop(u1)", container: main)';

describe("containerUser", () => {
  const cases: readonly [
    what: string,
    Case,
    uid: number,
    gid: number,
    groups: readonly number[],
  ][] = [
    ["root without a word", {}, 0, 0, [4000]],
    ["the image's uid", { image: "1000" }, 1000, 2000, [3000, 3001]],
    ["a uid that the image does not know", { image: "77" }, 77, 0, []],
    ["the image's uid and gid", { image: "1000:5" }, 1000, 5, [3000, 3001]],
    ["the image's names", { image: "app:extra" }, 1000, 3000, [3000, 3001]],
    ["a name alone", { image: "app" }, 1000, 2000, [3000, 3001]],
    ["a group without a user", { image: ":extra" }, 0, 3000, [4000]],
    [
      "the pod's user over the image's, without its group",
      { pod: { runAsUser: 7 }, image: "app:extra" },
      7,
      0,
      [],
    ],
    [
      "the container's user over the pod's",
      { pod: { runAsUser: 7 }, container: { runAsUser: 8 } },
      8,
      0,
      [],
    ],
    ["the pod's group", { pod: { runAsUser: 7, runAsGroup: 9 } }, 7, 9, []],
    [
      "the container's group with the image's user",
      { pod: { runAsGroup: 9 }, container: { runAsGroup: 10 }, image: "app:extra" },
      1000,
      10,
      [3000, 3001],
    ],
    [
      "further groups, each once",
      { pod: { fsGroup: 5, supplementalGroups: [6, 5, 3000] }, image: "app" },
      1000,
      2000,
      [5, 6, 3000, 3001],
    ],
    [
      "no groups of the image under the strict policy",
      { pod: { supplementalGroups: [6], supplementalGroupsPolicy: "Strict" }, image: "app" },
      1000,
      2000,
      [6],
    ],
    [
      "a known user with groups of the image by its number",
      { pod: { runAsUser: 1000 } },
      1000,
      2000,
      [3000, 3001],
    ],
    ["an image without the two files", { image: "5:6", files: {} }, 5, 6, []],
    [
      "a non-root container with a user of its own",
      { container: { runAsNonRoot: true, runAsUser: 5 }, image: "app" },
      5,
      0,
      [],
    ],
    [
      "a non-root container with the image's number",
      { pod: { runAsNonRoot: true }, image: "1000" },
      1000,
      2000,
      [3000, 3001],
    ],
    [
      "root where the container takes the pod's ban away",
      { pod: { runAsNonRoot: true }, container: { runAsNonRoot: false } },
      0,
      0,
      [4000],
    ],
  ];
  for (const [what, of, uid, gid, supplementalGroups] of cases) {
    it(`runs as ${what}`, async () => {
      const { home: _, ...user } = await userOf(of);
      assert.deepEqual(user, { uid, gid, supplementalGroups });
    });
  }

  it("knows the home of users that the image knows", async () => {
    assert.equal((await userOf({ image: "app" })).home, "/home/app");
    assert.equal((await userOf({})).home, "/root");
    assert.equal((await userOf({ image: "77" })).home, "/");
  });

  const refusals: readonly [what: string, Case, message: string][] = [
    [
      "root by the image",
      { pod: { runAsNonRoot: true } },
      `container has runAsNonRoot and image will run as root ${where}`,
    ],
    [
      "user 0 by the image",
      { pod: { runAsNonRoot: true }, image: "0:5" },
      `container has runAsNonRoot and image will run as root ${where}`,
    ],
    [
      "a name",
      { container: { runAsNonRoot: true }, image: "app:5" },
      `container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root ${where}`,
    ],
    [
      "user 0 by the pod",
      { pod: { runAsNonRoot: true, runAsUser: 0 }, image: "5" },
      `container's runAsUser breaks non-root policy ${where}`,
    ],
    [
      "a number too large",
      { pod: { runAsNonRoot: true }, image: "2147483648" },
      `container has runAsNonRoot and image has an invalid user id (2147483648). (Must be 1-(2147483647)): must be between 0 and 2147483647, inclusive ${where}`,
    ],
    [
      "a name that the image does not know",
      { image: "nobody" },
      "unable to find user nobody: no matching entries in passwd file",
    ],
    [
      "a group that the image does not know",
      { image: "app:no" },
      "unable to find group no: no matching entries in group file",
    ],
  ];
  for (const [what, of, message] of refusals) {
    it(`refuses ${what}`, async () => {
      await assert.rejects(userOf(of), { message });
    });
  }
});

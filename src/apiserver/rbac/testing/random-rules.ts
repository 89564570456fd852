// Rules and actions from few words, so that they meet often.

import fc from "fast-check";
import type { PolicyRule } from "../../../api/types.ts";
import { type Action, nowhere } from "../../authorization.ts";
import type { UserInfo } from "../../user.ts";

const verbs = ["get", "list", "*"];
const groups = ["", "apps", "*"];
const resources = ["pods", "pods/log", "secrets", "*/log", "*"];
const names = ["a", "b"];
const paths = ["/a", "/a/b", "/a/*", "*"];

const some = (words: readonly string[], minLength: number): fc.Arbitrary<string[]> =>
  fc.uniqueArray(fc.constantFrom(...words), { minLength, maxLength: 3 });

const resourceRule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: some(verbs, 1),
  apiGroups: some(groups, 1),
  resources: some(resources, 1),
  resourceNames: some(names, 0),
});

const pathRule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: some(verbs, 1),
  nonResourceURLs: some(paths, 1),
});

export const anyRules: fc.Arbitrary<PolicyRule[]> = fc.array(fc.oneof(resourceRule, pathRule), {
  maxLength: 4,
});

export function anyAction(
  user: fc.Arbitrary<UserInfo>,
  namespace: fc.Arbitrary<string>,
): fc.Arbitrary<Action> {
  const onResource = fc.record({
    user,
    namespace,
    verb: fc.constantFrom("get", "list", "delete"),
    isResource: fc.constant(true),
    group: fc.constantFrom("", "apps", "batch"),
    version: fc.constant("v1"),
    resource: fc.constantFrom("pods", "secrets"),
    subresource: fc.constantFrom("", "log"),
    name: fc.constantFrom("", ...names, "c"),
    path: fc.constant(""),
  });
  const onPath = fc.record({
    user,
    verb: fc.constantFrom("get", "post"),
    path: fc.constantFrom("/a", "/a/b", "/c"),
  });
  return fc.oneof(
    onResource,
    onPath.map((asked) => ({ ...nowhere, isResource: false, ...asked })),
  );
}

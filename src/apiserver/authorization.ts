// May they? One question, one answer with a reason.

import type { NonResourceRule, ResourceRule } from "../api/types.ts";
import { AUTHENTICATED, MASTERS, type UserInfo } from "./user.ts";

/** What somebody wants to do: to a resource, or to another path. */
export interface Action {
  readonly user: UserInfo;
  readonly verb: string;
  readonly isResource: boolean;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Only if it is not a resource. */
  readonly path: string;
  /** What the field selector of a list or watch demands to be equal: "spec.nodeName" → "a". */
  readonly fields?: ReadonlyMap<string, string>;
}

/** The place of an action that is about no resource. */
export const nowhere = {
  group: "",
  version: "",
  namespace: "",
  resource: "",
  subresource: "",
  name: "",
} as const;

export interface Decision {
  /** "deny" is final; with "none" the next authorizer is asked, and if all say so it is refused. */
  readonly verdict: "allow" | "deny" | "none";
  /** Shown to the one who was refused, and in reviews. May be "". */
  readonly reason: string;
}

export interface Rules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** Why there may be more than these; absent if these are all. */
  readonly incomplete?: string;
}

export interface Authorizer {
  authorize(action: Action): Promise<Decision>;
  /** What this user may do in a namespace, for people to read. */
  rulesFor(user: UserInfo, namespace: string): Promise<Rules>;
}

const healthRule: NonResourceRule = {
  verbs: ["get"],
  nonResourceURLs: ["/healthz", "/livez", "/readyz", "/version", "/version/"],
};

const discoveryRule: NonResourceRule = {
  verbs: ["get"],
  nonResourceURLs: [
    "/api",
    "/api/*",
    "/apis",
    "/apis/*",
    "/healthz",
    "/livez",
    "/openapi",
    "/openapi/*",
    "/readyz",
    "/version",
    "/version/",
  ],
};

const selfRules: readonly ResourceRule[] = [
  {
    verbs: ["create"],
    apiGroups: ["authorization.k8s.io"],
    resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
  },
  { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
];

const everything: Rules = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};

/**
 * Masters may do everything, whoever is known may look around and ask what they may do, and anybody may see that the
 * server is well. Nobody else may do anything.
 */
export const builtInAuthorizer: Authorizer = {
  async authorize(action) {
    const isAllowed = rulesOf(action.user).some((rules) => isCovered(rules, action));
    return { verdict: isAllowed ? "allow" : "none", reason: "" };
  },

  async rulesFor(user) {
    const rules = rulesOf(user);
    return {
      resourceRules: rules.flatMap(({ resourceRules }) => resourceRules),
      nonResourceRules: rules.flatMap(({ nonResourceRules }) => nonResourceRules),
    };
  },
};

function rulesOf({ groups }: UserInfo): readonly Rules[] {
  const isKnown = groups.includes(AUTHENTICATED);
  return [
    ...(groups.includes(MASTERS) ? [everything] : []),
    ...(isKnown ? [{ resourceRules: selfRules, nonResourceRules: [discoveryRule] }] : []),
    { resourceRules: [], nonResourceRules: [healthRule] },
  ];
}

function isCovered(rules: Rules, action: Action): boolean {
  if (!action.isResource) {
    return rules.nonResourceRules.some(
      ({ verbs, nonResourceURLs }) =>
        includes(verbs, action.verb) &&
        (nonResourceURLs ?? []).some((url) => covers(url, action.path)),
    );
  }
  const resource =
    action.subresource === "" ? action.resource : `${action.resource}/${action.subresource}`;
  return rules.resourceRules.some(
    ({ verbs, apiGroups, resources }) =>
      includes(verbs, action.verb) &&
      includes(apiGroups, action.group) &&
      includes(resources, resource),
  );
}

function includes(list: readonly string[] | null | undefined, value: string): boolean {
  return list?.some((entry) => entry === "*" || entry === value) === true;
}

function covers(url: string, path: string): boolean {
  return url === "*" || (url.endsWith("*") ? path.startsWith(url.slice(0, -1)) : url === path);
}

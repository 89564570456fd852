// An audit policy from its YAML. Everything that is wrong with it is told at once, by line and field; a field that
// nobody knows is wrong too, because a rule with a misspelt condition would match more than it says.

import { isCollection, isNode, LineCounter, type ParsedNode, parseDocument } from "yaml";
import { isJsonObject, type JsonObject, type JsonValue } from "../../api/json.ts";
import { dns1123Subdomain } from "../../api/validation/names.ts";
import { auditLevels, auditStages } from "./audit-event.ts";
import type { AuditPolicy, AuditRule, GroupResources } from "./audit-policy.ts";

/** What is wrong with a policy, a line each. */
export class AuditPolicyError extends Error {
  override readonly name = "AuditPolicyError";
}

type Path = readonly (string | number)[];

interface Problem {
  readonly path: Path;
  readonly message: string;
}

/** Throws an AuditPolicyError that names `file`. */
export function parsePolicy(text: string, file: string): AuditPolicy {
  const lines = new LineCounter();
  // Version 1.1 reads `yes` as Kubernetes does.
  const document = parseDocument(text, { version: "1.1", merge: true, lineCounter: lines });
  const syntax = document.errors.map((error) => error.message.split("\n")[0] ?? "");
  if (syntax.length > 0) throw refusal(file, syntax);
  const reader = new PolicyReader();
  const policy = reader.policy(document.toJS() as JsonValue);
  if (reader.problems.length === 0) return policy;
  const lineOf = (path: Path): number => {
    const node = deepest(document.contents, path);
    return node?.range === undefined || node.range === null ? 1 : lines.linePos(node.range[0]).line;
  };
  const told = reader.problems.map(
    ({ path, message }) => `line ${lineOf(path)}: ${textOf(path)}${message}`,
  );
  throw refusal(file, told);
}

function refusal(file: string, problems: readonly string[]): AuditPolicyError {
  return new AuditPolicyError(`Cannot use the audit policy ${file}: ${problems.join("; ")}`);
}

/** The node at the path, or what is left of the way to it. */
function deepest(root: ParsedNode | null, path: Path): ParsedNode | undefined {
  let node: ParsedNode | undefined = root ?? undefined;
  for (const step of path) {
    const next: unknown = isCollection(node) ? node.get(step, true) : undefined;
    if (!isNode(next)) return node;
    node = next as ParsedNode;
  }
  return node;
}

/** rules[0].level, and a colon. */
function textOf(path: Path): string {
  if (path.length === 0) return "";
  const parts = path.map((step, i) =>
    typeof step === "number" ? `[${step}]` : i === 0 ? step : `.${step}`,
  );
  return `${parts.join("")}: `;
}

class PolicyReader {
  readonly problems: Problem[] = [];

  policy(value: JsonValue): AuditPolicy {
    const known = ["apiVersion", "kind", "metadata", "rules", "omitStages", "omitManagedFields"];
    const given = this.#object(value, [], known);
    this.#exactly(given, "apiVersion", "audit.k8s.io/v1");
    this.#exactly(given, "kind", "Policy");
    const rules = this.#list(given["rules"], ["rules"]);
    if (rules.length === 0) this.#say(["rules"], "Required value: a policy needs a rule");
    return {
      rules: rules.map((rule, i) => this.#rule(rule, ["rules", i])),
      omitStages: this.#stages(given["omitStages"], ["omitStages"]),
      omitManagedFields: this.#flag(given["omitManagedFields"], ["omitManagedFields"]) ?? false,
    };
  }

  #rule(value: JsonValue, path: Path): AuditRule {
    const given = this.#object(value, path, [
      "level",
      "users",
      "userGroups",
      "verbs",
      "resources",
      "namespaces",
      "nonResourceURLs",
      "omitStages",
      "omitManagedFields",
    ]);
    const strings = (name: string): readonly string[] =>
      this.#strings(given[name], [...path, name]);
    const rule: AuditRule = {
      level: this.#oneOf(given["level"], [...path, "level"], auditLevels) ?? "None",
      users: strings("users"),
      userGroups: strings("userGroups"),
      verbs: strings("verbs"),
      resources: this.#list(given["resources"], [...path, "resources"]).map((of, i) =>
        this.#resources(of, [...path, "resources", i]),
      ),
      namespaces: strings("namespaces"),
      nonResourceURLs: strings("nonResourceURLs"),
      omitStages: this.#stages(given["omitStages"], [...path, "omitStages"]),
      omitManagedFields: this.#flag(given["omitManagedFields"], [...path, "omitManagedFields"]),
    };
    this.#checkUrls(rule, [...path, "nonResourceURLs"]);
    return rule;
  }

  #checkUrls({ nonResourceURLs, resources, namespaces }: AuditRule, path: Path): void {
    if (nonResourceURLs.length > 0 && resources.length + namespaces.length > 0) {
      this.#say(path, "rules cannot apply to both regular resources and non-resource URLs");
    }
    for (const [i, url] of nonResourceURLs.entries()) {
      if (url !== "*" && !url.startsWith("/")) {
        this.#say([...path, i], "non-resource URL rules must begin with a '/' character");
      }
      if (url.slice(0, -1).includes("*")) {
        const text = "non-resource URL wildcards '*' must be the final character of the rule";
        this.#say([...path, i], text);
      }
    }
  }

  #resources(value: JsonValue, path: Path): GroupResources {
    const given = this.#object(value, path, ["group", "resources", "resourceNames"]);
    const [group = ""] = this.#strings([given["group"] ?? ""], [...path, "group"]);
    if (group !== "" && group !== "*") {
      for (const text of dns1123Subdomain(group)) this.#say([...path, "group"], text);
    }
    const resources = this.#strings(given["resources"], [...path, "resources"]);
    const resourceNames = this.#strings(given["resourceNames"], [...path, "resourceNames"]);
    if (resourceNames.length > 0 && resources.length === 0) {
      this.#say([...path, "resourceNames"], "using resourceNames requires at least one resource");
    }
    return { group, resources, resourceNames };
  }

  #stages(value: JsonValue | undefined, path: Path): AuditRule["omitStages"] {
    return this.#list(value, path).flatMap(
      (stage, i) => this.#oneOf(stage, [...path, i], auditStages) ?? [],
    );
  }

  #oneOf<T extends string>(
    value: JsonValue | undefined,
    path: Path,
    all: readonly T[],
  ): T | undefined {
    if (value === undefined || value === null || value === "") {
      this.#say(path, "Required value");
      return undefined;
    }
    const found = all.find((each) => each === value);
    if (found !== undefined) return found;
    const supported = all.map((each) => JSON.stringify(each)).join(", ");
    const text = `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`;
    this.#say(path, text);
    return undefined;
  }

  #exactly(given: JsonObject, name: string, wanted: string): void {
    const value = given[name];
    if (value === wanted) return;
    const found = value === undefined ? "nothing" : JSON.stringify(value);
    this.#say([name], `must be ${JSON.stringify(wanted)}, and is ${found}`);
  }

  #object(value: JsonValue | undefined, path: Path, known: readonly string[]): JsonObject {
    if (!isJsonObject(value)) {
      this.#say(path, "must be an object");
      return {};
    }
    for (const name of Object.keys(value)) {
      if (!known.includes(name)) this.#say([...path, name], "unknown field");
    }
    return value;
  }

  #list(value: JsonValue | undefined, path: Path): readonly JsonValue[] {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value;
    this.#say(path, "must be a list");
    return [];
  }

  #strings(value: JsonValue | undefined, path: Path): readonly string[] {
    return this.#list(value, path).flatMap((item, i) => {
      if (typeof item === "string") return item;
      this.#say([...path, i], "must be a string");
      return [];
    });
  }

  #flag(value: JsonValue | undefined, path: Path): boolean | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === "boolean") return value;
    this.#say(path, "must be true or false");
    return undefined;
  }

  #say(path: Path, message: string): void {
    this.problems.push({ path, message });
  }
}

// What names may look like. Each rule answers with the API's texts for what is wrong; no text means that it is right.

import { utf8Length } from "./utf8-length.ts";

/** Says what is wrong with a name. `prefix`: a suffix will be added to it, so a dash at its end is fine. */
export type NameRule = (name: string, prefix: boolean) => readonly string[];

const label1123 = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain1123 = `${label1123}(\\.${label1123})*`;
const underscoredLabel = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const underscoredSubdomain = `${underscoredLabel}(\\.${underscoredLabel})*`;
const qualifiedPart = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const qualifiedText =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

const isLabel1123 = whole(label1123);
const isSubdomain1123 = whole(subdomain1123);
const isUnderscoredSubdomain = whole(underscoredSubdomain);
const isQualifiedPart = whole(qualifiedPart);
const isWildcard = whole(`\\*\\.${subdomain1123}`);
const isLabelValueText = whole(`(${qualifiedPart})?`);
const isKey = whole("[-._a-zA-Z0-9]+");
const isHeader = whole("[-A-Za-z0-9]+");
const isPercentText = whole("[0-9]+%");
const isPortNameText = whole("[-a-z0-9]+");
const isRelaxedEnvText = whole("[ -<>-~]*");

/** Shared: names are judged often, and are nearly always right. */
const nothing: readonly string[] = [];
const maxLabel = 63;
const maxSubdomain = 253;

export function dns1123Label(value: string): readonly string[] {
  const errors = noLonger(value, maxLabel);
  if (isLabel1123.test(value)) return errors;
  if (isSubdomain1123.test(value)) return [...errors, "must not contain dots"];
  const text =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...errors, regexError(text, label1123, "my-name", "123-abc")];
}

export function dns1123Subdomain(value: string): readonly string[] {
  const errors = noLonger(value, maxSubdomain);
  if (isSubdomain1123.test(value)) return errors;
  return [...errors, subdomainError()];
}

export function dns1123SubdomainWithUnderscore(value: string): readonly string[] {
  const errors = noLonger(value, maxSubdomain);
  if (isUnderscoredSubdomain.test(value)) return errors;
  const text =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
  return [...errors, regexError(text, underscoredSubdomain, "example.com")];
}

export function wildcardDns1123Subdomain(value: string): readonly string[] {
  const errors = noLonger(value, maxSubdomain);
  if (isWildcard.test(value)) return errors;
  const text =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  return [...errors, regexError(text, `\\*\\.${subdomain1123}`, "*.example.com")];
}

/** Keys of labels and annotations, finalizers, resource names: `example.com/name` or `name`. */
export function qualifiedName(value: string): readonly string[] {
  const slash = value.indexOf("/");
  const name = slash === -1 ? value : value.slice(slash + 1);
  const isName = !longer(name, maxLabel) && isQualifiedPart.test(name);
  if (isName && slash === -1) return nothing;
  if (slash !== -1 && name.includes("/")) {
    const text = `a valid label key ${qualifiedPartError()}`;
    return [`${text} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const prefix = slash === -1 ? nothing : qualifiedPrefix(value.slice(0, slash));
  return isName ? prefix : [...prefix, ...qualifiedPartProblems(name)];
}

export function labelValue(value: string): readonly string[] {
  const isLong = longer(value, maxLabel);
  const isRight = isLabelValueText.test(value);
  if (isRight && !isLong) return nothing;
  const errors = isLong ? ["must be no more than 63 bytes"] : [];
  if (isRight) return errors;
  const text = `a valid label must be an empty string or ${qualifiedText.slice("must ".length)}`;
  return [...errors, regexError(text, `(${qualifiedPart})?`, "MyValue", "my_value", "12345")];
}

/** Keys of ConfigMaps and Secrets: names of files. */
export function configMapKey(value: string): readonly string[] {
  const isLong = longer(value, maxSubdomain);
  const isRight = isKey.test(value);
  const isReserved = value === "." || value.startsWith("..");
  if (isRight && !isLong && !isReserved) return nothing;
  const errors = [...noLonger(value, maxSubdomain)];
  if (!isRight) {
    const text = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    errors.push(regexError(text, "[-._a-zA-Z0-9]+", "key.name", "KEY_NAME", "key-name"));
  }
  if (value === "." || value === "..") errors.push(`must not be '${value}'`);
  else if (isReserved) errors.push("must not start with '..'");
  return errors;
}

/** Printable ASCII without "=". */
export function envVarName(value: string): readonly string[] {
  const errors = value === "" ? ["environment variable name must be non-empty"] : [];
  if (!isRelaxedEnvText.test(value)) {
    errors.push(
      "a valid environment variable name must consist only of printable ASCII characters other than '='",
    );
  }
  return errors;
}

export function httpHeaderName(value: string): readonly string[] {
  if (isHeader.test(value)) return [];
  const text = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return [regexError(text, "[-A-Za-z0-9]+", "X-Header-Name")];
}

export function percent(value: string): readonly string[] {
  if (isPercentText.test(value)) return [];
  const text = "a valid percent string must be a numeric string followed by an ending '%'";
  return [regexError(text, "[0-9]+%", "1%", "93%")];
}

export function portName(value: string): readonly string[] {
  const errors = [...noLonger(value, 15)];
  if (!isPortNameText.test(value)) {
    errors.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(value)) errors.push("must contain at least one letter (a-z)");
  if (value.includes("--")) errors.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) {
    errors.push("must not begin or end with a hyphen");
  }
  return errors;
}

export function portNumber(value: number): readonly string[] {
  return inRange(value, 1, 65535);
}

export function inRange(value: number, low: number, high: number): readonly string[] {
  return value >= low && value <= high
    ? nothing
    : [`must be between ${low} and ${high}, inclusive`];
}

/** A user or group id. */
export function ownerId(value: number): readonly string[] {
  return inRange(value, 0, 2 ** 31 - 1);
}

/** Names that only have to fit into a path, as those of RBAC. */
export const nameIsPathSegment: NameRule = (name, prefix) => {
  if (!prefix && (name === "." || name === "..")) return [`may not be '${name}'`];
  return ["/", "%"]
    .filter((part) => name.includes(part))
    .map((part) => `may not contain '${part}'`);
};

export const nameIsDnsSubdomain: NameRule = (name, prefix) =>
  dns1123Subdomain(prefix ? maskTrailingDash(name) : name);

export const nameIsDnsLabel: NameRule = (name, prefix) =>
  dns1123Label(prefix ? maskTrailingDash(name) : name);

export function regexError(text: string, regex: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${text} (regex used for validation is '${regex}')`;
  const told = examples.map((example) => `'${example}', `).join(" or ");
  return `${text} (e.g. ${told}regex used for validation is '${regex}')`;
}

function qualifiedPrefix(prefix: string): readonly string[] {
  if (prefix === "") return ["prefix part must be non-empty"];
  const isLong = longer(prefix, maxSubdomain);
  const isRight = isSubdomain1123.test(prefix);
  if (isRight && !isLong) return nothing;
  return [
    ...(isLong ? ["prefix part must be no more than 253 bytes"] : []),
    ...(isRight ? [] : [`prefix part ${subdomainError()}`]),
  ];
}

function qualifiedPartProblems(name: string): readonly string[] {
  const errors: string[] = [];
  if (name === "") errors.push("name part must be non-empty");
  else if (longer(name, maxLabel)) errors.push("name part must be no more than 63 bytes");
  if (!isQualifiedPart.test(name)) errors.push(`name part ${qualifiedPartError()}`);
  return errors;
}

function subdomainError(): string {
  const text =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return regexError(text, subdomain1123, "example.com");
}

function qualifiedPartError(): string {
  return regexError(qualifiedText, qualifiedPart, "MyName", "my.name", "123-abc");
}

function noLonger(value: string, max: number): readonly string[] {
  return longer(value, max) ? [`must be no more than ${max} characters`] : nothing;
}

/** Also where the text says characters, bytes are counted. */
function longer(value: string, max: number): boolean {
  return value.length * 3 > max && utf8Length(value) > max;
}

/** The last two characters become one that may stand at the end, as the API has it. */
function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}

function whole(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`);
}

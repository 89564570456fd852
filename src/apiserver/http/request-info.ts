// What a path asks for. The grammar of Kubernetes' paths is the router:
//
//   /api/v1/[watch/][namespaces/NS/]RESOURCE[/NAME[/SUBRESOURCE]]
//   /apis/GROUP/VERSION/…

export interface ResourceRequest {
  readonly is: "resource";
  readonly group: string;
  readonly version: string;
  /** "" for cluster scope and for lists across namespaces. */
  readonly namespace: string;
  readonly resource: string;
  /** "" for collections. */
  readonly name: string;
  /** "" for the object itself. What follows it in the path is ignored by all but proxies. */
  readonly subresource: string;
  /** The old form of watching, with /watch/ in the path. */
  readonly isWatchPath: boolean;
}

interface OtherRequest {
  readonly is: "other";
  /** Without a slash at the end. */
  readonly path: string;
}

export type RequestInfo = ResourceRequest | OtherRequest;

/** Undefined if the path is not valid percent-encoding. */
export function requestInfo(path: string): RequestInfo | undefined {
  const parts = decoded(path);
  if (parts === undefined) return undefined;
  const rest = afterVersion(parts);
  const [group = "", version = ""] = parts[0] === "api" ? ["", parts[1]] : parts.slice(1, 3);
  if (rest === undefined || rest.length === 0) {
    return { is: "other", path: `/${parts.join("/")}` };
  }
  const isWatchPath = rest[0] === "watch" && rest.length > 1;
  return {
    is: "resource",
    group,
    version,
    isWatchPath,
    ...target(isWatchPath ? rest.slice(1) : rest),
  };
}

function decoded(path: string): readonly string[] | undefined {
  const parts = path.split("/").filter((part) => part !== "");
  if (!path.includes("%")) return parts;
  try {
    return parts.map((part) => decodeURIComponent(part));
  } catch {
    return undefined; // Malformed: the caller answers that.
  }
}

function afterVersion(parts: readonly string[]): readonly string[] | undefined {
  if (parts[0] === "api") return parts.length > 2 ? parts.slice(2) : undefined;
  if (parts[0] === "apis") return parts.length > 3 ? parts.slice(3) : undefined;
  return undefined;
}

/** Subresources of namespaces; any other word behind a namespace is a resource in it. */
const ofNamespaces: ReadonlySet<string> = new Set(["status", "finalize"]);

function target(
  rest: readonly string[],
): Pick<ResourceRequest, "namespace" | "resource" | "name" | "subresource"> {
  const [first = "", second = "", third = "", fourth = "", fifth = ""] = rest;
  if (first !== "namespaces") {
    return { namespace: "", resource: first, name: second, subresource: third };
  }
  if (third === "" || ofNamespaces.has(third)) {
    return { namespace: second, resource: first, name: second, subresource: third };
  }
  return { namespace: second, resource: third, name: fourth, subresource: fifth };
}

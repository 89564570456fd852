// Names of images as people write them, and the one full name behind each: "nginx" is "docker.io/library/nginx:latest".
// The grammar is that of the registries' reference library.

export interface ImageName {
  /** "docker.io/library/nginx" */
  readonly repository: string;
  /** "" only where there is a digest. */
  readonly tag: string;
  /** "sha256:…", or "". */
  readonly digest: string;
}

/** The kubelet reports it as InvalidImageName. */
export class InvalidImageNameError extends Error {
  override readonly name = "InvalidImageNameError";

  constructor(given: string, why = "") {
    super(`couldn't parse image name ${JSON.stringify(given)}: invalid reference format${why}`);
  }
}

const MAX_REPOSITORY_LENGTH = 255;
const DEFAULT_DOMAIN = "docker.io";

const label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const DOMAIN = new RegExp(`^(?:${label}(?:\\.${label})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`);
const part = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const PATH = new RegExp(`^${part}(?:/${part})*$`);
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;

export function parseImageName(given: string): ImageName {
  const [name = "", digest, ...more] = given.split("@");
  if (more.length > 0 || (digest !== undefined && !DIGEST.test(digest))) {
    throw new InvalidImageNameError(given);
  }
  // A colon before the last slash is of a port.
  const colon = name.indexOf(":", name.lastIndexOf("/") + 1);
  const path = colon < 0 ? name : name.slice(0, colon);
  const tag = colon < 0 ? undefined : name.slice(colon + 1);
  if (tag !== undefined && !TAG.test(tag)) throw new InvalidImageNameError(given);
  const repository = repositoryOf(path, given);
  return { repository, tag: tag ?? (digest === undefined ? "latest" : ""), digest: digest ?? "" };
}

/** The same for all ways to write it. */
export function fullName({ repository, tag, digest }: ImageName): string {
  return `${repository}${tag && `:${tag}`}${digest && `@${digest}`}`;
}

function repositoryOf(path: string, given: string): string {
  const { domain, rest } = splitDomain(path);
  if (!PATH.test(rest)) {
    const isOnlyUpper = PATH.test(rest.toLowerCase());
    const why = isOnlyUpper ? `: repository name (${rest}) must be lowercase` : "";
    throw new InvalidImageNameError(given, why);
  }
  if (!DOMAIN.test(domain) || /^[0-9a-f]{64}$/.test(path)) throw new InvalidImageNameError(given);
  const repository = `${domain}/${rest}`;
  if (repository.length > MAX_REPOSITORY_LENGTH) {
    throw new InvalidImageNameError(
      given,
      `: repository name must not be more than 255 characters`,
    );
  }
  return repository;
}

/** The first part is a host if it looks like one; otherwise all of it is on Docker's registry. */
function splitDomain(path: string): { readonly domain: string; readonly rest: string } {
  const slash = path.indexOf("/");
  const first = path.slice(0, Math.max(0, slash));
  const isHost = /[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase();
  const domain = isHost && first !== "index.docker.io" ? first : DEFAULT_DOMAIN;
  const rest = isHost ? path.slice(slash + 1) : path;
  if (domain === DEFAULT_DOMAIN && !rest.includes("/")) return { domain, rest: `library/${rest}` };
  return { domain, rest };
}

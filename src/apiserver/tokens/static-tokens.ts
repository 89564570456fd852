// Tokens from a file, in Kubernetes' format: token,user,uid,"group1,group2" on each line.

import { createHash, timingSafeEqual } from "node:crypto";
import type { TokenAuthenticator } from "../authentication.ts";
import type { UserInfo } from "../user.ts";

export function staticTokens(text: string): TokenAuthenticator {
  const known = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map(parseLine);
  return {
    // Every token is compared, in constant time: how long it takes says nothing about how close a guess was.
    async authenticate(token) {
      const given = digest(token);
      return known.reduce<UserInfo | undefined>(
        (found, entry) => (timingSafeEqual(entry.digest, given) ? entry.user : found),
        undefined,
      );
    },
  };
}

/** Asks each in turn. */
export function firstOf(...authenticators: readonly TokenAuthenticator[]): TokenAuthenticator {
  return {
    async authenticate(token) {
      for (const authenticator of authenticators) {
        const user = await authenticator.authenticate(token);
        if (user !== undefined) return user;
      }
      return undefined;
    },
  };
}

function parseLine(
  line: string,
  index: number,
): { readonly digest: Buffer; readonly user: UserInfo } {
  const fields = [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, field = ""]) =>
    field
      .replace(/^"(.*)"$/, "$1")
      .replaceAll('""', '"')
      .trim(),
  );
  const [token = "", name = "", uid = "", groups = ""] = fields;
  if (token === "" || name === "") {
    throw new Error(
      `Cannot read the token file: line ${index + 1} needs token,user,uid[,"group,group"]`,
    );
  }
  const user: UserInfo = {
    name,
    ...(uid !== "" && { uid }),
    groups: groups === "" ? [] : groups.split(",").map((group) => group.trim()),
  };
  return { digest: digest(token), user };
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

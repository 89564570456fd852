// Tokens from a file, in Kubernetes' format: token,user,uid,"group1,group2" on each line.

import { createHash, timingSafeEqual } from "node:crypto";
import type { TokenAuthenticator } from "../authentication.ts";
import type { UserInfo } from "../user.ts";
import { API_AUDIENCES } from "./service-account-tokens.ts";

export function staticTokens(text: string): TokenAuthenticator {
  const known = text
    .split("\n")
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== "" && !line.startsWith("#"))
    .map(parseLine);
  return {
    async authenticate(token, wanted) {
      // They say nothing of audiences: they are meant for this server alone.
      const audiences = wanted.filter((audience) => API_AUDIENCES.includes(audience));
      if (audiences.length === 0) return undefined;
      const given = digest(token);
      // Every token is compared, in constant time: how long it takes says nothing about how close a guess was.
      const user = known.reduce<UserInfo | undefined>(
        (found, entry) => (timingSafeEqual(entry.digest, given) ? entry.user : found),
        undefined,
      );
      return user && { user, audiences };
    },
  };
}

/** Asks each in turn. */
export function firstOf(...authenticators: readonly TokenAuthenticator[]): TokenAuthenticator {
  return {
    async authenticate(token, audiences) {
      for (const authenticator of authenticators) {
        const found = await authenticator.authenticate(token, audiences);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

function parseLine({ line, number }: { readonly line: string; readonly number: number }): {
  readonly digest: Buffer;
  readonly user: UserInfo;
} {
  const fields = [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, field = ""]) =>
    field
      .replace(/^"(.*)"$/, "$1")
      .replaceAll('""', '"')
      .trim(),
  );
  const [token = "", name = "", uid = "", groups = ""] = fields;
  if (token === "" || name === "") {
    throw new Error(
      `Cannot read the token file: line ${number} needs token,user,uid[,"group,group"]`,
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

// Who we are to a web server: a token, or a name and a password, from files that are read anew for each request, because somebody may replace them.

import { readFile } from "node:fs/promises";
import type { HttpAuth } from "../compose-model.ts";

/** The value of the header; undefined where there is nothing to say. A token that cannot be read is an error; the message has no content. */
export async function authorizationOf(auth: HttpAuth | undefined): Promise<string | undefined> {
  if (auth === undefined) return undefined;
  if (auth.tokenFile !== undefined) return `Bearer ${await secretIn(auth.tokenFile)}`;
  const username = (await optionalIn(auth.usernameFile)) ?? auth.username;
  const password = (await optionalIn(auth.passwordFile)) ?? textOf(auth);
  if (username === undefined || password === undefined) return undefined;
  const bytes = Buffer.from(
    `${username}:${password}`,
    auth.encoding === "latin1" ? "latin1" : "utf8",
  );
  return `Basic ${bytes.toString("base64")}`;
}

function textOf({ password }: HttpAuth): string | undefined {
  return password === undefined ? undefined : Buffer.from(password.reveal()).toString();
}

/** A file that is named and cannot be read, with no value to fall back on, sends nothing; the server will say so. */
async function optionalIn(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await secretIn(path);
  } catch {
    return undefined;
  }
}

async function secretIn(path: string): Promise<string> {
  // Blanks around it are an editor's, and never meant.
  const text = (await readFile(path, "utf8")).trim();
  if (/\p{Cc}/u.test(text)) throw new Error(`${path} holds more than one line`);
  return text;
}

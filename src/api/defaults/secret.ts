// What becomes of a Secret that was written for people: its texts turn into bytes.

import type { Secret } from "../types.ts";
import { base64OfText } from "./base64-text.ts";

/** Changes the secret. A text wins over bytes with the same key. */
export function setSecretDefaults(secret: Secret): void {
  secret.type ||= "Opaque";
  const { stringData } = secret;
  if (stringData === undefined) return;
  delete secret.stringData;
  const texts = Object.entries(stringData).map(([key, text]) => [key, base64OfText(text)] as const);
  const data = { ...secret.data, ...Object.fromEntries(texts) };
  if (Object.keys(data).length > 0) secret.data = data;
}

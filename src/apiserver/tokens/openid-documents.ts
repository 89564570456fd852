// How others check tokens of service accounts by themselves: where the keys are, and the keys.

import type { Answer } from "../http/answer.ts";
import { ISSUER } from "./service-account-tokens.ts";
import type { TokenKeys } from "./token-keys.ts";

export interface OpenIdDocumentsOptions {
  readonly keys: Pick<TokenKeys, "jwks" | "algorithms">;
  /** "host:port", known once the server listens. */
  readonly serverAddress: () => string;
}

/** For the index of paths. */
export const OPENID_PATHS: readonly string[] = [
  "/.well-known/openid-configuration",
  "/openid/v1/jwks",
];

export class OpenIdDocuments {
  readonly #options: OpenIdDocumentsOptions;

  constructor(options: OpenIdDocumentsOptions) {
    this.#options = options;
  }

  /** Undefined if the path names no document. */
  answer(path: string): Answer | undefined {
    const [configuration, keys] = OPENID_PATHS;
    if (path === configuration) return document("application/json", this.#configuration());
    if (path === keys) return document("application/jwk-set+json", this.#options.keys.jwks());
    return undefined;
  }

  #configuration(): object {
    const { keys, serverAddress } = this.#options;
    return {
      issuer: ISSUER,
      jwks_uri: `https://${serverAddress()}/openid/v1/jwks`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: keys.algorithms(),
    };
  }
}

function document(contentType: string, value: object): Answer {
  return {
    code: 200,
    contentType,
    body: [Buffer.from(JSON.stringify(value))],
    headers: { "cache-control": "public, max-age=3600" },
  };
}

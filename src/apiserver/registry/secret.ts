// Secrets: texts become bytes, and the type stays what it was.

import { textOfBase64 } from "../../api/defaults/base64-text.ts";
import { setSecretDefaults } from "../../api/defaults/secret.ts";
import { restoreTableOrder } from "../../api/defaults/table-order.ts";
import type { Secret } from "../../api/types.ts";
import { validateSecret, validateSecretUpdate } from "../../api/validation/secret.ts";
import { servedKind } from "./served-kind.ts";
import { type Strategy, strategyOf } from "./strategy.ts";
import { tlsPairProblem } from "./tls-pair.ts";

const kind = servedKind("v1", "Secret");

export const secretStrategy: Strategy = strategyOf<Secret>({
  kind,
  fieldLabels: { type: ({ type }) => type ?? "" },

  applyDefaults(secret): void {
    setSecretDefaults(secret);
    restoreTableOrder(kind.schema, secret);
  },

  validate: validateSecret,
  validateUpdate: validateSecretUpdate,

  warnings({ type, data }): readonly string[] {
    if (type !== "kubernetes.io/tls") return [];
    const [certificate = "", key = ""] = [data?.["tls.crt"], data?.["tls.key"]];
    const problem = tlsPairProblem(textOfBase64(certificate), textOfBase64(key));
    return problem === undefined ? [] : [problem];
  },
});

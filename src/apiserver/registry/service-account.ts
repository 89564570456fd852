// Service accounts. Of the secrets that they list, only names count.

import type { ServiceAccount } from "../../api/types.ts";
import {
  validateServiceAccount,
  validateServiceAccountUpdate,
} from "../../api/validation/service-account.ts";
import { servedKind } from "./served-kind.ts";
import { type Strategy, strategyOf } from "./strategy.ts";

const mountableKey = "kubernetes.io/enforce-mountable-secrets";

export const serviceAccountStrategy: Strategy = strategyOf<ServiceAccount>({
  kind: servedKind("v1", "ServiceAccount"),
  returnsDeleted: true,

  prepareForCreate(account): void {
    keepNamesOfSecrets(account);
  },

  prepareForUpdate(account): void {
    keepNamesOfSecrets(account);
  },

  validate: validateServiceAccount,
  validateUpdate: validateServiceAccountUpdate,

  warnings(account, old): readonly string[] {
    if (old?.metadata.annotations?.[mountableKey] !== undefined) return [];
    if (account.metadata.annotations?.[mountableKey] === undefined) return [];
    return [
      `metadata.annotations[${mountableKey}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
    ];
  },
});

function keepNamesOfSecrets(account: ServiceAccount): void {
  if (account.secrets === undefined) return;
  account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

// ConfigMaps need no preparation: what is sent is what is stored.

import type { ConfigMap } from "../../api/types.ts";
import { validateConfigMap, validateConfigMapUpdate } from "../../api/validation/config-map.ts";
import { servedKind } from "./served-kind.ts";
import { type Strategy, strategyOf } from "./strategy.ts";

export const configMapStrategy: Strategy = strategyOf<ConfigMap>({
  kind: servedKind("v1", "ConfigMap"),
  validate: validateConfigMap,
  validateUpdate: validateConfigMapUpdate,
});

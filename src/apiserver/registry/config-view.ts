// ConfigViews. The agent of a node writes those of its pods, the first time with PUT as well.

import type { ConfigView } from "../../api/types.ts";
import { validateConfigView, validateConfigViewUpdate } from "../../api/validation/config-view.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";

export const configViewStrategy: Strategy = kindStrategy<ConfigView>(
  "driftless.dev/v1",
  "ConfigView",
  {
    createsOnUpdate: true,
    fieldLabels: {
      node: ({ node }) => node ?? "",
      "pod.name": ({ pod }) => pod.name,
    },
    validate: validateConfigView,
    validateUpdate: validateConfigViewUpdate,
  },
);

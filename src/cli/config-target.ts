// KIND/NAME on a command line, where nothing but a ConfigMap or a Secret makes sense.

import type { ConfigKind } from "../api/config/pod-uses.ts";
import type { ConfigReference } from "./answers/picture.ts";
import type { CliContext } from "./cli-context.ts";
import { CliError, misuse } from "./cli-error.ts";
import { parseResourceArguments } from "./resource-arguments.ts";
import { kindPrefix, ResourceCatalog } from "./resource-catalog.ts";

/** Whether it is there is not looked at. Throws CliError. */
export async function configTarget(context: CliContext, target: string): Promise<ConfigReference> {
  if (!target.includes("/")) {
    throw misuse(`say what is meant as KIND/NAME, such as configmap/${target}`);
  }
  const catalog = await ResourceCatalog.of(context.client, context.signal);
  const [asked] = parseResourceArguments([target], catalog);
  if (asked?.name === undefined) throw misuse("say what is meant as KIND/NAME");
  const { resource, name } = asked;
  const kind = resource.group === "" ? resource.kind : "";
  if (kind !== "ConfigMap" && kind !== "Secret") {
    throw new CliError(`${kindPrefix(resource)}/${name} is neither a ConfigMap nor a Secret`);
  }
  return { kind: kind satisfies ConfigKind, namespace: context.namespace, name };
}

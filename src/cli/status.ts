// `driftless status`: who has which version of what, since when, and why not. Ends with 0 only if everyone has it.

import type { ConfigKind } from "../api/config/pod-uses.ts";
import type { ApiObject } from "../api/object.ts";
import { ResourceClient } from "../client/resource-client.ts";
import { CONFIG_MAPS, SECRETS } from "./answers/answer-kinds.ts";
import type { Look } from "./answers/look.ts";
import type { Picture } from "./answers/picture.ts";
import { isForbidden, type PictureAsked, readPicture } from "./answers/read-picture.ts";
import { statusJson } from "./answers/status-json.ts";
import {
  consumersOf,
  isAllInSync,
  type Scope,
  type StatusReport,
  statusReport,
  summaryText,
} from "./answers/status-report.ts";
import { statusText } from "./answers/status-text.ts";
import { type CliContext, type ExitCode, print } from "./cli-context.ts";
import { CliError, misuse } from "./cli-error.ts";
import type { OutputFormat } from "./output-format.ts";
import { plainText } from "./plain-text.ts";
import { parseResourceArguments } from "./resource-arguments.ts";
import { kindPrefix, ResourceCatalog } from "./resource-catalog.ts";
import { waitForAll } from "./status-wait.ts";

export interface StatusOptions {
  /** KIND/NAME; undefined: everything. */
  readonly target: string | undefined;
  readonly isAllNamespaces: boolean;
  readonly format: OutputFormat;
  readonly look: Look;
  /** Undefined: as it is now. */
  readonly waitMs: number | undefined;
}

export async function status(context: CliContext, options: StatusOptions): Promise<ExitCode> {
  const { target, isAllNamespaces, format } = options;
  if (format.type === "name") throw misuse("-o name: say json, yaml or wide");
  if (target !== undefined && isAllNamespaces) {
    throw misuse(`${target} is in one namespace: leave out -A, or the name`);
  }
  const scope = target === undefined ? ({ type: "all" } as const) : await scopeOf(context, target);
  const asked: PictureAsked = {
    namespace: isAllNamespaces ? undefined : context.namespace,
    object: scope.type === "object" ? scope.object : undefined,
  };
  const picture = await readPicture(context, asked);
  if (options.waitMs !== undefined) {
    const waited = { asked, scope, first: picture, look: options.look, timeoutMs: options.waitMs };
    const { report, isDone } = await waitForAll(context, waited);
    if (format.type === "table") print(context, `${waitedText(report)}\n`);
    else show(context, options, report);
    return isDone ? 0 : 1;
  }
  return showNow(context, options, { picture, scope });
}

function showNow(
  context: CliContext,
  options: StatusOptions,
  { picture, scope }: { readonly picture: Picture; readonly scope: Scope },
): ExitCode {
  const report = statusReport(picture, scope);
  show(context, options, report);
  return isAllInSync(report) ? 0 : 1;
}

function waitedText(report: StatusReport): string {
  return plainText(summaryText(consumersOf(report)));
}

function show(context: CliContext, options: StatusOptions, report: StatusReport): void {
  const { format, look, isAllNamespaces } = options;
  if (format.type === "objects") {
    print(context, format.print(statusJson(report)));
    return;
  }
  const { isWide } = format;
  const nowMs = context.clock.now();
  const shown = isWide ? { ...look, columns: undefined } : look;
  print(
    context,
    statusText(report, { look: shown, nowMs, isWide, hasNamespaces: isAllNamespaces }),
  );
}

/** Looks whether it is there: an answer about nothing would be "all in sync". */
async function scopeOf(context: CliContext, target: string): Promise<Scope> {
  const { client, namespace, signal } = context;
  if (!target.includes("/")) {
    throw misuse(`say what to look at as KIND/NAME, such as configmap/${target} or pod/${target}`);
  }
  const catalog = await ResourceCatalog.of(client, signal);
  const [asked] = parseResourceArguments([target], catalog);
  if (asked?.name === undefined) throw misuse("say what to look at as KIND/NAME");
  const { resource, name } = asked;
  const what = `${kindPrefix(resource)}/${name}`;
  const isConfig = resource.group === "" && ["ConfigMap", "Secret"].includes(resource.kind);
  if (isConfig) return configScope(context, resource.kind as ConfigKind, name);
  if (resource.kind !== "Pod" && resource.group !== "apps") {
    throw new CliError(
      `Cannot tell the status of ${what}: say a ConfigMap, a Secret, a pod, or what makes pods, such as a Deployment`,
    );
  }
  await new ResourceClient<ApiObject>(client, resource).get({ namespace, name }, { signal });
  return { type: "owner", owner: `${resource.kind.toLowerCase()}/${name}` };
}

/** A Secret that may not be read is not looked for: its users say what they have. */
async function configScope(context: CliContext, kind: ConfigKind, name: string): Promise<Scope> {
  const { client, namespace, signal } = context;
  const objects = new ResourceClient<ApiObject>(client, kind === "Secret" ? SECRETS : CONFIG_MAPS);
  try {
    await objects.get({ namespace, name }, { signal });
  } catch (err) {
    if (!isForbidden(err)) throw err;
  }
  return { type: "object", object: { kind, namespace, name } };
}

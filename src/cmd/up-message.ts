// What `driftless up` says to people: that it is ready and what to do next, in commands that can be pasted; and how it ended.

import { styleText } from "node:util";

export interface UpReady {
  /** Since the process began. */
  readonly tookMs: number;
  readonly url: string;
  readonly dataDir: string;
  readonly node: NodeLine | undefined;
  /** Undefined: this is not the first start. */
  readonly joining: FirstToken | undefined;
  /** Pods end with it. */
  readonly drains: boolean;
  readonly place: CommandPlace;
}

export interface FirstToken {
  readonly token: string;
  /** That makes another machine a node. Undefined: none can reach the server. */
  readonly command: string | undefined;
}

export interface NodeLine {
  readonly name: string;
  readonly isRootless: boolean;
  /** Somebody said that it takes no new pods. */
  readonly isCordoned: boolean;
  /** That were found running. */
  readonly containers: number;
  /** Why no pod can run here, if so. */
  readonly missing: readonly string[];
  /** How many things do not work here; the log says which. */
  readonly shortcomings: number;
}

/** Where and how commands are typed. */
export interface CommandPlace {
  /** Where they are to be pasted. */
  readonly directory: string;
  /** The program, as it is called there. */
  readonly program: string;
  /** The first thing to apply. */
  readonly example: string;
  readonly home: string;
  /** KUBECONFIG of whoever started us. Their next shell probably has it too. */
  readonly kubeconfigVariable: string | undefined;
  readonly hasDefaultDataDir: boolean;
}

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

export function readyText(ready: UpReady, hasColour: boolean): string {
  const paint = painter(hasColour);
  const { place, node, url, dataDir, tookMs, joining } = ready;
  const kubeconfig = `${inHome(dataDir, place)}/kubeconfig`;
  const rows = [
    ["server", url],
    ["node", node === undefined ? "none (--no-node)" : nodeText(node)],
    ["data", `${inHome(dataDir, place)}   log in up.log`],
    ...(joining === undefined || joining.command !== undefined
      ? []
      : [["join", `${joining.token}   for an hour; other machines need --listen`]]),
  ];
  const facts = rows.map(([name = "", text = ""]) => `  ${paint("dim", name.padEnd(8))}${text}`);
  const blocks = [
    `${paint(["bold", "green"], "driftless is ready")} ${paint("dim", `in ${Math.round(tookMs)} ms`)}`,
    facts.join("\n"),
    nextSteps({ ...ready, kubeconfig }, paint),
    ...(joining?.command === undefined
      ? []
      : [`Another machine becomes a node with this, within an hour:\n\n  ${joining.command}`]),
    paint(
      "dim",
      ready.drains ? "Ctrl-C stops it and ends the pods." : "Ctrl-C stops it; containers go on.",
    ),
  ];
  return `\n${blocks.join("\n\n")}\n\n`;
}

export interface UpStopped {
  /** That go on. */
  readonly containers: number;
  /** With --drain. */
  readonly ended: number | undefined;
  readonly program: string;
  readonly dataDir: string;
}

export function stoppedText({ containers, ended, program, dataDir }: UpStopped): string {
  if (ended !== undefined) return `driftless: stopped, and ${counted(ended)} ended\n`;
  if (containers === 0) return "driftless: stopped\n";
  const them = containers === 1 ? "it" : "them";
  const go = containers === 1 ? "goes" : "go";
  return `driftless: stopped. ${counted(containers)} ${go} on, and the next start finds ${them} again
To end ${them}: ${program} node --drain --data-dir ${quoted(dataDir)}
`;
}

function nextSteps(
  { place, node, kubeconfig }: Pick<UpReady, "place" | "node"> & { readonly kubeconfig: string },
  paint: Paint,
): string {
  const { program, example } = place;
  const configure = `export KUBECONFIG=${kubeconfig}`;
  const isElsewhere = !place.hasDefaultDataDir || place.kubeconfigVariable !== undefined;
  const without =
    node === undefined
      ? [`${program} get namespaces`, `${program} token create`]
      : [
          `${program} apply -f ${example}`,
          `${program} set configmap/hello text=moin`,
          `${program} logs -f deploy/hello`,
        ];
  const withKubectl =
    node === undefined
      ? ["kubectl get namespaces", "kubectl api-resources"]
      : [
          `kubectl apply -f ${example} && kubectl rollout status deploy/hello`,
          `kubectl patch configmap hello -p '{"data":{"text":"moin"}}'`,
          "kubectl logs -f deploy/hello",
        ];
  const list = (commands: readonly string[]): string =>
    commands.map((command) => `  ${paint("cyan", command)}`).join("\n");
  return `Now, in another terminal, in ${inHome(place.directory, place)}:

${list([...(isElsewhere ? [configure] : []), ...without])}

or with kubectl:

${list([configure, ...withKubectl])}`;
}

function nodeText(node: NodeLine): string {
  const { name, isRootless, isCordoned, containers, missing, shortcomings } = node;
  const notes = [
    ...(isRootless ? ["without root"] : []),
    ...(shortcomings > 0
      ? [`lacks ${shortcomings === 1 ? "a thing" : `${shortcomings} things`}, see the log`]
      : []),
    ...(containers > 0 ? [`${counted(containers)} found`] : []),
    ...(isCordoned ? ["cordoned: takes no new pods"] : []),
    ...(missing.length > 0 ? [`cannot run pods: ${missing.join(" ")}`] : []),
  ];
  return notes.length === 0 ? name : `${name} (${notes.join(", ")})`;
}

function counted(containers: number): string {
  return containers === 1 ? "1 container" : `${containers} containers`;
}

/** As a shell reads it. */
export function quoted(path: string): string {
  return /^[\w./~+:@-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

function inHome(path: string, { home }: CommandPlace): string {
  if (path === home) return "~";
  const rest = path.startsWith(`${home}/`) ? path.slice(home.length) : undefined;
  return rest !== undefined && quoted(rest) === rest ? `~${rest}` : quoted(path);
}

function painter(hasColour: boolean): Paint {
  return (style, text) => (hasColour ? styleText(style, text, { validateStream: false }) : text);
}

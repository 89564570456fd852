// Everything that `lint` and `audit` can find, as a table: what it is called, how bad it is, why it matters and what helps. The checks
// themselves are in checks/ and cluster/; docs/lint.md shows this table to people and is held to it by a test.

export type Severity = "error" | "warning" | "note";

export interface Rule {
  /** Never given to another rule, also when this one goes. */
  readonly id: string;
  readonly name: string;
  readonly severity: Severity;
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  /** `lint --fix` can do it without changing what anybody runs with today. */
  readonly isFixable?: true;
  /** Needs running pods: `audit` alone. */
  readonly isLive?: true;
}

export type RuleName =
  | "unreadable"
  | "not-a-string"
  | "subpath-frozen"
  | "env-frozen"
  | "args-frozen"
  | "immutable-unversioned"
  | "recreated-name"
  | "nobody-tells-the-app"
  | "stale-hash-name"
  | "missing-key"
  | "missing-object"
  | "optional-key-missing"
  | "optional-object-missing"
  | "projected-twice"
  | "binary-in-env"
  | "env-name-odd"
  | "env-shadowed"
  | "env-twice"
  | "unused-volume"
  | "bad-base64"
  | "too-large"
  | "large"
  | "env-too-large"
  | "bad-key"
  | "key-twice"
  | "byte-order-mark"
  | "line-ends"
  | "newline-in-env"
  | "decimal-mode"
  | "mount-hides-files"
  | "mount-twice"
  | "reload-not-understood"
  | "reload-conflict"
  | "reload-without-restart"
  | "reload-of-unused"
  | "reload-misplaced"
  | "signal-to-shell"
  | "env-stale"
  | "args-stale"
  | "subpath-stale"
  | "not-reloaded"
  | "drift";

const table: Readonly<Record<RuleName, Omit<Rule, "name">>> = {
  unreadable: {
    id: "DL001",
    severity: "error",
    what: "A field has a value of the wrong type",
    why: "Every API server refuses the object as a whole.",
    fix: "Write the value in the type that the field has.",
  },
  "not-a-string": {
    id: "DL002",
    severity: "error",
    what: "A number, boolean or list where only text is allowed",
    why: "Values of data, stringData, annotations, labels and variables are text; YAML reads 8080, yes and 0777 as something else, and the API server refuses the object.",
    fix: "Put the value in quotes.",
    isFixable: true,
  },
  "subpath-frozen": {
    id: "DL101",
    severity: "warning",
    what: "A subPath mount of a ConfigMap or Secret",
    why: "On Kubernetes a subPath mount never follows its object: the container keeps the file that it was started with. On Driftless nodes it is live from kernel 6.5 on, and reported as frozen below.",
    fix: "Mount the whole volume as a directory of its own, or let a reload rule restart the workload (driftless.dev/reload: auto).",
  },
  "env-frozen": {
    id: "DL102",
    severity: "warning",
    what: "Environment variables from a ConfigMap or Secret, and nothing that restarts the workload",
    why: "A process keeps the environment that it was started with. After a change old and new pods run side by side with different values, and nobody is told.",
    fix: "Ask for a restart when the values change: driftless.dev/reload: auto in the workload's annotations. Or mount the object as a volume.",
    isFixable: true,
  },
  "args-frozen": {
    id: "DL103",
    severity: "warning",
    what: "Arguments made from a ConfigMap or Secret, and nothing that restarts the workload",
    why: "$(NAME) in command and args is filled in once, when the container starts.",
    fix: "Ask for a restart when the values change: driftless.dev/reload: auto in the workload's annotations. Or let the program read a file.",
    isFixable: true,
  },
  "immutable-unversioned": {
    id: "DL104",
    severity: "warning",
    what: "An immutable object in use whose name carries no version",
    why: "Its content can only change by deleting and creating it anew under the same name. Running containers, and kubelets that stopped watching it, keep the old one.",
    fix: "Give each content a name of its own (kustomize's configMapGenerator, or driftless.dev/versioned on the ConfigMap that you edit).",
  },
  "recreated-name": {
    id: "DL105",
    severity: "warning",
    what: "An object in use that tools delete and create anew under the same name",
    why: "Between the two there is no object, and pods that start then fail or start without it. What is immutable stays stale in pods that run.",
    fix: "Let the tool update the object in place: no hook deletion policy, no forced replacement.",
  },
  "nobody-tells-the-app": {
    id: "DL106",
    severity: "note",
    what: "Files follow their object, but nothing tells the program",
    why: "A program that reads its files only at its start runs with old content while the new one is on disk.",
    fix: "If the program does not watch its files, say how to tell it, for example driftless.dev/reload: signal:HUP. If it does, say driftless.dev/reload: none.",
  },
  "stale-hash-name": {
    id: "DL107",
    severity: "error",
    what: "A reference to a hash-named object that is here under another hash",
    why: "The generator renamed the object and the reference did not follow: pods wait for an object that does not come, or keep an old one.",
    fix: "Refer to the name without its hash where the generator can see it, and let it fill in the hash.",
  },
  "missing-key": {
    id: "DL201",
    severity: "error",
    what: "A key that the object does not have",
    why: "The container does not start, the volume is not mounted, or a subPath becomes an empty directory.",
    fix: "Correct the key, add it to the object, or mark the reference as optional.",
  },
  "missing-object": {
    id: "DL202",
    severity: "note",
    what: "A referenced ConfigMap or Secret that is not here",
    why: "If nobody else creates it, pods wait for it and do not start.",
    fix: "Add the object, correct its name, or mark the reference as optional. --strict makes this an error.",
  },
  "optional-key-missing": {
    id: "DL203",
    severity: "warning",
    what: "An optional key that the object does not have",
    why: "It is left out without a word: the variable or file is not there, and the program takes its default.",
    fix: "Correct the key, or remove the reference.",
  },
  "optional-object-missing": {
    id: "DL204",
    severity: "note",
    what: "An optional object that is not here",
    why: "The pod starts without it, silently. Variables do not appear when it is created later.",
    fix: "Correct its name, or make sure that the program works without it.",
  },
  "projected-twice": {
    id: "DL205",
    severity: "warning",
    what: "Two sources for one path of a projected volume",
    why: "The later source wins, without a word; which one is later is easily turned round.",
    fix: "Give one of them another path with items, or leave it out there.",
  },
  "binary-in-env": {
    id: "DL206",
    severity: "error",
    what: "A key of binaryData used as a variable",
    why: "Variables come from data alone: the container does not start, or envFrom leaves the key out.",
    fix: "Move the value to data if it is text, or mount it as a file.",
  },
  "env-name-odd": {
    id: "DL207",
    severity: "warning",
    what: "envFrom with keys that are not usual names of variables",
    why: "Kubernetes before 1.30 leaves such keys out with nothing but an Event; later ones set them, and shells cannot use them.",
    fix: "Rename the keys (letters, digits and _), or take them one by one with configMapKeyRef.",
  },
  "env-shadowed": {
    id: "DL208",
    severity: "note",
    what: "A variable that two sources set",
    why: "env wins over envFrom, and a later envFrom over an earlier one; the value that loses is easily taken for the one in use.",
    fix: "Set it in one place, or give one envFrom a prefix.",
  },
  "env-twice": {
    id: "DL209",
    severity: "warning",
    what: "The same variable twice in one container",
    why: "The last one wins when the container starts; kubectl apply and server-side apply merge the list by name and may keep another.",
    fix: "Remove one of the two.",
  },
  "unused-volume": {
    id: "DL210",
    severity: "note",
    what: "A ConfigMap or Secret volume that no container mounts",
    why: "It is delivered to the node and its absence stops the pod, for nothing.",
    fix: "Mount it, or remove it.",
  },
  "bad-base64": {
    id: "DL301",
    severity: "error",
    what: "Bytes that are not base64",
    why: "The API server refuses the object.",
    fix: "Encode the value, or write it as it is under stringData (Secrets) or data (ConfigMaps).",
  },
  "too-large": {
    id: "DL302",
    severity: "error",
    what: "More than 1 MiB in one object",
    why: "The API server refuses it.",
    fix: "Split it by key, compress it, or deliver large files another way.",
  },
  large: {
    id: "DL303",
    severity: "warning",
    what: "More than 512 KiB in one object",
    why: "It nears the limit of 1 MiB; each change sends all of it to every node that uses it, and kubectl apply keeps a second copy in an annotation that may have 256 KiB.",
    fix: "Split it by key into several objects and project them into one volume.",
  },
  "env-too-large": {
    id: "DL304",
    severity: "warning",
    what: "A value near or above 128 KiB used as a variable or argument",
    why: 'Linux starts no process with a variable or argument of 131,072 bytes or more ("argument list too long").',
    fix: "Mount the value as a file.",
  },
  "bad-key": {
    id: "DL305",
    severity: "error",
    what: "A key that the API does not allow",
    why: "Keys have letters, digits, - _ and . only, at most 253 of them, and are neither . nor begin with ..",
    fix: "Rename the key; where the file has to have another name, say so with items.",
  },
  "key-twice": {
    id: "DL306",
    severity: "warning",
    what: "One key in two maps of the object",
    why: "In a Secret stringData wins over data, also over a later change of data; in a ConfigMap the API server refuses it.",
    fix: "Keep one of the two.",
  },
  "byte-order-mark": {
    id: "DL307",
    severity: "warning",
    what: "A value begins with a byte order mark",
    why: "Most parsers take it for content: the first key, or the shebang, is not recognised.",
    fix: "Save the file as UTF-8 without a byte order mark.",
  },
  "line-ends": {
    id: "DL308",
    severity: "note",
    what: "A value has Windows line ends",
    why: "Shells and many parsers keep the carriage return as part of the last word of each line.",
    fix: "Save the file with plain line feeds.",
  },
  "newline-in-env": {
    id: "DL309",
    severity: "warning",
    what: "A value that ends with a line break used as a variable",
    why: "The line break becomes part of the variable: of the password, of the address. It comes from echo without -n, or from | in YAML where |- was meant.",
    fix: "Encode it without the line break (printf %s, or |- in YAML).",
  },
  "decimal-mode": {
    id: "DL401",
    severity: "error",
    what: "A file mode written without its leading zero",
    why: "644 is decimal: 01204 in octal, which is refused; 400 and 440 are accepted and mean something else (0620, 0670).",
    fix: "Write 0644 in YAML, 420 in JSON.",
    isFixable: true,
  },
  "mount-hides-files": {
    id: "DL402",
    severity: "warning",
    what: "A volume mounted over a directory that images need",
    why: "All that the image has there is hidden: users, certificates, programs.",
    fix: "Mount it at a directory of its own, such as /etc/NAME, and tell the program where.",
  },
  "mount-twice": {
    id: "DL403",
    severity: "error",
    what: "Two mounts at one path of a container",
    why: "The API server refuses the pod.",
    fix: "Join the two in one projected volume, or mount them at two paths.",
  },
  "reload-not-understood": {
    id: "DL501",
    severity: "error",
    what: "A reload annotation that cannot be understood",
    why: "It counts as not written: nothing reloads.",
    fix: "Use auto, restart, signal:NAME, http:METHOD:URL, exec:COMMAND or none; hot for single keys.",
  },
  "reload-conflict": {
    id: "DL502",
    severity: "warning",
    what: "Reload annotations that contradict each other",
    why: "One of them is ignored; where Reloader and Driftless both run, both may restart the workload.",
    fix: "Keep one of the two.",
  },
  "reload-without-restart": {
    id: "DL503",
    severity: "warning",
    what: "A restart asked for where nobody can do it",
    why: "Only Deployments, StatefulSets and DaemonSets are restarted. A pod without one of them is never deleted.",
    fix: "Make it a Deployment, or remove the annotation.",
  },
  "reload-of-unused": {
    id: "DL504",
    severity: "warning",
    what: "A reload annotation that names an object or key that the workload does not use",
    why: "It never has an effect; most often a name is misspelt.",
    fix: "Correct the name, or remove the annotation.",
  },
  "reload-misplaced": {
    id: "DL505",
    severity: "warning",
    what: "A workload's reload annotation on a ConfigMap or Secret",
    why: "It is looked for on workloads and pods: here it has no effect.",
    fix: "Move it to the workload that uses the object.",
  },
  "signal-to-shell": {
    id: "DL506",
    severity: "note",
    what: "A reload signal for a container whose first process is a shell",
    why: "The signal goes to the first process. A shell does not pass it on, and HUP ends many.",
    fix: "Start the program with exec in the script, or without a shell.",
  },
  "env-stale": {
    id: "DL601",
    severity: "error",
    what: "A container older than the values in its environment",
    why: "The object was written after the container started: it runs with the values from before.",
    fix: "Restart the workload (kubectl rollout restart), and let a reload rule do it next time.",
    isLive: true,
  },
  "args-stale": {
    id: "DL602",
    severity: "error",
    what: "A container older than the values in its arguments",
    why: "The object was written after the container started: it runs with the arguments from before.",
    fix: "Restart the workload (kubectl rollout restart), and let a reload rule do it next time.",
    isLive: true,
  },
  "subpath-stale": {
    id: "DL603",
    severity: "error",
    what: "A subPath mount older than its object",
    why: "The object was written after the container started: its file is the one from before.",
    fix: "Restart the workload (kubectl rollout restart), and mount the directory instead of the file.",
    isLive: true,
  },
  "not-reloaded": {
    id: "DL604",
    severity: "error",
    what: "A pod that should have been reloaded and was not",
    why: "Its annotations ask for a restart when the object changes; it changed, and the container is older.",
    fix: "Look whether the reload controller runs and may patch the workload (driftless explain pod/NAME).",
    isLive: true,
  },
  drift: {
    id: "DL605",
    severity: "error",
    what: "Drift that the node reports",
    why: "The node knows what the container really has, and it is not what it should have.",
    fix: "See the message.",
    isLive: true,
  },
};

/** In the order of their ids. */
export const rules: readonly Rule[] = (Object.keys(table) as RuleName[]).map(ruleNamed);

export function ruleNamed(name: RuleName): Rule {
  return { name, ...table[name] };
}

/** By id or by name, in any case of letters. */
export function findRule(word: string): Rule | undefined {
  const wanted = word.trim().toLowerCase();
  return rules.find(({ id, name }) => id.toLowerCase() === wanted || name === wanted);
}

const SEVERITIES: readonly Severity[] = ["note", "warning", "error"];

/** Whether it is as bad as `limit`, or worse. */
export function isAtLeast(severity: Severity, limit: Severity): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(limit);
}

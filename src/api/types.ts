// Generated from the tables in src/api/schema by tools/generate-types.ts; `npm run generate` writes it anew.
// Aliases, not interfaces, so that every one of them is also a JsonObject. They describe decoded objects: what is
// always written is always there, a list or map may be null, and everything else may be missing.

import type { JsonValue } from "./json.ts";

/** One group and its versions */
export type APIGroup = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** As it stands in apiVersion */
  name: string;
  /** Those that are served */
  versions?: GroupVersionForDiscovery[] | null | undefined;
  /** The one to use if nothing speaks for another */
  preferredVersion: GroupVersionForDiscovery;
  /** Where clients of a network reach the server */
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[] | undefined;
};

/** The named groups */
export type APIGroupList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** All but the core group */
  groups?: APIGroup[] | null | undefined;
};

/** One resource and what can be done with it */
export type APIResource = {
  /** Plural name as in paths; subresources after a slash */
  name: string;
  /** The name for one object, on command lines */
  singularName: string;
  /** Objects live in namespaces */
  namespaced: boolean;
  /** Of the kind, if it is another than the list's */
  group?: string | undefined;
  /** Of the kind, if it is another than the list's */
  version?: string | undefined;
  /** Kind of its objects */
  kind: string;
  /** What can be done */
  verbs?: string[] | null | undefined;
  /** Abbreviations for command lines */
  shortNames?: string[] | undefined;
  /** Sets that the resource is part of, such as all */
  categories?: string[] | undefined;
  /** Changes when objects are stored in another version */
  storageVersionHash?: string | undefined;
};

/** The resources of one group and version */
export type APIResourceList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Group and version that the resources belong to */
  groupVersion: string;
  /** Resources and subresources */
  resources?: APIResource[] | null | undefined;
};

/** Versions of the core group */
export type APIVersions = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Those that are served */
  versions?: string[] | null | undefined;
  /** Where clients of a network reach the server */
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[] | null | undefined;
};

/** A disk of Amazon EBS */
export type AWSElasticBlockStoreVolumeSource = {
  /** Id of the disk */
  volumeID: string;
  /** File system on it */
  fsType?: string | undefined;
  /** Which partition; the whole disk if 0 */
  partition?: number | undefined;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
};

/** Where a pod would like to run */
export type Affinity = {
  /** On which nodes */
  nodeAffinity?: NodeAffinity | undefined;
  /** Near which pods */
  podAffinity?: PodAffinity | undefined;
  /** Away from which pods */
  podAntiAffinity?: PodAntiAffinity | undefined;
};

/** From which roles rules are collected */
export type AggregationRule = {
  /** Roles that any of these chooses */
  clusterRoleSelectors?: LabelSelector[] | undefined;
};

/** Which AppArmor profile confines a container */
export type AppArmorProfile = {
  /** Whose profile is used */
  type: string;
  /** Profile loaded on the node, for one of its own */
  localhostProfile?: string | undefined;
};

/** A volume, and the device it is on the node */
export type AttachedVolume = {
  /** Of the volume */
  name: string;
  /** Device that it became */
  devicePath: string;
};

/** A disk of Azure */
export type AzureDiskVolumeSource = {
  /** Name of the disk */
  diskName: string;
  /** Address of the disk */
  diskURI: string;
  /** What the host caches */
  cachingMode?: string | undefined;
  /** File system on it */
  fsType?: string | undefined;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
  /** How the disk is kept */
  kind?: string | undefined;
};

/** A share of Azure Files */
export type AzureFilePersistentVolumeSource = {
  /** Secret with account and key */
  secretName: string;
  /** Name of the share */
  shareName: string;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
  /** Where the Secret lives; the claim's namespace if absent */
  secretNamespace?: string | null | undefined;
};

/** A share of Azure Files */
export type AzureFileVolumeSource = {
  /** Secret with account and key */
  secretName: string;
  /** Name of the share */
  shareName: string;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
};

/** Puts a pod on a node */
export type Binding = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** The node */
  target: ObjectReference;
};

/** The object that a token lives and dies with */
export type BoundObjectReference = {
  /** Pod, Secret or Node */
  kind?: string | undefined;
  /** Of the object */
  apiVersion?: string | undefined;
  /** Of the object */
  name?: string | undefined;
  /** Tells it from others of the same name */
  uid?: string | undefined;
};

/** A volume of a CSI driver */
export type CSIPersistentVolumeSource = {
  /** Name of the driver */
  driver: string;
  /** Id of the volume at the driver */
  volumeHandle: string;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
  /** File system on it */
  fsType?: string | undefined;
  /** Settings from the volume's creation */
  volumeAttributes?: { [key: string]: string } | undefined;
  /** Credentials for attaching */
  controllerPublishSecretRef?: SecretReference | undefined;
  /** Credentials for preparing on a node */
  nodeStageSecretRef?: SecretReference | undefined;
  /** Credentials for mounting */
  nodePublishSecretRef?: SecretReference | undefined;
  /** Credentials for enlarging */
  controllerExpandSecretRef?: SecretReference | undefined;
  /** Credentials for enlarging on a node */
  nodeExpandSecretRef?: SecretReference | undefined;
};

/** A short-lived volume of a CSI driver */
export type CSIVolumeSource = {
  /** Name of the driver */
  driver: string;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
  /** File system on it */
  fsType?: string | undefined;
  /** Settings for the driver */
  volumeAttributes?: { [key: string]: string } | undefined;
  /** Credentials for mounting */
  nodePublishSecretRef?: LocalObjectReference | undefined;
};

/** Linux capabilities to give and take */
export type Capabilities = {
  /** To give */
  add?: string[] | undefined;
  /** To take */
  drop?: string[] | undefined;
};

/** A Ceph file system */
export type CephFSPersistentVolumeSource = {
  /** Addresses of the Ceph monitors */
  monitors?: string[] | null | undefined;
  /** Directory to mount as the root */
  path?: string | undefined;
  /** User to connect as */
  user?: string | undefined;
  /** File with the user's key */
  secretFile?: string | undefined;
  /** Credentials, instead of the file */
  secretRef?: SecretReference | undefined;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
};

/** A Ceph file system */
export type CephFSVolumeSource = {
  /** Addresses of the Ceph monitors */
  monitors?: string[] | null | undefined;
  /** Directory to mount as the root */
  path?: string | undefined;
  /** User to connect as */
  user?: string | undefined;
  /** File with the user's key */
  secretFile?: string | undefined;
  /** Credentials, instead of the file */
  secretRef?: LocalObjectReference | undefined;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
};

/** A disk of OpenStack */
export type CinderPersistentVolumeSource = {
  /** Id of the disk */
  volumeID: string;
  /** File system on it */
  fsType?: string | undefined;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
  /** How to connect to OpenStack */
  secretRef?: SecretReference | undefined;
};

/** A disk of OpenStack */
export type CinderVolumeSource = {
  /** Id of the disk */
  volumeID: string;
  /** File system on it */
  fsType?: string | undefined;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
  /** How to connect to OpenStack */
  secretRef?: LocalObjectReference | undefined;
};

/** Affinity by client address */
export type ClientIPConfig = {
  /** How long a client stays with its pod */
  timeoutSeconds?: number | undefined;
};

/** What may be done in every namespace, or in the cluster as such */
export type ClusterRole = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What is allowed; nothing is forbidden */
  rules?: PolicyRule[] | null | undefined;
  /** The rules are collected from other roles */
  aggregationRule?: AggregationRule | undefined;
};

/** Gives a cluster role to someone everywhere */
export type ClusterRoleBinding = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** Who gets it */
  subjects?: Subject[] | undefined;
  /** The role; never changes */
  roleRef: RoleRef;
};

/** Some objects of kind ClusterRoleBinding, and the state of the store they show */
export type ClusterRoleBindingList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: ClusterRoleBinding[] | null | undefined;
};

/** Some objects of kind ClusterRole, and the state of the store they show */
export type ClusterRoleList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: ClusterRole[] | null | undefined;
};

/** Certificates to trust as a file */
export type ClusterTrustBundleProjection = {
  /** Of one bundle */
  name?: string | undefined;
  /** All bundles of this signer, instead of one */
  signerName?: string | undefined;
  /** Which bundles of the signer */
  labelSelector?: LabelSelector | undefined;
  /** The pod may start without any */
  optional?: boolean | undefined;
  /** Of the file, relative */
  path: string;
  /** Owner of the file */
  user?: number | undefined;
};

/** One finding about a part of the control plane */
export type ComponentCondition = {
  /** Healthy */
  type: string;
  /** True, False or Unknown */
  status: string;
  /** What was found */
  message?: string | undefined;
  /** Why it is not well */
  error?: string | undefined;
};

/** Whether a part of the control plane is well; /readyz says it better */
export type ComponentStatus = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What was found */
  conditions?: ComponentCondition[] | undefined;
};

/** Some objects of kind ComponentStatus, and the state of the store they show */
export type ComponentStatusList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: ComponentStatus[] | null | undefined;
};

/** One finding about an object, and since when it holds */
export type Condition = {
  /** What is judged, in CamelCase */
  type: string;
  /** True, False or Unknown */
  status: string;
  /** The generation of the object that was judged */
  observedGeneration?: number | undefined;
  /** When the status last flipped */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word for programs */
  reason: string;
  /** A sentence for people */
  message: string;
};

/** Settings that pods read as files, variables or arguments */
export type ConfigMap = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** Content can no longer change, only the whole object be deleted */
  immutable?: boolean | undefined;
  /** Text by key */
  data?: { [key: string]: string } | undefined;
  /** Bytes by key; no key may also be in data */
  binaryData?: { [key: string]: string } | undefined;
};

/** A ConfigMap whose keys become variables */
export type ConfigMapEnvSource = {
  /** Name of the object */
  name?: string | undefined;
  /** The container may start without it */
  optional?: boolean | undefined;
};

/** One key of a ConfigMap */
export type ConfigMapKeySelector = {
  /** Name of the object */
  name?: string | undefined;
  /** The key */
  key: string;
  /** The container may start without it */
  optional?: boolean | undefined;
};

/** Some objects of kind ConfigMap, and the state of the store they show */
export type ConfigMapList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: ConfigMap[] | null | undefined;
};

/** A ConfigMap with the agent's settings; no longer used */
export type ConfigMapNodeConfigSource = {
  /** Where it lives */
  namespace: string;
  /** Its name */
  name: string;
  /** Tells it from others of the same name */
  uid?: string | undefined;
  /** The state that is meant */
  resourceVersion?: string | undefined;
  /** The key that holds the settings */
  kubeletConfigKey: string;
};

/** Files from a ConfigMap, among others */
export type ConfigMapProjection = {
  /** Name of the object */
  name?: string | undefined;
  /** Which keys, under which paths; all under their own names if none */
  items?: KeyToPath[] | undefined;
  /** The pod may start without it */
  optional?: boolean | undefined;
};

/** Files from a ConfigMap */
export type ConfigMapVolumeSource = {
  /** Name of the object */
  name?: string | undefined;
  /** Which keys, under which paths; all under their own names if none */
  items?: KeyToPath[] | undefined;
  /** Permissions of the files */
  defaultMode?: number | undefined;
  /** The pod may start without it */
  optional?: boolean | undefined;
  /** Owner of the files */
  defaultUser?: number | undefined;
};

/** The ConfigMap or Secret that a revision belongs to */
export type ConfigObjectReference = {
  /** Group and version of the object */
  apiVersion: string;
  /** Kind of the object */
  kind: string;
  /** Name of the object, in the revision's namespace */
  name: string;
  /** Tells the object from an earlier one of the same name */
  uid?: string | undefined;
  /** Of the write that made this content */
  resourceVersion?: string | undefined;
};

/** One content that a ConfigMap or Secret had */
export type ConfigRevision = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** Whose content this is */
  object: ConfigObjectReference;
  /** Counts the contents of the object, from 1 */
  number: number;
  /** Of data and binaryData and nothing else; names the version */
  hash: string;
  /** The user who made the change */
  author?: string | undefined;
  /** When the change was committed */
  changedAt?: string | undefined;
  /** What changed since the revision before */
  summary?: RevisionSummary | undefined;
  /** The content, where it is text */
  data?: { [key: string]: string } | undefined;
  /** The content, where it is not text; all of it for a Secret */
  binaryData?: { [key: string]: string } | undefined;
  /** The content is protected as the Secret is */
  secret?: boolean | undefined;
};

/** Some objects of kind ConfigRevision, and the state of the store they show */
export type ConfigRevisionList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: ConfigRevision[] | null | undefined;
};

/** One way in which the pod uses one ConfigMap or Secret */
export type ConfigUse = {
  /** Kind of the object */
  kind: string;
  /** Name of the object */
  name: string;
  /** The way into the container */
  how: string;
  /** The container that uses it */
  container?: string | undefined;
  /** Where its files are seen in the container */
  mountPath?: string | undefined;
  /** The keys that are used; all if empty */
  keys?: string[] | undefined;
  /** What the object holds now */
  wanted?: ConfigVersion | undefined;
  /** What the container's files hold */
  onDisk?: ConfigVersion | undefined;
  /** What the process has confirmed to run with */
  applied?: ConfigVersion | undefined;
  /** How it is known what the process runs with; empty if it is not */
  confirmedBy?: string | undefined;
  /** When the wanted version reached each stage: seen, gated, onDisk, noticed, applied */
  stages?: { [key: string]: string } | undefined;
  /** What was done last to tell the process */
  reload?: ReloadReport | undefined;
  /** Absent while all is well or on its way */
  drift?: Drift | undefined;
};

/** A content, and since when it has been there */
export type ConfigVersion = {
  /** Of the content */
  hash: string;
  /** Of the write that brought the content */
  resourceVersion?: string | undefined;
  /** When this content arrived here */
  at?: string | undefined;
};

/** Which configuration one pod has, and which it should have */
export type ConfigView = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** The pod that is looked at */
  pod: PodReference;
  /** The node that the pod runs on */
  node?: string | undefined;
  /** Every use of a ConfigMap or Secret by the pod */
  uses?: ConfigUse[] | undefined;
};

/** Some objects of kind ConfigView, and the state of the store they show */
export type ConfigViewList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: ConfigView[] | null | undefined;
};

/** How long someone has to keep a change before it is taken back */
export type ConfirmWindow = {
  /** Length of the window */
  timeoutSeconds: number;
};

/** One process tree with its own files, run by a pod */
export type Container = {
  /** Unique in the pod */
  name: string;
  /** What to run */
  image?: string | undefined;
  /** Program instead of the image's; $(NAME) stands for variables */
  command?: string[] | undefined;
  /** Arguments instead of the image's; $(NAME) stands for variables */
  args?: string[] | undefined;
  /** Directory to start in */
  workingDir?: string | undefined;
  /** Ports it listens on, mostly for readers */
  ports?: ContainerPort[] | undefined;
  /** Whole ConfigMaps and Secrets as variables */
  envFrom?: EnvFromSource[] | undefined;
  /** Single variables; they win over envFrom */
  env?: EnvVar[] | undefined;
  /** How much it asks for and may use */
  resources: ResourceRequirements;
  /** Whether a new size needs a restart */
  resizePolicy?: ContainerResizePolicy[] | undefined;
  /** Instead of the pod's; Always makes an init container a sidecar */
  restartPolicy?: string | undefined;
  /** Exit codes that decide about a restart first */
  restartPolicyRules?: ContainerRestartRule[] | undefined;
  /** Volumes of the pod, and where they appear */
  volumeMounts?: VolumeMount[] | undefined;
  /** Block devices, and where they appear */
  volumeDevices?: VolumeDevice[] | undefined;
  /** Restart when it fails */
  livenessProbe?: Probe | undefined;
  /** Take no traffic while it fails */
  readinessProbe?: Probe | undefined;
  /** Holds the other probes back until it succeeds */
  startupProbe?: Probe | undefined;
  /** What is done after the start and before the stop */
  lifecycle?: Lifecycle | undefined;
  /** File with the last words of the container */
  terminationMessagePath?: string | undefined;
  /** Whether the log may stand in for that file */
  terminationMessagePolicy?: string | undefined;
  /** When to fetch the image */
  imagePullPolicy?: string | undefined;
  /** With which rights it runs */
  securityContext?: SecurityContext | undefined;
  /** Keep a standard input */
  stdin?: boolean | undefined;
  /** Close that input after the first client leaves */
  stdinOnce?: boolean | undefined;
  /** Give it a terminal */
  tty?: boolean | undefined;
};

/** A container's extended resource as a request */
export type ContainerExtendedResourceRequest = {
  /** The container */
  containerName: string;
  /** The resource */
  resourceName: string;
  /** The request of the claim */
  requestName: string;
};

/** An image that a node has fetched */
export type ContainerImage = {
  /** By which it is known */
  names?: string[] | null | undefined;
  /** On the disk */
  sizeBytes?: number | undefined;
};

/** One port of a container */
export type ContainerPort = {
  /** For services and probes to refer to */
  name?: string | undefined;
  /** Port of the node that leads here */
  hostPort?: number | undefined;
  /** The number */
  containerPort: number;
  /** Transport that is spoken */
  protocol?: string | undefined;
  /** Address of the node that the host port is bound to */
  hostIP?: string | undefined;
};

/** What a new size of one resource means for the container */
export type ContainerResizePolicy = {
  /** The resource */
  resourceName: string;
  /** NotRequired or RestartContainer */
  restartPolicy: string;
};

/** A rule about restarts */
export type ContainerRestartRule = {
  /** What to do if it fits */
  action?: string | undefined;
  /** For which exit codes it fits */
  exitCodes?: ContainerRestartRuleOnExitCodes | undefined;
};

/** Exit codes that a rule is for */
export type ContainerRestartRuleOnExitCodes = {
  /** In or NotIn */
  operator?: string | undefined;
  /** The codes */
  values?: number[] | undefined;
};

/** What a container does; one of them */
export type ContainerState = {
  /** It has not started */
  waiting?: ContainerStateWaiting | undefined;
  /** It runs */
  running?: ContainerStateRunning | undefined;
  /** It has ended */
  terminated?: ContainerStateTerminated | undefined;
};

/** A container that runs */
export type ContainerStateRunning = {
  /** Since when */
  startedAt?: string | null | undefined;
};

/** A container that has ended */
export type ContainerStateTerminated = {
  /** Of its first process */
  exitCode: number;
  /** That ended it */
  signal?: number | undefined;
  /** Why, one word for programs */
  reason?: string | undefined;
  /** Its last words */
  message?: string | undefined;
  /** When it began */
  startedAt?: string | null | undefined;
  /** When it ended */
  finishedAt?: string | null | undefined;
  /** Its id in the runtime */
  containerID?: string | undefined;
};

/** A container that has not started */
export type ContainerStateWaiting = {
  /** Why, one word for programs */
  reason?: string | undefined;
  /** Why, for people */
  message?: string | undefined;
};

/** One container as the node sees it */
export type ContainerStatus = {
  /** Of the container */
  name: string;
  /** What it does now */
  state: ContainerState;
  /** How it ended last time */
  lastState: ContainerState;
  /** It takes traffic */
  ready: boolean;
  /** How often it was started again */
  restartCount: number;
  /** Image that runs, by name */
  image: string;
  /** Image that runs, by digest */
  imageID: string;
  /** Its id in the runtime */
  containerID?: string | undefined;
  /** The startup probe has succeeded */
  started?: boolean | undefined;
  /** What the node set aside for it */
  allocatedResources?: { [key: string]: string } | undefined;
  /** What it really may use */
  resources?: ResourceRequirements | undefined;
  /** Its mounts */
  volumeMounts?: VolumeMountStatus[] | undefined;
  /** As whom it runs */
  user?: ContainerUser | undefined;
  /** Health of the devices it got */
  allocatedResourcesStatus?: ResourceStatus[] | undefined;
  /** Signal that stops it */
  stopSignal?: string | undefined;
};

/** As whom a container runs */
export type ContainerUser = {
  /** On Linux */
  linux?: LinuxContainerUser | undefined;
};

/** A version of a set's template, kept to go back to */
export type ControllerRevision = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** The version, in its owner's format */
  data?: JsonValue | null | undefined;
  /** Counts versions */
  revision: number;
};

/** Some objects of kind ControllerRevision, and the state of the store they show */
export type ControllerRevisionList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: ControllerRevision[] | null | undefined;
};

/** How to create */
export type CreateOptions = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** All: do everything but store the result */
  dryRun?: string[] | undefined;
  /** Who is said to set the fields */
  fieldManager?: string | undefined;
  /** Ignore, Warn or Strict about unknown and repeated fields */
  fieldValidation?: string | undefined;
};

/** Makes jobs by the calendar */
export type CronJob = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What should be */
  spec: CronJobSpec;
  /** What is */
  status: CronJobStatus;
};

/** Some objects of kind CronJob, and the state of the store they show */
export type CronJobList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: CronJob[] | null | undefined;
};

/** When to make jobs, and which */
export type CronJobSpec = {
  /** In cron's five fields */
  schedule: string;
  /** Of the schedule; the controller's if absent */
  timeZone?: string | undefined;
  /** How late a job may still start */
  startingDeadlineSeconds?: number | undefined;
  /** What if the job before still runs */
  concurrencyPolicy?: string | undefined;
  /** Make no jobs for now */
  suspend?: boolean | undefined;
  /** What jobs are made from */
  jobTemplate: JobTemplateSpec;
  /** How many jobs that succeeded are kept */
  successfulJobsHistoryLimit?: number | undefined;
  /** How many jobs that failed are kept */
  failedJobsHistoryLimit?: number | undefined;
};

/** What a cron job did */
export type CronJobStatus = {
  /** Jobs that run */
  active?: ObjectReference[] | undefined;
  /** When a job was last made */
  lastScheduleTime?: string | undefined;
  /** When a job last succeeded */
  lastSuccessfulTime?: string | undefined;
};

/** One port */
export type DaemonEndpoint = {
  /** The number */
  Port: number;
};

/** Runs one pod on every node that fits */
export type DaemonSet = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What should be */
  spec: DaemonSetSpec;
  /** What is */
  status: DaemonSetStatus;
};

/** One finding about a daemon set */
export type DaemonSetCondition = {
  /** What is judged */
  type: string;
  /** True, False or Unknown */
  status: string;
  /** When the status last flipped */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word for programs */
  reason?: string | undefined;
  /** A sentence for people */
  message?: string | undefined;
};

/** Some objects of kind DaemonSet, and the state of the store they show */
export type DaemonSetList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: DaemonSet[] | null | undefined;
};

/** Which pod, and how it is replaced */
export type DaemonSetSpec = {
  /** Labels of its pods */
  selector?: LabelSelector | null | undefined;
  /** What new pods are made from; also says on which nodes */
  template: PodTemplateSpec;
  /** How old pods give way to new ones */
  updateStrategy: DaemonSetUpdateStrategy;
  /** How long a new pod must be ready to count as available */
  minReadySeconds?: number | undefined;
  /** How many old versions are kept to go back to */
  revisionHistoryLimit?: number | undefined;
};

/** On how many nodes the pod runs */
export type DaemonSetStatus = {
  /** Nodes that should run it and do */
  currentNumberScheduled: number;
  /** Nodes that run it and should not */
  numberMisscheduled: number;
  /** Nodes that should run it */
  desiredNumberScheduled: number;
  /** Nodes where it is ready */
  numberReady: number;
  /** Generation of the object that this is about */
  observedGeneration?: number | undefined;
  /** Nodes that run the newest version */
  updatedNumberScheduled?: number | undefined;
  /** Nodes where it has been ready for long enough */
  numberAvailable?: number | undefined;
  /** Nodes where it should be available and is not */
  numberUnavailable?: number | undefined;
  /** How often the name of a new revision was taken */
  collisionCount?: number | undefined;
  /** Latest findings, one per type */
  conditions?: DaemonSetCondition[] | undefined;
};

/** How old pods give way to new ones */
export type DaemonSetUpdateStrategy = {
  /** By itself, or when someone deletes them */
  type?: string | undefined;
  /** Sizes of the steps */
  rollingUpdate?: RollingUpdateDaemonSet | undefined;
};

/** How to delete */
export type DeleteOptions = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** How long the object may take to stop; 0 is at once */
  gracePeriodSeconds?: number | undefined;
  /** Delete only if these hold */
  preconditions?: Preconditions | undefined;
  /** Outdated spelling of a propagation policy */
  orphanDependents?: boolean | undefined;
  /** Orphan, Background or Foreground: what becomes of dependents */
  propagationPolicy?: string | undefined;
  /** All: do everything but store the result */
  dryRun?: string[] | undefined;
  /** Delete even what can no longer be read from the store */
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean | undefined;
};

/** What a new content must pass before it is delivered */
export type DeliveryCheck = {
  /** Names the check in messages */
  name: string;
  /** Patterns of the keys that are checked; all if empty */
  keys?: string[] | undefined;
  /** The value must be readable as this */
  format?: string | undefined;
  /** A JSON Schema that the value must fulfil */
  schema?: JsonValue | undefined;
};

/** How changes of a set of ConfigMaps and Secrets travel */
export type DeliveryPolicy = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What the policy asks for */
  spec: DeliveryPolicySpec;
  /** Where its deliveries stand */
  status: DeliveryPolicyStatus;
};

/** Some objects of kind DeliveryPolicy, and the state of the store they show */
export type DeliveryPolicyList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: DeliveryPolicy[] | null | undefined;
};

/** How changes of the chosen objects are delivered */
export type DeliveryPolicySpec = {
  /** Chooses ConfigMaps and Secrets by their labels */
  selector?: LabelSelector | null | undefined;
  /** Narrows the choice; both if empty */
  kinds?: string[] | undefined;
  /** Objects of one change set are delivered together */
  changeSet?: string | undefined;
  /** All must pass */
  checks?: DeliveryCheck[] | undefined;
  /** Steps; absent delivers everywhere at once */
  rollout?: DeliveryRollout | undefined;
  /** Judges each step */
  health?: HealthGate | undefined;
  /** What follows when a step is not healthy or not confirmed */
  rollback?: string | undefined;
  /** Absent keeps changes without asking */
  confirm?: ConfirmWindow | undefined;
  /** Every action that fits is taken */
  reload?: ReloadAction[] | undefined;
};

/** Where deliveries under the policy stand */
export type DeliveryPolicyStatus = {
  /** The generation of the policy that this is about */
  observedGeneration?: number | undefined;
  /** The rollout step that was reached */
  step?: number | undefined;
  /** Latest findings, one per type */
  conditions?: Condition[] | undefined;
};

/** In which steps a change goes out */
export type DeliveryRollout = {
  /** In order; everything at once if empty */
  steps?: RolloutStep[] | undefined;
  /** Holds the delivery where it is */
  paused?: boolean | undefined;
};

/** Keeps equal pods running and brings them from one version to the next */
export type Deployment = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What should be */
  spec: DeploymentSpec;
  /** What is */
  status: DeploymentStatus;
};

/** One finding about a deployment */
export type DeploymentCondition = {
  /** What is judged */
  type: string;
  /** True, False or Unknown */
  status: string;
  /** When this was last confirmed */
  lastUpdateTime?: string | null | undefined;
  /** When the status last flipped */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word for programs */
  reason?: string | undefined;
  /** A sentence for people */
  message?: string | undefined;
};

/** Some objects of kind Deployment, and the state of the store they show */
export type DeploymentList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: Deployment[] | null | undefined;
};

/** How many pods, which, and how they are replaced */
export type DeploymentSpec = {
  /** How many */
  replicas?: number | undefined;
  /** Labels of its pods */
  selector?: LabelSelector | null | undefined;
  /** What new pods are made from */
  template: PodTemplateSpec;
  /** How old pods give way to new ones */
  strategy: DeploymentStrategy;
  /** How long a new pod must be ready to count as available */
  minReadySeconds?: number | undefined;
  /** How many old ReplicaSets are kept to go back to */
  revisionHistoryLimit?: number | undefined;
  /** Change nothing for now */
  paused?: boolean | undefined;
  /** After how long without progress it counts as failed */
  progressDeadlineSeconds?: number | undefined;
};

/** How far a deployment is */
export type DeploymentStatus = {
  /** Generation of the object that this is about */
  observedGeneration?: number | undefined;
  /** Pods in all */
  replicas?: number | undefined;
  /** Pods of the newest version */
  updatedReplicas?: number | undefined;
  /** Pods that are ready */
  readyReplicas?: number | undefined;
  /** Pods that have been ready for long enough */
  availableReplicas?: number | undefined;
  /** Pods that are still missing */
  unavailableReplicas?: number | undefined;
  /** Pods that are stopping */
  terminatingReplicas?: number | undefined;
  /** Latest findings, one per type */
  conditions?: DeploymentCondition[] | undefined;
  /** How often the name of a new ReplicaSet was taken */
  collisionCount?: number | undefined;
};

/** How old pods give way to new ones */
export type DeploymentStrategy = {
  /** All at once, or step by step */
  type?: string | undefined;
  /** Sizes of the steps */
  rollingUpdate?: RollingUpdateDeployment | undefined;
};

/** One port */
export type DiscoveryV1EndpointPort = {
  /** As in the service */
  name?: string | undefined;
  /** Transport that is spoken */
  protocol?: string | undefined;
  /** The number */
  port?: number | undefined;
  /** What is spoken above the transport */
  appProtocol?: string | undefined;
};

/** Files about the pod, among others */
export type DownwardAPIProjection = {
  /** The files */
  items?: DownwardAPIVolumeFile[] | undefined;
};

/** A file that tells the pod about itself */
export type DownwardAPIVolumeFile = {
  /** Of the file in the volume */
  path: string;
  /** A field of the pod */
  fieldRef?: ObjectFieldSelector | undefined;
  /** A resource of a container */
  resourceFieldRef?: ResourceFieldSelector | undefined;
  /** Permissions of the file */
  mode?: number | undefined;
  /** Owner of the file */
  user?: number | undefined;
};

/** Files that tell the pod about itself */
export type DownwardAPIVolumeSource = {
  /** The files */
  items?: DownwardAPIVolumeFile[] | undefined;
  /** Permissions of the files */
  defaultMode?: number | undefined;
  /** Owner of the files */
  defaultUser?: number | undefined;
};

/** A difference that delivery cannot close by itself */
export type Drift = {
  /** Why the difference stays */
  reason: string;
  /** The reason in words, and what would fix it */
  message?: string | undefined;
  /** When the difference was first seen */
  since?: string | undefined;
};

/** An empty directory that lives as long as the pod */
export type EmptyDirVolumeSource = {
  /** Memory keeps it in RAM */
  medium?: string | undefined;
  /** The pod is evicted if it grows larger */
  sizeLimit?: string | undefined;
  /** Permissions of the directory */
  mode?: number | undefined;
};

/** One place where a service can be reached */
export type Endpoint = {
  /** Of one type; the first counts */
  addresses?: string[] | null | undefined;
  /** Whether it takes traffic */
  conditions: EndpointConditions;
  /** Its name within the service */
  hostname?: string | undefined;
  /** The object behind it, mostly a pod */
  targetRef?: ObjectReference | undefined;
  /** Labels of the node, from an older version */
  deprecatedTopology?: { [key: string]: string } | undefined;
  /** The node behind it */
  nodeName?: string | undefined;
  /** Zone of the node */
  zone?: string | undefined;
  /** Who should use it */
  hints?: EndpointHints | undefined;
};

/** One address */
export type EndpointAddress = {
  /** The address itself */
  ip: string;
  /** Its name within the service */
  hostname?: string | undefined;
  /** The node behind it */
  nodeName?: string | undefined;
  /** The object behind it, mostly a pod */
  targetRef?: ObjectReference | undefined;
};

/** Whether a place takes traffic */
export type EndpointConditions = {
  /** It does */
  ready?: boolean | undefined;
  /** It would, were it not stopping */
  serving?: boolean | undefined;
  /** It is stopping */
  terminating?: boolean | undefined;
};

/** Who should use a place */
export type EndpointHints = {
  /** Clients in these zones */
  forZones?: ForZone[] | undefined;
  /** Clients on these nodes */
  forNodes?: ForNode[] | undefined;
};

/** One port */
export type EndpointPort = {
  /** As in the service */
  name?: string | undefined;
  /** The number */
  port: number;
  /** Transport that is spoken */
  protocol?: string | undefined;
  /** What is spoken above the transport */
  appProtocol?: string | undefined;
};

/** Some of the places where a service can be reached */
export type EndpointSlice = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What kind of addresses; never changes */
  addressType: string;
  /** The places */
  endpoints?: Endpoint[] | null | undefined;
  /** Ports of every place */
  ports?: DiscoveryV1EndpointPort[] | null | undefined;
};

/** Some objects of kind EndpointSlice, and the state of the store they show */
export type EndpointSliceList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: EndpointSlice[] | null | undefined;
};

/** Addresses that share the same ports */
export type EndpointSubset = {
  /** Those that take traffic */
  addresses?: EndpointAddress[] | undefined;
  /** Those that do not take traffic now */
  notReadyAddresses?: EndpointAddress[] | undefined;
  /** Ports of every address */
  ports?: EndpointPort[] | undefined;
};

/** Where a service's pods can be reached */
export type Endpoints = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** Addresses with the ports that all of them have */
  subsets?: EndpointSubset[] | undefined;
};

/** Some objects of kind Endpoints, and the state of the store they show */
export type EndpointsList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: Endpoints[] | null | undefined;
};

/** A whole ConfigMap or Secret as variables */
export type EnvFromSource = {
  /** Put before each key */
  prefix?: string | undefined;
  /** The ConfigMap */
  configMapRef?: ConfigMapEnvSource | undefined;
  /** The Secret */
  secretRef?: SecretEnvSource | undefined;
};

/** One environment variable */
export type EnvVar = {
  /** Of the variable */
  name: string;
  /** Text in which $(NAME) stands for other variables */
  value?: string | undefined;
  /** Where else the value comes from */
  valueFrom?: EnvVarSource | undefined;
};

/** Where the value of a variable comes from; one of them */
export type EnvVarSource = {
  /** A field of the pod */
  fieldRef?: ObjectFieldSelector | undefined;
  /** A resource of a container */
  resourceFieldRef?: ResourceFieldSelector | undefined;
  /** A key of a ConfigMap */
  configMapKeyRef?: ConfigMapKeySelector | undefined;
  /** A key of a Secret */
  secretKeyRef?: SecretKeySelector | undefined;
  /** A key in a file of variables */
  fileKeyRef?: FileKeySelector | undefined;
};

/** A container added to a running pod, for looking into it */
export type EphemeralContainer = {
  /** Unique in the pod */
  name: string;
  /** What to run */
  image?: string | undefined;
  /** Program instead of the image's; $(NAME) stands for variables */
  command?: string[] | undefined;
  /** Arguments instead of the image's; $(NAME) stands for variables */
  args?: string[] | undefined;
  /** Directory to start in */
  workingDir?: string | undefined;
  /** Ports it listens on, mostly for readers */
  ports?: ContainerPort[] | undefined;
  /** Whole ConfigMaps and Secrets as variables */
  envFrom?: EnvFromSource[] | undefined;
  /** Single variables; they win over envFrom */
  env?: EnvVar[] | undefined;
  /** How much it asks for and may use */
  resources: ResourceRequirements;
  /** Whether a new size needs a restart */
  resizePolicy?: ContainerResizePolicy[] | undefined;
  /** Instead of the pod's; Always makes an init container a sidecar */
  restartPolicy?: string | undefined;
  /** Exit codes that decide about a restart first */
  restartPolicyRules?: ContainerRestartRule[] | undefined;
  /** Volumes of the pod, and where they appear */
  volumeMounts?: VolumeMount[] | undefined;
  /** Block devices, and where they appear */
  volumeDevices?: VolumeDevice[] | undefined;
  /** Restart when it fails */
  livenessProbe?: Probe | undefined;
  /** Take no traffic while it fails */
  readinessProbe?: Probe | undefined;
  /** Holds the other probes back until it succeeds */
  startupProbe?: Probe | undefined;
  /** What is done after the start and before the stop */
  lifecycle?: Lifecycle | undefined;
  /** File with the last words of the container */
  terminationMessagePath?: string | undefined;
  /** Whether the log may stand in for that file */
  terminationMessagePolicy?: string | undefined;
  /** When to fetch the image */
  imagePullPolicy?: string | undefined;
  /** With which rights it runs */
  securityContext?: SecurityContext | undefined;
  /** Keep a standard input */
  stdin?: boolean | undefined;
  /** Close that input after the first client leaves */
  stdinOnce?: boolean | undefined;
  /** Give it a terminal */
  tty?: boolean | undefined;
  /** Container whose processes it sees */
  targetContainerName?: string | undefined;
};

/** A claim that lives as long as the pod */
export type EphemeralVolumeSource = {
  /** What the claim is made from */
  volumeClaimTemplate?: PersistentVolumeClaimTemplate | undefined;
};

/** Something that happened to an object; kept for a while */
export type Event = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** To whom it happened */
  involvedObject: ObjectReference;
  /** Why, one CamelCase word for programs */
  reason?: string | undefined;
  /** What happened, for people */
  message?: string | undefined;
  /** Who says so, in the old spelling */
  source: EventSource;
  /** When it was seen first */
  firstTimestamp?: string | null | undefined;
  /** When it was seen last */
  lastTimestamp?: string | null | undefined;
  /** How often it was seen */
  count?: number | undefined;
  /** Normal or Warning */
  type?: string | undefined;
  /** When it was seen first, to the microsecond */
  eventTime?: string | null | undefined;
  /** Present if it goes on */
  series?: EventSeries | undefined;
  /** What was done or failed */
  action?: string | undefined;
  /** A second object that plays a part */
  related?: ObjectReference | undefined;
  /** Who says so */
  reportingComponent: string;
  /** Which instance of the reporter */
  reportingInstance: string;
};

/** Some objects of kind Event, and the state of the store they show */
export type EventList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: Event[] | null | undefined;
};

/** An event that keeps happening */
export type EventSeries = {
  /** How often so far */
  count?: number | undefined;
  /** When it was seen last */
  lastObservedTime?: string | null | undefined;
};

/** Who reported an event, in the old spelling */
export type EventSource = {
  /** Part of the system */
  component?: string | undefined;
  /** The node it ran on */
  host?: string | undefined;
};

/** Something that happened to an object; kept for a while */
export type EventsV1Event = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** When it was seen first */
  eventTime?: string | null | undefined;
  /** Present if it goes on */
  series?: EventsV1EventSeries | undefined;
  /** Who says so */
  reportingController?: string | undefined;
  /** Which instance of the reporter */
  reportingInstance?: string | undefined;
  /** What was done or failed */
  action?: string | undefined;
  /** Why, one CamelCase word for programs */
  reason?: string | undefined;
  /** To whom it happened */
  regarding: ObjectReference;
  /** A second object that plays a part */
  related?: ObjectReference | undefined;
  /** What happened, for people */
  note?: string | undefined;
  /** Normal or Warning */
  type?: string | undefined;
  /** The core group's source */
  deprecatedSource: EventSource;
  /** The core group's firstTimestamp */
  deprecatedFirstTimestamp?: string | null | undefined;
  /** The core group's lastTimestamp */
  deprecatedLastTimestamp?: string | null | undefined;
  /** The core group's count */
  deprecatedCount?: number | undefined;
};

/** Some objects of kind Event, and the state of the store they show */
export type EventsV1EventList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: EventsV1Event[] | null | undefined;
};

/** An event that keeps happening */
export type EventsV1EventSeries = {
  /** How often so far */
  count: number;
  /** When it was seen last */
  lastObservedTime?: string | null | undefined;
};

/** Asks for a pod to go, if the budget allows */
export type Eviction = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** How to delete it */
  deleteOptions?: DeleteOptions | undefined;
};

/** Someone with a say when a pod is evicted */
export type EvictionResponder = {
  /** Who */
  name: string;
  /** Those with more are asked first */
  priority?: number | null | undefined;
};

/** Runs a command in a container */
export type ExecAction = {
  /** Program and arguments; no shell is involved */
  command?: string[] | undefined;
};

/** A disk on Fibre Channel */
export type FCVolumeSource = {
  /** World wide names of the targets */
  targetWWNs?: string[] | undefined;
  /** Number of the unit */
  lun?: number | undefined;
  /** File system on it */
  fsType?: string | undefined;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
  /** World wide ids of the disk, instead of target and unit */
  wwids?: string[] | undefined;
};

/** A field selector, as text or in parts */
export type FieldSelectorAttributes = {
  /** As text */
  rawSelector?: string | undefined;
  /** In parts */
  requirements?: FieldSelectorRequirement[] | undefined;
};

/** One demand on a field */
export type FieldSelectorRequirement = {
  /** The field */
  key: string;
  /** In, NotIn, Exists or DoesNotExist */
  operator: string;
  /** For In and NotIn: the values meant */
  values?: string[] | undefined;
};

/** One variable in a file of variables */
export type FileKeySelector = {
  /** Volume that holds the file */
  volumeName: string;
  /** Of the file in the volume */
  path: string;
  /** The variable in the file */
  key: string;
  /** The container may start without it */
  optional?: boolean | undefined;
};

/** A volume of a driver on the node */
export type FlexPersistentVolumeSource = {
  /** Name of the driver */
  driver: string;
  /** File system on it */
  fsType?: string | undefined;
  /** Credentials for the driver */
  secretRef?: SecretReference | undefined;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
  /** Settings for the driver */
  options?: { [key: string]: string } | undefined;
};

/** A volume of a driver on the node */
export type FlexVolumeSource = {
  /** Name of the driver */
  driver: string;
  /** File system on it */
  fsType?: string | undefined;
  /** Credentials for the driver */
  secretRef?: LocalObjectReference | undefined;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
  /** Settings for the driver */
  options?: { [key: string]: string } | undefined;
};

/** A Flocker dataset */
export type FlockerVolumeSource = {
  /** Name of the dataset; outdated */
  datasetName?: string | undefined;
  /** Id of the dataset */
  datasetUUID?: string | undefined;
};

/** A node whose clients are meant */
export type ForNode = {
  /** Of the node */
  name: string;
};

/** A zone whose clients are meant */
export type ForZone = {
  /** Of the zone */
  name: string;
};

/** A disk of Google Cloud */
export type GCEPersistentDiskVolumeSource = {
  /** Name of the disk */
  pdName: string;
  /** File system on it */
  fsType?: string | undefined;
  /** Which partition; the whole disk if 0 */
  partition?: number | undefined;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
};

/** Calls the gRPC health service */
export type GRPCAction = {
  /** Number of the port */
  port: number;
  /** Name that the health service is asked about */
  service?: string | null | undefined;
  /** Whether the connection is encrypted */
  mode?: string | undefined;
};

/** A clone of a git repository; outdated */
export type GitRepoVolumeSource = {
  /** Address of the repository */
  repository: string;
  /** Commit to check out */
  revision?: string | undefined;
  /** Where to put it in the volume */
  directory?: string | undefined;
};

/** A Gluster volume */
export type GlusterfsPersistentVolumeSource = {
  /** Endpoints object with the servers */
  endpoints: string;
  /** Name of the volume */
  path: string;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
  /** Where the endpoints live; the claim's namespace if absent */
  endpointsNamespace?: string | undefined;
};

/** A Gluster volume */
export type GlusterfsVolumeSource = {
  /** Endpoints object with the servers */
  endpoints: string;
  /** Name of the volume */
  path: string;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
};

/** One version of a group */
export type GroupVersionForDiscovery = {
  /** Group and version with a slash between */
  groupVersion: string;
  /** The version alone */
  version: string;
};

/** Sends an HTTP GET request */
export type HTTPGetAction = {
  /** Path of the request */
  path?: string | undefined;
  /** Number of the port, or its name in the container */
  port: number | string;
  /** Host to ask; the pod if absent */
  host?: string | undefined;
  /** HTTP or HTTPS, without checking the certificate */
  scheme?: string | undefined;
  /** Headers to send */
  httpHeaders?: HTTPHeader[] | undefined;
  /** Version of HTTP to speak */
  protocol?: string | undefined;
};

/** One header of a request */
export type HTTPHeader = {
  /** Of the header */
  name: string;
  /** Of the header */
  value: string;
};

/** One path and where it leads */
export type HTTPIngressPath = {
  /** Of the request */
  path?: string | undefined;
  /** How paths are compared */
  pathType?: string | null | undefined;
  /** Where it leads */
  backend: IngressBackend;
};

/** Paths of a host */
export type HTTPIngressRuleValue = {
  /** Paths and where they lead */
  paths?: HTTPIngressPath[] | null | undefined;
};

/** What must hold after a step for the next one to begin */
export type HealthGate = {
  /** How long pods may take to become healthy */
  timeoutSeconds?: number | undefined;
  /** How many container restarts are still healthy */
  maxRestarts?: number | undefined;
  /** How many of the step's pods must be ready */
  minReady?: number | string | undefined;
};

/** A line of the hosts file */
export type HostAlias = {
  /** The address */
  ip: string;
  /** Names for it */
  hostnames?: string[] | undefined;
};

/** An address of a node */
export type HostIP = {
  /** The address */
  ip: string;
};

/** A path of the node */
export type HostPathVolumeSource = {
  /** Of the file or directory */
  path: string;
  /** What must be there, or be made */
  type?: string | undefined;
};

/** A range of addresses */
export type IPBlock = {
  /** The range */
  cidr: string;
  /** Ranges within it that do not count */
  except?: string[] | undefined;
};

/** A disk on iSCSI */
export type ISCSIPersistentVolumeSource = {
  /** Address of the target */
  targetPortal: string;
  /** Name of the target */
  iqn: string;
  /** Number of the unit */
  lun: number;
  /** Interface to connect through */
  iscsiInterface?: string | undefined;
  /** File system on it */
  fsType?: string | undefined;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
  /** Further addresses of the target */
  portals?: string[] | undefined;
  /** Authenticate when looking for targets */
  chapAuthDiscovery?: boolean | undefined;
  /** Authenticate when connecting */
  chapAuthSession?: boolean | undefined;
  /** Credentials */
  secretRef?: SecretReference | undefined;
  /** Name to connect as */
  initiatorName?: string | undefined;
};

/** A disk on iSCSI */
export type ISCSIVolumeSource = {
  /** Address of the target */
  targetPortal: string;
  /** Name of the target */
  iqn: string;
  /** Number of the unit */
  lun: number;
  /** Interface to connect through */
  iscsiInterface?: string | undefined;
  /** File system on it */
  fsType?: string | undefined;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
  /** Further addresses of the target */
  portals?: string[] | undefined;
  /** Authenticate when looking for targets */
  chapAuthDiscovery?: boolean | undefined;
  /** Authenticate when connecting */
  chapAuthSession?: boolean | undefined;
  /** Credentials */
  secretRef?: LocalObjectReference | undefined;
  /** Name to connect as */
  initiatorName?: string | undefined;
};

/** The files of an image */
export type ImageVolumeSource = {
  /** Name of the image */
  reference?: string | undefined;
  /** When to fetch the image */
  pullPolicy?: string | undefined;
};

/** What is known of an image volume */
export type ImageVolumeStatus = {
  /** Image that was mounted, by digest */
  imageRef?: string | undefined;
};

/** Leads HTTP from outside to services */
export type Ingress = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What should be */
  spec: IngressSpec;
  /** What is */
  status: IngressStatus;
};

/** Where requests go; one of them */
export type IngressBackend = {
  /** A service */
  service?: IngressServiceBackend | undefined;
  /** Some other object */
  resource?: TypedLocalObjectReference | undefined;
};

/** Some objects of kind Ingress, and the state of the store they show */
export type IngressList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: Ingress[] | null | undefined;
};

/** One place where traffic can enter */
export type IngressLoadBalancerIngress = {
  /** Address, for balancers that have one */
  ip?: string | undefined;
  /** Name, for balancers that have one */
  hostname?: string | undefined;
  /** What was done for each port */
  ports?: IngressPortStatus[] | undefined;
};

/** What a balancer gave an ingress */
export type IngressLoadBalancerStatus = {
  /** Where traffic can enter */
  ingress?: IngressLoadBalancerIngress[] | undefined;
};

/** What was done for one port */
export type IngressPortStatus = {
  /** The number */
  port: number;
  /** Transport that is spoken */
  protocol: string;
  /** Why it failed, if it did */
  error?: string | undefined;
};

/** What holds for one host */
export type IngressRule = {
  /** Name of the host, *. for any below; all if empty */
  host?: string | undefined;
  /** Paths and where they lead */
  http?: HTTPIngressRuleValue | undefined;
};

/** A service and its port */
export type IngressServiceBackend = {
  /** Of the service */
  name: string;
  /** Of the service */
  port: ServiceBackendPort;
};

/** Which requests go where */
export type IngressSpec = {
  /** Who serves it */
  ingressClassName?: string | undefined;
  /** Where requests go that no rule fits */
  defaultBackend?: IngressBackend | undefined;
  /** Hosts with certificates */
  tls?: IngressTLS[] | undefined;
  /** Which hosts and paths go where */
  rules?: IngressRule[] | undefined;
};

/** What an ingress is */
export type IngressStatus = {
  /** What the balancer gave it */
  loadBalancer: IngressLoadBalancerStatus;
};

/** Hosts that share a certificate */
export type IngressTLS = {
  /** Names of the hosts */
  hosts?: string[] | undefined;
  /** Secret with key and certificate */
  secretName?: string | undefined;
};

/** Runs pods until enough of them have succeeded */
export type Job = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What should be */
  spec: JobSpec;
  /** What is */
  status: JobStatus;
};

/** One finding about a job */
export type JobCondition = {
  /** What is judged */
  type: string;
  /** True, False or Unknown */
  status: string;
  /** When this was last looked at */
  lastProbeTime?: string | null | undefined;
  /** When the status last flipped */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word for programs */
  reason?: string | undefined;
  /** A sentence for people */
  message?: string | undefined;
};

/** Some objects of kind Job, and the state of the store they show */
export type JobList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: Job[] | null | undefined;
};

/** How a job's pods are placed as a group */
export type JobSchedulingConfiguration = {
  /** One by one or together */
  schedulingPolicy?: WorkloadPodGroupSchedulingPolicy | undefined;
  /** Where the group may be placed */
  schedulingConstraints?: WorkloadPodGroupSchedulingConstraints | undefined;
  /** Whether pods may be pushed aside one by one */
  disruptionMode?: WorkloadPodGroupDisruptionMode | undefined;
  /** Claims that the group shares */
  resourceClaims?: WorkloadPodGroupResourceClaim[] | undefined;
};

/** How many pods must succeed, and what if they fail */
export type JobSpec = {
  /** How many may run at once */
  parallelism?: number | undefined;
  /** How many must succeed */
  completions?: number | undefined;
  /** How long the job may take */
  activeDeadlineSeconds?: number | undefined;
  /** What a failure means, by exit code and condition */
  podFailurePolicy?: PodFailurePolicy | undefined;
  /** What is enough to succeed */
  successPolicy?: SuccessPolicy | undefined;
  /** How many failures make the job fail */
  backoffLimit?: number | undefined;
  /** How many failures make one index fail */
  backoffLimitPerIndex?: number | undefined;
  /** How many failed indexes make the job fail */
  maxFailedIndexes?: number | undefined;
  /** Labels of its pods; made by the server */
  selector?: LabelSelector | undefined;
  /** The selector was chosen by hand */
  manualSelector?: boolean | undefined;
  /** What new pods are made from */
  template: PodTemplateSpec;
  /** How long the finished job is kept */
  ttlSecondsAfterFinished?: number | undefined;
  /** Whether pods are alike or numbered */
  completionMode?: string | undefined;
  /** Run no pods for now */
  suspend?: boolean | undefined;
  /** When a failed pod is replaced */
  podReplacementPolicy?: string | undefined;
  /** Who looks after the job, if not the usual controller */
  managedBy?: string | undefined;
  /** How its pods are placed as a group */
  scheduling?: JobSchedulingConfiguration | undefined;
};

/** How far a job is */
export type JobStatus = {
  /** Latest findings, one per type */
  conditions?: JobCondition[] | undefined;
  /** When it began */
  startTime?: string | undefined;
  /** When it succeeded */
  completionTime?: string | undefined;
  /** Pods that have not ended */
  active?: number | undefined;
  /** Pods that succeeded */
  succeeded?: number | undefined;
  /** Pods that failed */
  failed?: number | undefined;
  /** Pods that are stopping */
  terminating?: number | undefined;
  /** Indexes that succeeded, as 1,3-5 */
  completedIndexes?: string | undefined;
  /** Indexes that failed, as 1,3-5 */
  failedIndexes?: string | undefined;
  /** Pods that have ended and are not in the numbers yet */
  uncountedTerminatedPods?: UncountedTerminatedPods | undefined;
  /** Pods that are ready */
  ready?: number | undefined;
};

/** What jobs are made from */
export type JobTemplateSpec = {
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** Of the jobs */
  spec: JobSpec;
};

/** One key as a file */
export type KeyToPath = {
  /** The key */
  key: string;
  /** Of the file, relative, without .. */
  path: string;
  /** Permissions of the file */
  mode?: number | undefined;
  /** Owner of the file */
  user?: number | undefined;
};

/** Chooses objects by labels; everything must hold, nothing chooses all */
export type LabelSelector = {
  /** Labels that must have exactly these values */
  matchLabels?: { [key: string]: string } | undefined;
  /** Further demands on labels */
  matchExpressions?: LabelSelectorRequirement[] | undefined;
};

/** A label selector, as text or in parts */
export type LabelSelectorAttributes = {
  /** As text */
  rawSelector?: string | undefined;
  /** In parts */
  requirements?: LabelSelectorRequirement[] | undefined;
};

/** One demand on a label */
export type LabelSelectorRequirement = {
  /** The label */
  key: string;
  /** In, NotIn, Exists or DoesNotExist */
  operator: string;
  /** For In and NotIn: the values meant */
  values?: string[] | undefined;
};

/** Says who leads or lives, and until when */
export type Lease = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** The lease */
  spec: LeaseSpec;
};

/** Some objects of kind Lease, and the state of the store they show */
export type LeaseList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: Lease[] | null | undefined;
};

/** Who has a lease, and until when */
export type LeaseSpec = {
  /** Who has it */
  holderIdentity?: string | undefined;
  /** How long it lasts after a renewal */
  leaseDurationSeconds?: number | undefined;
  /** When the holder got it */
  acquireTime?: string | undefined;
  /** When the holder last renewed it */
  renewTime?: string | undefined;
  /** How often it changed hands */
  leaseTransitions?: number | undefined;
  /** How the next holder is chosen */
  strategy?: string | undefined;
  /** To whom the holder should hand it over */
  preferredHolder?: string | undefined;
};

/** What is done around a container's life */
export type Lifecycle = {
  /** Right after the start; the container waits for it */
  postStart?: LifecycleHandler | undefined;
  /** Before the container is told to stop */
  preStop?: LifecycleHandler | undefined;
  /** Signal that means stop */
  stopSignal?: string | undefined;
};

/** What to do; one of them */
export type LifecycleHandler = {
  /** Run a command in the container */
  exec?: ExecAction | undefined;
  /** Send an HTTP request */
  httpGet?: HTTPGetAction | undefined;
  /** Does nothing; kept for old manifests */
  tcpSocket?: TCPSocketAction | undefined;
  /** Wait a while */
  sleep?: SleepAction | undefined;
};

/** Bounds and defaults for what pods of a namespace ask for */
export type LimitRange = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** The bounds */
  spec: LimitRangeSpec;
};

/** Bounds for one type of object, by resource */
export type LimitRangeItem = {
  /** Pod, Container or PersistentVolumeClaim */
  type: string;
  /** At most */
  max?: { [key: string]: string } | undefined;
  /** At least */
  min?: { [key: string]: string } | undefined;
  /** Limit of a container that names none */
  default?: { [key: string]: string } | undefined;
  /** Request of a container that names none */
  defaultRequest?: { [key: string]: string } | undefined;
  /** How many times the request a limit may be */
  maxLimitRequestRatio?: { [key: string]: string } | undefined;
};

/** Some objects of kind LimitRange, and the state of the store they show */
export type LimitRangeList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: LimitRange[] | null | undefined;
};

/** Bounds by type of object */
export type LimitRangeSpec = {
  /** All of them hold */
  limits?: LimitRangeItem[] | null | undefined;
};

/** Ids of a container's first process */
export type LinuxContainerUser = {
  /** User */
  uid: number;
  /** Main group */
  gid: number;
  /** Further groups */
  supplementalGroups?: number[] | undefined;
};

/** About a list as a whole */
export type ListMeta = {
  /** No longer filled in */
  selfLink?: string | undefined;
  /** State of the store that the list shows; watches can go on from here */
  resourceVersion?: string | undefined;
  /** Hand it back to get the next page */
  continue?: string | undefined;
  /** About how many objects are on later pages */
  remainingItemCount?: number | undefined;
  /** Present if the list is only a part, by hash */
  shardInfo?: ShardInfo | undefined;
};

/** One place where traffic can enter */
export type LoadBalancerIngress = {
  /** Address, for balancers that have one */
  ip?: string | undefined;
  /** Name, for balancers that have one */
  hostname?: string | undefined;
  /** Whether traffic arrives at the node with this address */
  ipMode?: string | undefined;
  /** What was done for each port */
  ports?: PortStatus[] | undefined;
};

/** What a balancer gave a service */
export type LoadBalancerStatus = {
  /** Where traffic can enter */
  ingress?: LoadBalancerIngress[] | undefined;
};

/** An object of a known kind in the same namespace */
export type LocalObjectReference = {
  /** Name of the object */
  name?: string | undefined;
};

/** Asks whether someone may do something in this namespace */
export type LocalSubjectAccessReview = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** The question */
  spec: SubjectAccessReviewSpec;
  /** The answer */
  status: SubjectAccessReviewStatus;
};

/** A disk or directory of one node */
export type LocalVolumeSource = {
  /** Of the disk or directory */
  path: string;
  /** File system on it */
  fsType?: string | undefined;
};

/** The fields that one manager set in one way */
export type ManagedFieldsEntry = {
  /** Name of the client or workflow */
  manager?: string | undefined;
  /** Apply or Update */
  operation?: string | undefined;
  /** Version in which the fields are named */
  apiVersion?: string | undefined;
  /** When the entry changed last */
  time?: string | undefined;
  /** How fieldsV1 is written; always FieldsV1 */
  fieldsType?: string | undefined;
  /** The set of fields, as nested keys */
  fieldsV1?: JsonValue | undefined;
  /** Through which subresource they were set */
  subresource?: string | undefined;
};

/** How far a change of attributes is */
export type ModifyVolumeStatus = {
  /** Class that it leads to */
  targetVolumeAttributesClassName?: string | undefined;
  /** Pending, InProgress or Infeasible */
  status: string;
};

/** A directory of an NFS server */
export type NFSVolumeSource = {
  /** Name or address of the server */
  server: string;
  /** The exported directory */
  path: string;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
};

/** A space for names */
export type Namespace = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What should be */
  spec: NamespaceSpec;
  /** What is */
  status: NamespaceStatus;
};

/** One finding about a namespace */
export type NamespaceCondition = {
  /** What is judged */
  type: string;
  /** True, False or Unknown */
  status: string;
  /** When the status last flipped */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word for programs */
  reason?: string | undefined;
  /** A sentence for people */
  message?: string | undefined;
};

/** Some objects of kind Namespace, and the state of the store they show */
export type NamespaceList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: Namespace[] | null | undefined;
};

/** What a namespace should be */
export type NamespaceSpec = {
  /** Who must empty it before it may vanish */
  finalizers?: string[] | undefined;
};

/** What a namespace is */
export type NamespaceStatus = {
  /** Active, or Terminating once deletion was asked for */
  phase?: string | undefined;
  /** How its deletion goes */
  conditions?: NamespaceCondition[] | undefined;
};

/** Who may speak with pods */
export type NetworkPolicy = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What should be */
  spec: NetworkPolicySpec;
};

/** What may go out */
export type NetworkPolicyEgressRule = {
  /** To these ports; all if missing */
  ports?: NetworkPolicyPort[] | undefined;
  /** To these; everywhere if missing */
  to?: NetworkPolicyPeer[] | undefined;
};

/** What may come in */
export type NetworkPolicyIngressRule = {
  /** To these ports; all if missing */
  ports?: NetworkPolicyPort[] | undefined;
  /** From these; everywhere if missing */
  from?: NetworkPolicyPeer[] | undefined;
};

/** Some objects of kind NetworkPolicy, and the state of the store they show */
export type NetworkPolicyList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: NetworkPolicy[] | null | undefined;
};

/** Those on the other side */
export type NetworkPolicyPeer = {
  /** Labels of pods */
  podSelector?: LabelSelector | undefined;
  /** Labels of their namespaces; this one if missing */
  namespaceSelector?: LabelSelector | undefined;
  /** Addresses, instead of pods */
  ipBlock?: IPBlock | undefined;
};

/** A port, or several in a row */
export type NetworkPolicyPort = {
  /** Transport that is spoken */
  protocol?: string | undefined;
  /** Number of the pods' port, or its name there; all if missing */
  port?: number | string | undefined;
  /** The last of several that begin with port */
  endPort?: number | undefined;
};

/** Which pods, and what they may */
export type NetworkPolicySpec = {
  /** Labels of the pods; all if empty */
  podSelector: LabelSelector;
  /** What may come in; nothing if missing */
  ingress?: NetworkPolicyIngressRule[] | undefined;
  /** What may go out; nothing if missing */
  egress?: NetworkPolicyEgressRule[] | undefined;
  /** Which of both it is about */
  policyTypes?: string[] | undefined;
};

/** A machine that runs pods */
export type Node = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What should be */
  spec: NodeSpec;
  /** What is */
  status: NodeStatus;
};

/** One address of a node */
export type NodeAddress = {
  /** What kind of address */
  type: string;
  /** The address */
  address: string;
};

/** On which nodes a pod would like to run */
export type NodeAffinity = {
  /** It runs nowhere else */
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector | undefined;
  /** It would rather run here */
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[] | undefined;
};

/** Amount of a node resource */
export type NodeAllocatableMappedResources = {
  /** Of the resource */
  name: string;
  /** How much */
  quantity?: string | null | undefined;
};

/** Extra amount of a node resource */
export type NodeAllocatableOverheadResources = {
  /** Of the resource */
  name: string;
  /** Once for the pod */
  perPod?: string | undefined;
  /** Once for each container */
  perContainer?: string | undefined;
};

/** Node resources that one claim takes up */
export type NodeAllocatableResourceClaimStatus = {
  /** The claim */
  resourceClaimName: string;
  /** Containers that use it */
  containers?: string[] | undefined;
  /** What its devices stand for */
  mapping?: NodeAllocatableMappedResources[] | undefined;
  /** What using it costs besides */
  overhead?: NodeAllocatableOverheadResources[] | undefined;
};

/** One finding about a node */
export type NodeCondition = {
  /** What is judged */
  type: string;
  /** True, False or Unknown */
  status: string;
  /** When this was last confirmed */
  lastHeartbeatTime?: string | null | undefined;
  /** When the status last flipped */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word for programs */
  reason?: string | undefined;
  /** A sentence for people */
  message?: string | undefined;
};

/** No longer used */
export type NodeConfigSource = {
  /** A ConfigMap with the agent's settings */
  configMap?: ConfigMapNodeConfigSource | undefined;
};

/** No longer used */
export type NodeConfigStatus = {
  /** Settings that it shall try */
  assigned?: NodeConfigSource | undefined;
  /** Settings in force */
  active?: NodeConfigSource | undefined;
  /** Settings to fall back to */
  lastKnownGood?: NodeConfigSource | undefined;
  /** Why it fell back */
  error?: string | undefined;
};

/** Ports of a node's agents */
export type NodeDaemonEndpoints = {
  /** Of the agent that runs pods */
  kubeletEndpoint: DaemonEndpoint;
};

/** What a node's runtime can do */
export type NodeFeatures = {
  /** Leave out groups from the image's files */
  supplementalGroupsPolicy?: boolean | undefined;
};

/** Some objects of kind Node, and the state of the store they show */
export type NodeList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: Node[] | null | undefined;
};

/** When a node may push pods aside */
export type NodePodPreemptionPolicy = {
  /** Not for the sake of a pod that grows */
  disableResizePreemption?: string[] | undefined;
};

/** Which path of a node to call */
export type NodeProxyOptions = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The path */
  path?: string | undefined;
};

/** A runtime that a node offers */
export type NodeRuntimeHandler = {
  /** Empty for the usual one */
  name: string;
  /** What it can do */
  features?: NodeRuntimeHandlerFeatures | undefined;
};

/** What a runtime can do */
export type NodeRuntimeHandlerFeatures = {
  /** Make mounts below a read-only mount read-only */
  recursiveReadOnlyMounts?: boolean | undefined;
  /** Give pods user ids of their own */
  userNamespaces?: boolean | undefined;
};

/** Chooses nodes; one term must fit */
export type NodeSelector = {
  /** Alternatives */
  nodeSelectorTerms?: NodeSelectorTerm[] | null | undefined;
};

/** One demand on a node */
export type NodeSelectorRequirement = {
  /** The label or field */
  key: string;
  /** How it must relate to the values */
  operator: string;
  /** None, one or several, by operator */
  values?: string[] | undefined;
};

/** Demands on a node that must all hold */
export type NodeSelectorTerm = {
  /** On its labels */
  matchExpressions?: NodeSelectorRequirement[] | undefined;
  /** On its fields */
  matchFields?: NodeSelectorRequirement[] | undefined;
};

/** What a node should be */
export type NodeSpec = {
  /** First network of its pods */
  podCIDR?: string | undefined;
  /** Networks of its pods, one per IP family */
  podCIDRs?: string[] | undefined;
  /** Its id at the cloud provider */
  providerID?: string | undefined;
  /** No new pods */
  unschedulable?: boolean | undefined;
  /** Keep pods away that do not tolerate them */
  taints?: Taint[] | undefined;
  /** No longer used */
  configSource?: NodeConfigSource | undefined;
  /** No longer used */
  externalID?: string | undefined;
  /** When it may push pods aside */
  podPreemptionPolicy?: NodePodPreemptionPolicy | undefined;
};

/** What a node is */
export type NodeStatus = {
  /** What it has, by resource */
  capacity?: { [key: string]: string } | undefined;
  /** What pods may use of it, by resource */
  allocatable?: { [key: string]: string } | undefined;
  /** No longer filled in */
  phase?: string | undefined;
  /** Latest findings, one per type */
  conditions?: NodeCondition[] | undefined;
  /** Where it can be reached */
  addresses?: NodeAddress[] | undefined;
  /** Ports of its agents */
  daemonEndpoints: NodeDaemonEndpoints;
  /** Its system */
  nodeInfo: NodeSystemInfo;
  /** Images that it has fetched */
  images?: ContainerImage[] | undefined;
  /** Volumes that are mounted */
  volumesInUse?: string[] | undefined;
  /** Volumes that are attached */
  volumesAttached?: AttachedVolume[] | undefined;
  /** No longer used */
  config?: NodeConfigStatus | undefined;
  /** Runtimes that it offers */
  runtimeHandlers?: NodeRuntimeHandler[] | undefined;
  /** What its runtime can do */
  features?: NodeFeatures | undefined;
  /** What it says it can do */
  declaredFeatures?: string[] | undefined;
};

/** Swap space of a node */
export type NodeSwapStatus = {
  /** In bytes */
  capacity?: number | undefined;
};

/** The system of a node */
export type NodeSystemInfo = {
  /** Id of the installation */
  machineID: string;
  /** Id of the hardware */
  systemUUID: string;
  /** Id of this boot */
  bootID: string;
  /** Of its kernel */
  kernelVersion: string;
  /** Its distribution */
  osImage: string;
  /** Name and version of its runtime */
  containerRuntimeVersion: string;
  /** Of its agent */
  kubeletVersion: string;
  /** No longer filled in */
  kubeProxyVersion: string;
  /** linux or windows */
  operatingSystem: string;
  /** Of its processor */
  architecture: string;
  /** Its swap space */
  swap?: NodeSwapStatus | undefined;
  /** Its agent runs without the host's root rights */
  runningInUserNamespace?: boolean | undefined;
};

/** An action on a path */
export type NonResourceAttributes = {
  /** Of the request */
  path?: string | undefined;
  /** HTTP method in lower case */
  verb?: string | undefined;
};

/** Something that is allowed with paths */
export type NonResourceRule = {
  /** HTTP methods in lower case; * is every one */
  verbs?: string[] | null | undefined;
  /** Which paths; * at the end is any rest */
  nonResourceURLs?: string[] | undefined;
};

/** A field of the pod */
export type ObjectFieldSelector = {
  /** Version in which the path is written; v1 if absent */
  apiVersion?: string | undefined;
  /** Path of the field, as metadata.name */
  fieldPath: string;
};

/** What every stored object has, whatever its kind */
export type ObjectMeta = {
  /** Unique among the objects of its kind in the namespace */
  name?: string | undefined;
  /** Start of the name that the server makes up if none is given */
  generateName?: string | undefined;
  /** The space that the name is unique in; none for cluster-wide kinds */
  namespace?: string | undefined;
  /** No longer filled in */
  selfLink?: string | undefined;
  /** Made by the server; differs even if a name is used again */
  uid?: string | undefined;
  /** Of the last write; opaque, to be compared and sent back only */
  resourceVersion?: string | undefined;
  /** Counts changes of what was asked for */
  generation?: number | undefined;
  /** When the server stored the object first */
  creationTimestamp?: string | undefined;
  /** Deletion was asked for; the object goes at this time at the earliest */
  deletionTimestamp?: string | undefined;
  /** How long the deletion may take */
  deletionGracePeriodSeconds?: number | undefined;
  /** Words to choose objects by */
  labels?: { [key: string]: string } | undefined;
  /** Notes of tools and people, not for choosing */
  annotations?: { [key: string]: string } | undefined;
  /** The object is deleted once all of these are gone */
  ownerReferences?: OwnerReference[] | undefined;
  /** Who must finish work before the object may vanish */
  finalizers?: string[] | undefined;
  /** Who set which fields last */
  managedFields?: ManagedFieldsEntry[] | undefined;
};

/** Any object, or a part of one */
export type ObjectReference = {
  /** Kind of the object */
  kind?: string | undefined;
  /** Where it lives */
  namespace?: string | undefined;
  /** Its name */
  name?: string | undefined;
  /** Tells it from others of the same name */
  uid?: string | undefined;
  /** Group and version of the object */
  apiVersion?: string | undefined;
  /** The state that is meant */
  resourceVersion?: string | undefined;
  /** The part that is meant, as spec.containers{web} */
  fieldPath?: string | undefined;
};

/** An object that this one depends on */
export type OwnerReference = {
  /** Group and version of the owner */
  apiVersion: string;
  /** Kind of the owner */
  kind: string;
  /** Name of the owner, in the same namespace or cluster-wide */
  name: string;
  /** Tells the owner from others of the same name */
  uid: string;
  /** The one owner that steers this object */
  controller?: boolean | undefined;
  /** A foreground deletion of the owner waits for this object */
  blockOwnerDeletion?: boolean | undefined;
};

/** Any object, cut down to its metadata */
export type PartialObjectMetadata = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
};

/** Some objects of kind PartialObjectMetadata, and the state of the store they show */
export type PartialObjectMetadataList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: PartialObjectMetadata[] | null | undefined;
};

/** How to patch */
export type PatchOptions = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** All: do everything but store the result */
  dryRun?: string[] | undefined;
  /** Apply takes over fields that others have set */
  force?: boolean | undefined;
  /** Who is said to set the fields */
  fieldManager?: string | undefined;
  /** Ignore, Warn or Strict about unknown and repeated fields */
  fieldValidation?: string | undefined;
};

/** Storage of the cluster, claimed or free */
export type PersistentVolume = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What the storage is */
  spec: PersistentVolumeSpec;
  /** Whether it is in use */
  status: PersistentVolumeStatus;
};

/** A wish for storage, and the volume that fulfils it */
export type PersistentVolumeClaim = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What is wanted */
  spec: PersistentVolumeClaimSpec;
  /** What was given */
  status: PersistentVolumeClaimStatus;
};

/** One finding about a claim */
export type PersistentVolumeClaimCondition = {
  /** What is judged */
  type: string;
  /** True, False or Unknown */
  status: string;
  /** When this was last looked at */
  lastProbeTime?: string | null | undefined;
  /** When the status last flipped */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word for programs */
  reason?: string | undefined;
  /** A sentence for people */
  message?: string | undefined;
};

/** Some objects of kind PersistentVolumeClaim, and the state of the store they show */
export type PersistentVolumeClaimList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: PersistentVolumeClaim[] | null | undefined;
};

/** Which storage is wanted */
export type PersistentVolumeClaimSpec = {
  /** How it must be mountable */
  accessModes?: string[] | undefined;
  /** Labels of volumes that will do */
  selector?: LabelSelector | undefined;
  /** How large */
  resources: VolumeResourceRequirements;
  /** The volume that fulfils the claim */
  volumeName?: string | undefined;
  /** Class to provision from; empty means none */
  storageClassName?: string | undefined;
  /** A file system or a raw block device */
  volumeMode?: string | undefined;
  /** Start with the content of this */
  dataSource?: TypedLocalObjectReference | undefined;
  /** Start with the content of this, of any kind */
  dataSourceRef?: TypedObjectReference | undefined;
  /** Class of changeable attributes */
  volumeAttributesClassName?: string | undefined;
};

/** What a claim was given */
export type PersistentVolumeClaimStatus = {
  /** Pending, Bound or Lost */
  phase?: string | undefined;
  /** How the volume is mountable */
  accessModes?: string[] | undefined;
  /** How large it is */
  capacity?: { [key: string]: string } | undefined;
  /** Latest findings, one per type */
  conditions?: PersistentVolumeClaimCondition[] | undefined;
  /** Size that was asked of the storage */
  allocatedResources?: { [key: string]: string } | undefined;
  /** How far a change of size is */
  allocatedResourceStatuses?: { [key: string]: string } | undefined;
  /** Class of attributes in force */
  currentVolumeAttributesClassName?: string | undefined;
  /** How far a change of attributes is */
  modifyVolumeStatus?: ModifyVolumeStatus | undefined;
  /** What the storage says of the volume's health */
  healthStatus?: VolumeHealthStatus | undefined;
};

/** What claims are made from */
export type PersistentVolumeClaimTemplate = {
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** Of the claims */
  spec: PersistentVolumeClaimSpec;
};

/** A claim as a volume */
export type PersistentVolumeClaimVolumeSource = {
  /** Name of the claim */
  claimName: string;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
};

/** Some objects of kind PersistentVolume, and the state of the store they show */
export type PersistentVolumeList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: PersistentVolume[] | null | undefined;
};

/** What the storage is */
export type PersistentVolumeSpec = {
  /** How large */
  capacity?: { [key: string]: string } | undefined;
  /** A disk of Google Cloud */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  /** A disk of Amazon EBS */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  /** A path of the node, for trying things out */
  hostPath?: HostPathVolumeSource | undefined;
  /** A Gluster volume */
  glusterfs?: GlusterfsPersistentVolumeSource | undefined;
  /** A directory of an NFS server */
  nfs?: NFSVolumeSource | undefined;
  /** A Ceph block device */
  rbd?: RBDPersistentVolumeSource | undefined;
  /** A disk on iSCSI */
  iscsi?: ISCSIPersistentVolumeSource | undefined;
  /** A disk of OpenStack */
  cinder?: CinderPersistentVolumeSource | undefined;
  /** A Ceph file system */
  cephfs?: CephFSPersistentVolumeSource | undefined;
  /** A disk on Fibre Channel */
  fc?: FCVolumeSource | undefined;
  /** A Flocker dataset */
  flocker?: FlockerVolumeSource | undefined;
  /** A volume of a driver on the node */
  flexVolume?: FlexPersistentVolumeSource | undefined;
  /** A share of Azure Files */
  azureFile?: AzureFilePersistentVolumeSource | undefined;
  /** A virtual disk of vSphere */
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  /** A Quobyte volume */
  quobyte?: QuobyteVolumeSource | undefined;
  /** A disk of Azure */
  azureDisk?: AzureDiskVolumeSource | undefined;
  /** A disk of the Photon Controller */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  /** A Portworx volume */
  portworxVolume?: PortworxVolumeSource | undefined;
  /** A ScaleIO volume */
  scaleIO?: ScaleIOPersistentVolumeSource | undefined;
  /** A disk of one node */
  local?: LocalVolumeSource | undefined;
  /** A StorageOS volume */
  storageos?: StorageOSPersistentVolumeSource | undefined;
  /** A volume of a CSI driver */
  csi?: CSIPersistentVolumeSource | undefined;
  /** How it is mountable */
  accessModes?: string[] | undefined;
  /** The claim that has it */
  claimRef?: ObjectReference | undefined;
  /** What becomes of it when the claim goes */
  persistentVolumeReclaimPolicy?: string | undefined;
  /** Class that it belongs to */
  storageClassName?: string | undefined;
  /** Options for mounting */
  mountOptions?: string[] | undefined;
  /** A file system or a raw block device */
  volumeMode?: string | undefined;
  /** Nodes from which it can be reached */
  nodeAffinity?: VolumeNodeAffinity | undefined;
  /** Class of changeable attributes */
  volumeAttributesClassName?: string | undefined;
};

/** Whether a volume is in use */
export type PersistentVolumeStatus = {
  /** Pending, Available, Bound, Released or Failed */
  phase?: string | undefined;
  /** Why, for people */
  message?: string | undefined;
  /** Why, one word for programs */
  reason?: string | undefined;
  /** When the phase last changed */
  lastPhaseTransitionTime?: string | undefined;
};

/** A disk of the Photon Controller */
export type PhotonPersistentDiskVolumeSource = {
  /** Id of the disk */
  pdID: string;
  /** File system on it */
  fsType?: string | undefined;
};

/** Containers that run together on one node */
export type Pod = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What should be */
  spec: PodSpec;
  /** What is */
  status: PodStatus;
};

/** Near which pods a pod would like to run */
export type PodAffinity = {
  /** All must hold */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] | undefined;
  /** Wishes by weight */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[] | undefined;
};

/** Pods, and what counts as near them */
export type PodAffinityTerm = {
  /** The pods meant */
  labelSelector?: LabelSelector | undefined;
  /** Namespaces to look in; the pod's own if none */
  namespaces?: string[] | undefined;
  /** Node label; nodes that share its value are near */
  topologyKey: string;
  /** More namespaces to look in, by label */
  namespaceSelector?: LabelSelector | undefined;
  /** Labels in which the pods must equal the new one */
  matchLabelKeys?: string[] | undefined;
  /** Labels in which the pods must differ from the new one */
  mismatchLabelKeys?: string[] | undefined;
};

/** Away from which pods a pod would like to run */
export type PodAntiAffinity = {
  /** All must hold */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] | undefined;
  /** Wishes by weight */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[] | undefined;
};

/** What to connect to in a running container */
export type PodAttachOptions = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Send input */
  stdin?: boolean | undefined;
  /** Receive output */
  stdout?: boolean | undefined;
  /** Receive errors */
  stderr?: boolean | undefined;
  /** It has a terminal */
  tty?: boolean | undefined;
  /** Which container */
  container?: string | undefined;
};

/** A key and certificate for the pod, kept fresh */
export type PodCertificateProjection = {
  /** Who signs */
  signerName?: string | undefined;
  /** Kind of key to make */
  keyType?: string | undefined;
  /** Longest life of the certificate */
  maxExpirationSeconds?: number | undefined;
  /** File with key and certificates together */
  credentialBundlePath?: string | undefined;
  /** File with the key alone */
  keyPath?: string | undefined;
  /** File with the certificates alone */
  certificateChainPath?: string | undefined;
  /** Notes handed to the signer */
  userAnnotations?: { [key: string]: string } | undefined;
  /** Owner of the files */
  user?: number | undefined;
};

/** One finding about a pod */
export type PodCondition = {
  /** What is judged */
  type: string;
  /** Generation of the pod that was judged */
  observedGeneration?: number | undefined;
  /** True, False or Unknown */
  status: string;
  /** When this was last looked at */
  lastProbeTime?: string | null | undefined;
  /** When the status last flipped */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word for programs */
  reason?: string | undefined;
  /** A sentence for people */
  message?: string | undefined;
};

/** How names are looked up */
export type PodDNSConfig = {
  /** Further servers */
  nameservers?: string[] | undefined;
  /** Further domains to try */
  searches?: string[] | undefined;
  /** Options of the resolver */
  options?: PodDNSConfigOption[] | undefined;
};

/** An option of the resolver */
export type PodDNSConfigOption = {
  /** Of the option */
  name?: string | undefined;
  /** Of the option, if it takes one */
  value?: string | undefined;
};

/** How many pods may be evicted at once */
export type PodDisruptionBudget = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What should be */
  spec: PodDisruptionBudgetSpec;
  /** What is */
  status: PodDisruptionBudgetStatus;
};

/** Some objects of kind PodDisruptionBudget, and the state of the store they show */
export type PodDisruptionBudgetList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: PodDisruptionBudget[] | null | undefined;
};

/** Which pods, and how many must stay */
export type PodDisruptionBudgetSpec = {
  /** How many must stay */
  minAvailable?: number | string | undefined;
  /** Labels of the pods */
  selector?: LabelSelector | undefined;
  /** How many may be missing */
  maxUnavailable?: number | string | undefined;
  /** Whether pods that are not well may go anyway */
  unhealthyPodEvictionPolicy?: string | undefined;
};

/** How many evictions are left */
export type PodDisruptionBudgetStatus = {
  /** Generation of the object that this is about */
  observedGeneration?: number | undefined;
  /** Pods whose eviction was allowed and is not seen yet */
  disruptedPods?: { [key: string]: string } | undefined;
  /** How many may be evicted now */
  disruptionsAllowed: number;
  /** Pods that are well */
  currentHealthy: number;
  /** Pods that must be well */
  desiredHealthy: number;
  /** Pods in all */
  expectedPods: number;
  /** Latest findings, one per type */
  conditions?: Condition[] | undefined;
};

/** What to run in a container, and connected to what */
export type PodExecOptions = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Send input */
  stdin?: boolean | undefined;
  /** Receive output */
  stdout?: boolean | undefined;
  /** Receive errors */
  stderr?: boolean | undefined;
  /** Give it a terminal */
  tty?: boolean | undefined;
  /** Which container */
  container?: string | undefined;
  /** Program and arguments; no shell is involved */
  command?: string[] | null | undefined;
};

/** The claim made for a pod's extended resources */
export type PodExtendedResourceClaimStatus = {
  /** Which container's wish is which request */
  requestMappings?: ContainerExtendedResourceRequest[] | null | undefined;
  /** Name of the claim */
  resourceClaimName: string;
};

/** What failures of pods mean */
export type PodFailurePolicy = {
  /** The first that fits counts */
  rules?: PodFailurePolicyRule[] | null | undefined;
};

/** Exit codes that a rule is for */
export type PodFailurePolicyOnExitCodesRequirement = {
  /** Of this container; of any if absent */
  containerName?: string | undefined;
  /** In or NotIn */
  operator: string;
  /** The codes */
  values?: number[] | null | undefined;
};

/** A condition that a rule is for */
export type PodFailurePolicyOnPodConditionsPattern = {
  /** Of the condition */
  type: string;
  /** Of the condition; True if empty */
  status: string;
};

/** What one sort of failure means */
export type PodFailurePolicyRule = {
  /** What to do if it fits */
  action: string;
  /** Fits by exit code */
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement | undefined;
  /** Fits by a condition of the pod */
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[] | undefined;
};

/** An address of a pod */
export type PodIP = {
  /** The address */
  ip: string;
};

/** Some objects of kind Pod, and the state of the store they show */
export type PodList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: Pod[] | null | undefined;
};

/** Which part of a log, and in which form */
export type PodLogOptions = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Which container */
  container?: string | undefined;
  /** Go on as lines are written */
  follow?: boolean | undefined;
  /** Of the container before its last restart */
  previous?: boolean | undefined;
  /** Only lines that are not older */
  sinceSeconds?: number | undefined;
  /** Only lines from then on */
  sinceTime?: string | undefined;
  /** Put the time before each line */
  timestamps?: boolean | undefined;
  /** Only this many lines from the end */
  tailLines?: number | undefined;
  /** Stop after so many bytes */
  limitBytes?: number | undefined;
  /** Do not check the node's certificate */
  insecureSkipTLSVerifyBackend?: boolean | undefined;
  /** Output, errors or both */
  stream?: string | undefined;
};

/** An operating system */
export type PodOS = {
  /** linux or windows */
  name: string;
};

/** Which ports to forward */
export type PodPortForwardOptions = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Their numbers */
  ports?: number[] | undefined;
};

/** Which path of a pod to call */
export type PodProxyOptions = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The path */
  path?: string | undefined;
};

/** A condition that must hold for a pod to be ready */
export type PodReadinessGate = {
  /** Type of the condition */
  conditionType: string;
};

/** A pod in the same namespace */
export type PodReference = {
  /** Name of the pod */
  name: string;
  /** Tells the pod from an earlier one of the same name */
  uid?: string | undefined;
};

/** A claim of a pod, by name or from a template */
export type PodResourceClaim = {
  /** For its containers to refer to */
  name: string;
  /** A claim that exists */
  resourceClaimName?: string | undefined;
  /** A template to make one from */
  resourceClaimTemplateName?: string | undefined;
};

/** A claim of a pod as it turned out */
export type PodResourceClaimStatus = {
  /** In the pod's spec */
  name: string;
  /** The claim that was made or found */
  resourceClaimName?: string | undefined;
};

/** Holds a pod back from scheduling */
export type PodSchedulingGate = {
  /** Of the gate */
  name: string;
};

/** The group that a pod is scheduled with */
export type PodSchedulingGroup = {
  /** Name of the group */
  podGroupName?: string | undefined;
};

/** With which rights a pod runs; containers may say otherwise */
export type PodSecurityContext = {
  /** SELinux label of the containers */
  seLinuxOptions?: SELinuxOptions | undefined;
  /** For Windows only */
  windowsOptions?: WindowsSecurityContextOptions | undefined;
  /** User id of the processes */
  runAsUser?: number | undefined;
  /** Group id of the processes */
  runAsGroup?: number | undefined;
  /** Refuse to start as user 0 */
  runAsNonRoot?: boolean | undefined;
  /** Further group ids of the processes */
  supplementalGroups?: number[] | undefined;
  /** Whether groups from the image's files count too */
  supplementalGroupsPolicy?: string | undefined;
  /** Group that owns the files of volumes */
  fsGroup?: number | undefined;
  /** Kernel settings of the pod */
  sysctls?: Sysctl[] | undefined;
  /** When the group of existing files is changed */
  fsGroupChangePolicy?: string | undefined;
  /** Which system calls are allowed */
  seccompProfile?: SeccompProfile | undefined;
  /** Which AppArmor profile confines the containers */
  appArmorProfile?: AppArmorProfile | undefined;
  /** How volumes get their SELinux label */
  seLinuxChangePolicy?: string | undefined;
};

/** What a pod should be */
export type PodSpec = {
  /** Files that its containers can mount */
  volumes?: Volume[] | undefined;
  /** Run one after another before the others start */
  initContainers?: Container[] | undefined;
  /** What the pod is there to run */
  containers?: Container[] | null | undefined;
  /** Added later, for looking into it */
  ephemeralContainers?: EphemeralContainer[] | undefined;
  /** Whether ended containers start again */
  restartPolicy?: string | undefined;
  /** Time to stop before it is killed */
  terminationGracePeriodSeconds?: number | undefined;
  /** How long it may run in all */
  activeDeadlineSeconds?: number | undefined;
  /** Where names are looked up */
  dnsPolicy?: string | undefined;
  /** Labels that its node must have */
  nodeSelector?: { [key: string]: string } | undefined;
  /** Identity of its processes */
  serviceAccountName?: string | undefined;
  /** Outdated spelling of serviceAccountName */
  serviceAccount?: string | undefined;
  /** Whether it gets a token without asking */
  automountServiceAccountToken?: boolean | undefined;
  /** The node it runs on; set by the scheduler */
  nodeName?: string | undefined;
  /** Use the node's network */
  hostNetwork?: boolean | undefined;
  /** See the node's processes */
  hostPID?: boolean | undefined;
  /** Share the node's System V memory and semaphores */
  hostIPC?: boolean | undefined;
  /** Containers see each other's processes */
  shareProcessNamespace?: boolean | undefined;
  /** With which rights it runs */
  securityContext?: PodSecurityContext | undefined;
  /** Credentials for its images */
  imagePullSecrets?: LocalObjectReference[] | undefined;
  /** Its host name instead of its own name */
  hostname?: string | undefined;
  /** Domain of its host name */
  subdomain?: string | undefined;
  /** Where it would like to run */
  affinity?: Affinity | undefined;
  /** Who finds its node */
  schedulerName?: string | undefined;
  /** Taints of nodes that it puts up with */
  tolerations?: Toleration[] | undefined;
  /** Lines for its hosts file */
  hostAliases?: HostAlias[] | undefined;
  /** Names its priority */
  priorityClassName?: string | undefined;
  /** Pods with more may push it aside */
  priority?: number | undefined;
  /** Changes what the policy says */
  dnsConfig?: PodDNSConfig | undefined;
  /** Conditions that must hold for it to be ready */
  readinessGates?: PodReadinessGate[] | undefined;
  /** Which runtime runs it */
  runtimeClassName?: string | undefined;
  /** Variables about services, as in early days */
  enableServiceLinks?: boolean | undefined;
  /** Whether it may push others aside */
  preemptionPolicy?: string | undefined;
  /** What the runtime itself needs */
  overhead?: { [key: string]: string } | undefined;
  /** How pods like it spread over the cluster */
  topologySpreadConstraints?: TopologySpreadConstraint[] | undefined;
  /** The kernel's host name carries the domain */
  setHostnameAsFQDN?: boolean | undefined;
  /** Operating system that it is made for */
  os?: PodOS | undefined;
  /** False gives it user ids of its own */
  hostUsers?: boolean | undefined;
  /** It is not scheduled while there are any */
  schedulingGates?: PodSchedulingGate[] | undefined;
  /** Claims that must be fulfilled before it starts */
  resourceClaims?: PodResourceClaim[] | undefined;
  /** How much the pod as a whole asks for and may use */
  resources?: ResourceRequirements | undefined;
  /** Its host name, whatever else is said */
  hostnameOverride?: string | undefined;
  /** Group of pods that it is scheduled with */
  schedulingGroup?: PodSchedulingGroup | undefined;
  /** Who has a say when it is evicted */
  evictionResponders?: EvictionResponder[] | undefined;
};

/** What a pod is */
export type PodStatus = {
  /** Generation of the pod that this is about */
  observedGeneration?: number | undefined;
  /** Where it is in its life */
  phase?: string | undefined;
  /** Latest findings, one per type */
  conditions?: PodCondition[] | undefined;
  /** Why it is so, for people */
  message?: string | undefined;
  /** Why it is so, one word for programs */
  reason?: string | undefined;
  /** Node on which room is being made for it */
  nominatedNodeName?: string | undefined;
  /** Address of its node */
  hostIP?: string | undefined;
  /** Addresses of its node, one per IP family */
  hostIPs?: HostIP[] | undefined;
  /** Its address */
  podIP?: string | undefined;
  /** Its addresses, one per IP family */
  podIPs?: PodIP[] | undefined;
  /** When the node took it on */
  startTime?: string | undefined;
  /** Its init containers */
  initContainerStatuses?: ContainerStatus[] | undefined;
  /** Its containers */
  containerStatuses?: ContainerStatus[] | undefined;
  /** In which order pods go when the node runs short */
  qosClass?: string | undefined;
  /** Its ephemeral containers */
  ephemeralContainerStatuses?: ContainerStatus[] | undefined;
  /** Outdated word on a change of size */
  resize?: string | undefined;
  /** Its resource claims */
  resourceClaimStatuses?: PodResourceClaimStatus[] | undefined;
  /** Claim made for its extended resources */
  extendedResourceClaimStatus?: PodExtendedResourceClaimStatus | undefined;
  /** What the node set aside for the pod as a whole */
  allocatedResources?: { [key: string]: string } | undefined;
  /** What the pod as a whole really may use */
  resources?: ResourceRequirements | undefined;
  /** Node resources that its claims take up */
  nodeAllocatableResourceClaimStatuses?: NodeAllocatableResourceClaimStatus[] | undefined;
  /** Volumes that are not well */
  volumeHealth?: PodVolumeHealth[] | undefined;
};

/** What pods are made from, as an object of its own */
export type PodTemplate = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** The pods */
  template: PodTemplateSpec;
};

/** Some objects of kind PodTemplate, and the state of the store they show */
export type PodTemplateList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: PodTemplate[] | null | undefined;
};

/** What pods are made from */
export type PodTemplateSpec = {
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** Of the pods */
  spec: PodSpec;
};

/** A volume of a pod that is not well */
export type PodVolumeHealth = {
  /** Of the volume */
  name: string;
  /** What is wrong */
  healthConditions?: VolumeHealthCondition[] | undefined;
  /** When this last changed */
  lastTransitionTime?: string | null | undefined;
};

/** Something that is allowed */
export type PolicyRule = {
  /** What may be done; * is everything */
  verbs?: string[] | null | undefined;
  /** In these groups; * is all */
  apiGroups?: string[] | undefined;
  /** To these resources; * is all */
  resources?: string[] | undefined;
  /** Only to objects with these names; to all if empty */
  resourceNames?: string[] | undefined;
  /** On these paths instead; * at the end is any rest */
  nonResourceURLs?: string[] | undefined;
};

/** What was done for one port */
export type PortStatus = {
  /** The number */
  port: number;
  /** Transport that is spoken */
  protocol: string;
  /** Why it failed, if it did */
  error?: string | undefined;
};

/** A Portworx volume */
export type PortworxVolumeSource = {
  /** Id of the volume */
  volumeID: string;
  /** File system on it */
  fsType?: string | undefined;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
};

/** What must be true of the stored object */
export type Preconditions = {
  /** It must be this very object */
  uid?: string | undefined;
  /** It must not have changed since */
  resourceVersion?: string | undefined;
};

/** A wish about nodes and its weight */
export type PreferredSchedulingTerm = {
  /** 1 to 100 */
  weight: number;
  /** The nodes meant */
  preference: NodeSelectorTerm;
};

/** A question that is asked of a container again and again */
export type Probe = {
  /** Run a command in the container */
  exec?: ExecAction | undefined;
  /** Send an HTTP request */
  httpGet?: HTTPGetAction | undefined;
  /** Open a connection */
  tcpSocket?: TCPSocketAction | undefined;
  /** Call the gRPC health service */
  grpc?: GRPCAction | undefined;
  /** Pause before the first question */
  initialDelaySeconds?: number | undefined;
  /** How long an answer may take */
  timeoutSeconds?: number | undefined;
  /** From one question to the next */
  periodSeconds?: number | undefined;
  /** How many good answers in a row make it well */
  successThreshold?: number | undefined;
  /** How many bad answers in a row make it ill */
  failureThreshold?: number | undefined;
  /** Time to stop after a failed probe, instead of the pod's */
  terminationGracePeriodSeconds?: number | undefined;
};

/** Files from several sources in one directory */
export type ProjectedVolumeSource = {
  /** The sources */
  sources?: VolumeProjection[] | null | undefined;
  /** Permissions of the files */
  defaultMode?: number | undefined;
  /** Owner of the files */
  defaultUser?: number | undefined;
};

/** A Quobyte volume */
export type QuobyteVolumeSource = {
  /** Hosts of the registry */
  registry: string;
  /** Name of the volume */
  volume: string;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
  /** Owner of the files */
  user?: string | undefined;
  /** Group of the files */
  group?: string | undefined;
  /** Tenant that has the volume */
  tenant?: string | undefined;
};

/** A Ceph block device */
export type RBDPersistentVolumeSource = {
  /** Addresses of the Ceph monitors */
  monitors?: string[] | null | undefined;
  /** Name of the image */
  image: string;
  /** File system on it */
  fsType?: string | undefined;
  /** Pool that has the image */
  pool?: string | undefined;
  /** User to connect as */
  user?: string | undefined;
  /** File with the user's key */
  keyring?: string | undefined;
  /** Credentials, instead of the file */
  secretRef?: SecretReference | undefined;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
};

/** A Ceph block device */
export type RBDVolumeSource = {
  /** Addresses of the Ceph monitors */
  monitors?: string[] | null | undefined;
  /** Name of the image */
  image: string;
  /** File system on it */
  fsType?: string | undefined;
  /** Pool that has the image */
  pool?: string | undefined;
  /** User to connect as */
  user?: string | undefined;
  /** File with the user's key */
  keyring?: string | undefined;
  /** Credentials, instead of the file */
  secretRef?: LocalObjectReference | undefined;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
};

/** How a process learns of new content of certain keys */
export type ReloadAction = {
  /** Names the action in messages */
  name: string;
  /** Patterns of the keys that call for it; all if empty */
  keys?: string[] | undefined;
  /** The container that is told; every user of the object if empty */
  container?: string | undefined;
  /** What is done once the files are in place */
  how: string;
  /** Sent to the container's first process */
  signal?: string | undefined;
  /** Sent to the pod */
  http?: ReloadRequest | undefined;
  /** Run in the container; exit code 0 confirms the reload */
  command?: string[] | undefined;
  /** How long the action may take */
  timeoutSeconds?: number | undefined;
};

/** How a process was told of new content */
export type ReloadReport = {
  /** As the annotation says it */
  action: string;
  /** How it stands */
  result: string;
  /** Of the content that it was told of */
  hash: string;
  /** How often it was tried for this content */
  attempts?: number | undefined;
  /** Of the last attempt */
  at?: string | undefined;
  /** Why it does not succeed */
  message?: string | undefined;
};

/** The HTTP request that tells a process to reload */
export type ReloadRequest = {
  /** Path of the request */
  path?: string | undefined;
  /** Number of the port, or its name in the container */
  port: number | string;
  /** POST unless said otherwise */
  method?: string | undefined;
};

/** Keeps a number of equal pods running */
export type ReplicaSet = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What should be */
  spec: ReplicaSetSpec;
  /** What is */
  status: ReplicaSetStatus;
};

/** One finding about a replica set */
export type ReplicaSetCondition = {
  /** What is judged */
  type: string;
  /** True, False or Unknown */
  status: string;
  /** When the status last flipped */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word for programs */
  reason?: string | undefined;
  /** A sentence for people */
  message?: string | undefined;
};

/** Some objects of kind ReplicaSet, and the state of the store they show */
export type ReplicaSetList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: ReplicaSet[] | null | undefined;
};

/** How many pods, and which */
export type ReplicaSetSpec = {
  /** How many */
  replicas?: number | undefined;
  /** How long a new pod must be ready to count as available */
  minReadySeconds?: number | undefined;
  /** Labels of its pods */
  selector?: LabelSelector | null | undefined;
  /** What new pods are made from */
  template: PodTemplateSpec;
};

/** How many pods there are */
export type ReplicaSetStatus = {
  /** In all */
  replicas: number;
  /** With all labels of the template */
  fullyLabeledReplicas?: number | undefined;
  /** Ready */
  readyReplicas?: number | undefined;
  /** Ready for long enough */
  availableReplicas?: number | undefined;
  /** Stopping */
  terminatingReplicas?: number | undefined;
  /** Generation of the object that this is about */
  observedGeneration?: number | undefined;
  /** Latest findings, one per type */
  conditions?: ReplicaSetCondition[] | undefined;
};

/** Keeps a number of equal pods running; forerunner of ReplicaSet */
export type ReplicationController = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What should be */
  spec: ReplicationControllerSpec;
  /** What is */
  status: ReplicationControllerStatus;
};

/** One finding about a replication controller */
export type ReplicationControllerCondition = {
  /** What is judged */
  type: string;
  /** True, False or Unknown */
  status: string;
  /** When the status last flipped */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word for programs */
  reason?: string | undefined;
  /** A sentence for people */
  message?: string | undefined;
};

/** Some objects of kind ReplicationController, and the state of the store they show */
export type ReplicationControllerList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: ReplicationController[] | null | undefined;
};

/** How many pods, and which */
export type ReplicationControllerSpec = {
  /** How many */
  replicas?: number | undefined;
  /** How long a new pod must be ready to count as available */
  minReadySeconds?: number | undefined;
  /** Labels of its pods; those of the template if absent */
  selector?: { [key: string]: string } | undefined;
  /** What new pods are made from */
  template?: PodTemplateSpec | undefined;
};

/** How many pods there are */
export type ReplicationControllerStatus = {
  /** In all */
  replicas: number;
  /** With all labels of the template */
  fullyLabeledReplicas?: number | undefined;
  /** Ready */
  readyReplicas?: number | undefined;
  /** Ready for long enough */
  availableReplicas?: number | undefined;
  /** Generation of the object that this is about */
  observedGeneration?: number | undefined;
  /** Latest findings, one per type */
  conditions?: ReplicationControllerCondition[] | undefined;
};

/** An action on a resource */
export type ResourceAttributes = {
  /** Where; empty is everywhere or cluster-wide */
  namespace?: string | undefined;
  /** What is done; * is everything */
  verb?: string | undefined;
  /** Of the resource; * is all */
  group?: string | undefined;
  /** Of the resource; * is all */
  version?: string | undefined;
  /** Which; * is all */
  resource?: string | undefined;
  /** Which part of it */
  subresource?: string | undefined;
  /** Of the object; empty is all */
  name?: string | undefined;
  /** Narrows a list or watch by fields */
  fieldSelector?: FieldSelectorAttributes | undefined;
  /** Narrows a list or watch by labels */
  labelSelector?: LabelSelectorAttributes | undefined;
};

/** A claim of the pod, used here */
export type ResourceClaim = {
  /** Of the claim in the pod's spec */
  name: string;
  /** One request of the claim; all if empty */
  request?: string | undefined;
};

/** How much of a resource a container asks for or may use */
export type ResourceFieldSelector = {
  /** Which container; its own for variables */
  containerName?: string | undefined;
  /** As limits.cpu or requests.memory */
  resource: string;
  /** Unit of the result; 1 if zero */
  divisor: string;
};

/** Health of one device */
export type ResourceHealth = {
  /** Which device */
  resourceID: string;
  /** Healthy, Unhealthy or Unknown */
  health?: string | undefined;
  /** Details for people */
  message?: string | undefined;
};

/** Caps what a namespace may use in all */
export type ResourceQuota = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** The caps */
  spec: ResourceQuotaSpec;
  /** The caps and what is used */
  status: ResourceQuotaStatus;
};

/** Some objects of kind ResourceQuota, and the state of the store they show */
export type ResourceQuotaList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: ResourceQuota[] | null | undefined;
};

/** Caps, and what counts towards them */
export type ResourceQuotaSpec = {
  /** Cap by resource */
  hard?: { [key: string]: string } | undefined;
  /** Count only objects in all of these scopes */
  scopes?: string[] | undefined;
  /** Count only objects that it chooses */
  scopeSelector?: ScopeSelector | undefined;
};

/** Caps in force and what is used */
export type ResourceQuotaStatus = {
  /** Cap by resource */
  hard?: { [key: string]: string } | undefined;
  /** Use by resource */
  used?: { [key: string]: string } | undefined;
};

/** How much of each resource is asked for and allowed */
export type ResourceRequirements = {
  /** At most this much */
  limits?: { [key: string]: string } | undefined;
  /** At least this much, also for choosing a node */
  requests?: { [key: string]: string } | undefined;
  /** Claims of the pod that the container uses */
  claims?: ResourceClaim[] | undefined;
};

/** Something that is allowed with resources */
export type ResourceRule = {
  /** What may be done; * is everything */
  verbs?: string[] | null | undefined;
  /** In these groups; * is all */
  apiGroups?: string[] | undefined;
  /** To these resources; * is all */
  resources?: string[] | undefined;
  /** Only to objects with these names; to all if empty */
  resourceNames?: string[] | undefined;
};

/** Health of what a container got of one resource */
export type ResourceStatus = {
  /** Of the resource */
  name: string;
  /** Each unit of it */
  resources?: ResourceHealth[] | undefined;
};

/** Which keys differ from the revision before */
export type RevisionSummary = {
  /** Keys that are new */
  added?: string[] | undefined;
  /** Keys whose value is another */
  changed?: string[] | undefined;
  /** Keys that are gone */
  removed?: string[] | undefined;
};

/** What may be done in one namespace */
export type Role = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What is allowed; nothing is forbidden */
  rules?: PolicyRule[] | null | undefined;
};

/** Gives a role to someone in one namespace */
export type RoleBinding = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** Who gets it */
  subjects?: Subject[] | undefined;
  /** The role; never changes */
  roleRef: RoleRef;
};

/** Some objects of kind RoleBinding, and the state of the store they show */
export type RoleBindingList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: RoleBinding[] | null | undefined;
};

/** Some objects of kind Role, and the state of the store they show */
export type RoleList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: Role[] | null | undefined;
};

/** A role */
export type RoleRef = {
  /** Of the kind */
  apiGroup: string;
  /** Role or ClusterRole */
  kind: string;
  /** Of the role */
  name: string;
};

/** Sizes of the steps of a rolling update */
export type RollingUpdateDaemonSet = {
  /** On how many nodes the pod may be missing */
  maxUnavailable?: number | string | undefined;
  /** On how many nodes old and new may run together */
  maxSurge?: number | string | undefined;
};

/** Sizes of the steps of a rolling update */
export type RollingUpdateDeployment = {
  /** How many may be missing on the way */
  maxUnavailable?: number | string | undefined;
  /** How many may be too many on the way */
  maxSurge?: number | string | undefined;
};

/** Details of a rolling update */
export type RollingUpdateStatefulSetStrategy = {
  /** Pods with lower numbers stay as they are */
  partition?: number | undefined;
  /** How many may be missing on the way */
  maxUnavailable?: number | string | undefined;
};

/** One step of a delivery to many pods */
export type RolloutStep = {
  /** How many pods have the change after this step */
  pods: number | string;
  /** How long to watch before the next step */
  pauseSeconds?: number | undefined;
};

/** An SELinux label in its parts */
export type SELinuxOptions = {
  /** User part */
  user?: string | undefined;
  /** Role part */
  role?: string | undefined;
  /** Type part */
  type?: string | undefined;
  /** Level part */
  level?: string | undefined;
};

/** How many pods something has, whatever its kind */
export type Scale = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What should be */
  spec: ScaleSpec;
  /** What is */
  status: ScaleStatus;
};

/** A ScaleIO volume */
export type ScaleIOPersistentVolumeSource = {
  /** Address of the gateway */
  gateway: string;
  /** The storage system, by name */
  system: string;
  /** Credentials */
  secretRef?: SecretReference | null | undefined;
  /** Encrypt the connection to the gateway */
  sslEnabled?: boolean | undefined;
  /** Domain of the volume */
  protectionDomain?: string | undefined;
  /** Pool of the volume */
  storagePool?: string | undefined;
  /** Thick or thin provisioning */
  storageMode?: string | undefined;
  /** Name of the volume */
  volumeName?: string | undefined;
  /** File system on it */
  fsType?: string | undefined;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
};

/** A ScaleIO volume */
export type ScaleIOVolumeSource = {
  /** Address of the gateway */
  gateway: string;
  /** The storage system, by name */
  system: string;
  /** Credentials */
  secretRef?: LocalObjectReference | null | undefined;
  /** Encrypt the connection to the gateway */
  sslEnabled?: boolean | undefined;
  /** Domain of the volume */
  protectionDomain?: string | undefined;
  /** Pool of the volume */
  storagePool?: string | undefined;
  /** Thick or thin provisioning */
  storageMode?: string | undefined;
  /** Name of the volume */
  volumeName?: string | undefined;
  /** File system on it */
  fsType?: string | undefined;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
};

/** How many pods there should be */
export type ScaleSpec = {
  /** How many */
  replicas?: number | undefined;
};

/** How many pods there are */
export type ScaleStatus = {
  /** How many */
  replicas: number;
  /** Labels of the pods, as text */
  selector?: string | undefined;
};

/** Chooses objects by scope */
export type ScopeSelector = {
  /** All must hold */
  matchExpressions?: ScopedResourceSelectorRequirement[] | undefined;
};

/** One demand on a scope */
export type ScopedResourceSelectorRequirement = {
  /** The scope */
  scopeName: string;
  /** How scope and values relate */
  operator: string;
  /** For In and NotIn: the values meant */
  values?: string[] | undefined;
};

/** Which system calls are allowed */
export type SeccompProfile = {
  /** Whose profile is used */
  type: string;
  /** File on the node, for a profile of its own */
  localhostProfile?: string | undefined;
};

/** Settings that not everybody may see */
export type Secret = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** Content can no longer change, only the whole object be deleted */
  immutable?: boolean | undefined;
  /** Bytes by key */
  data?: { [key: string]: string } | undefined;
  /** Text by key, for writing only; wins over data */
  stringData?: { [key: string]: string } | undefined;
  /** Which keys are expected, for programs; Opaque expects none */
  type?: string | undefined;
};

/** A Secret whose keys become variables */
export type SecretEnvSource = {
  /** Name of the object */
  name?: string | undefined;
  /** The container may start without it */
  optional?: boolean | undefined;
};

/** One key of a Secret */
export type SecretKeySelector = {
  /** Name of the object */
  name?: string | undefined;
  /** The key */
  key: string;
  /** The container may start without it */
  optional?: boolean | undefined;
};

/** Some objects of kind Secret, and the state of the store they show */
export type SecretList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: Secret[] | null | undefined;
};

/** Files from a Secret, among others */
export type SecretProjection = {
  /** Name of the object */
  name?: string | undefined;
  /** Which keys, under which paths; all under their own names if none */
  items?: KeyToPath[] | undefined;
  /** The pod may start without it */
  optional?: boolean | undefined;
};

/** A Secret in some namespace */
export type SecretReference = {
  /** Name of the Secret */
  name?: string | undefined;
  /** Where the Secret lives */
  namespace?: string | undefined;
};

/** Files from a Secret */
export type SecretVolumeSource = {
  /** Name of the Secret */
  secretName?: string | undefined;
  /** Which keys, under which paths; all under their own names if none */
  items?: KeyToPath[] | undefined;
  /** Permissions of the files */
  defaultMode?: number | undefined;
  /** The pod may start without it */
  optional?: boolean | undefined;
  /** Owner of the files */
  defaultUser?: number | undefined;
};

/** With which rights a container runs */
export type SecurityContext = {
  /** Capabilities besides or without the runtime's usual ones */
  capabilities?: Capabilities | undefined;
  /** All rights of the host's root */
  privileged?: boolean | undefined;
  /** SELinux label of the container */
  seLinuxOptions?: SELinuxOptions | undefined;
  /** For Windows only */
  windowsOptions?: WindowsSecurityContextOptions | undefined;
  /** User id of the process */
  runAsUser?: number | undefined;
  /** Group id of the process */
  runAsGroup?: number | undefined;
  /** Refuse to start as user 0 */
  runAsNonRoot?: boolean | undefined;
  /** The container cannot write outside its volumes */
  readOnlyRootFilesystem?: boolean | undefined;
  /** A process may gain more rights than its parent */
  allowPrivilegeEscalation?: boolean | undefined;
  /** How much of /proc is hidden */
  procMount?: string | undefined;
  /** Which system calls are allowed */
  seccompProfile?: SeccompProfile | undefined;
  /** Which AppArmor profile confines the container */
  appArmorProfile?: AppArmorProfile | undefined;
};

/** Asks whether I may do something */
export type SelfSubjectAccessReview = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** The question */
  spec: SelfSubjectAccessReviewSpec;
  /** The answer */
  status: SubjectAccessReviewStatus;
};

/** What the asker wants to do */
export type SelfSubjectAccessReviewSpec = {
  /** Something with a resource */
  resourceAttributes?: ResourceAttributes | undefined;
  /** Something with a path */
  nonResourceAttributes?: NonResourceAttributes | undefined;
};

/** Asks who I am */
export type SelfSubjectReview = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** The answer */
  status: SelfSubjectReviewStatus;
};

/** Who the asker is */
export type SelfSubjectReviewStatus = {
  /** The asker */
  userInfo: UserInfo;
};

/** Asks what I may do in a namespace */
export type SelfSubjectRulesReview = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** The question */
  spec: SelfSubjectRulesReviewSpec;
  /** The answer */
  status: SubjectRulesReviewStatus;
};

/** The namespace asked about */
export type SelfSubjectRulesReviewSpec = {
  /** Which one */
  namespace?: string | undefined;
};

/** A server address for clients of one network */
export type ServerAddressByClientCIDR = {
  /** The network of the client */
  clientCIDR: string;
  /** Host and port to use from there */
  serverAddress: string;
};

/** A lasting address for pods that come and go */
export type Service = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What should be */
  spec: ServiceSpec;
  /** What is */
  status: ServiceStatus;
};

/** An identity for the processes of pods */
export type ServiceAccount = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** Secrets that its pods may use, where that is enforced */
  secrets?: ObjectReference[] | undefined;
  /** Credentials for the images of its pods */
  imagePullSecrets?: LocalObjectReference[] | undefined;
  /** Whether pods get a token without asking */
  automountServiceAccountToken?: boolean | undefined;
};

/** Some objects of kind ServiceAccount, and the state of the store they show */
export type ServiceAccountList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: ServiceAccount[] | null | undefined;
};

/** A token as a file, kept fresh */
export type ServiceAccountTokenProjection = {
  /** Who shall accept the token; the API if empty */
  audience?: string | undefined;
  /** How long a token is good for */
  expirationSeconds?: number | undefined;
  /** Of the file, relative */
  path: string;
  /** Owner of the file */
  user?: number | undefined;
};

/** A port by name or number */
export type ServiceBackendPort = {
  /** Of the port */
  name?: string | undefined;
  /** Of the port */
  number?: number | undefined;
};

/** Some objects of kind Service, and the state of the store they show */
export type ServiceList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: Service[] | null | undefined;
};

/** One port of a service */
export type ServicePort = {
  /** Needed if there are several */
  name?: string | undefined;
  /** Transport that is spoken */
  protocol?: string | undefined;
  /** What is spoken above the transport */
  appProtocol?: string | undefined;
  /** Where the service listens */
  port: number;
  /** Number of the pods' port, or its name there */
  targetPort: number | string;
  /** Where nodes listen for it */
  nodePort?: number | undefined;
};

/** Which path of a service to call */
export type ServiceProxyOptions = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The path, with the service's port */
  path?: string | undefined;
};

/** Which pods, under which address, on which ports */
export type ServiceSpec = {
  /** What the service listens on */
  ports?: ServicePort[] | undefined;
  /** Labels of the pods; without it someone else names the endpoints */
  selector?: { [key: string]: string } | undefined;
  /** First address in the cluster; None gives the service no address */
  clusterIP?: string | undefined;
  /** One address per IP family */
  clusterIPs?: string[] | undefined;
  /** How far the service can be reached from */
  type?: string | undefined;
  /** Further addresses that nodes accept traffic for */
  externalIPs?: string[] | undefined;
  /** ClientIP keeps a client with the same pod */
  sessionAffinity?: string | undefined;
  /** Address wished for, where the balancer takes wishes */
  loadBalancerIP?: string | undefined;
  /** Networks that the balancer lets in */
  loadBalancerSourceRanges?: string[] | undefined;
  /** Name that an ExternalName service stands for */
  externalName?: string | undefined;
  /** Local keeps outside traffic on the node it came to */
  externalTrafficPolicy?: string | undefined;
  /** Where a balancer asks a node whether it has pods */
  healthCheckNodePort?: number | undefined;
  /** Pods that are not ready are listed too */
  publishNotReadyAddresses?: boolean | undefined;
  /** Details of the affinity */
  sessionAffinityConfig?: SessionAffinityConfig | undefined;
  /** IPv4, IPv6 or both, first is preferred */
  ipFamilies?: string[] | undefined;
  /** Whether one or two families are wanted or needed */
  ipFamilyPolicy?: string | undefined;
  /** Whether a balancer gets ports on the nodes */
  allocateLoadBalancerNodePorts?: boolean | undefined;
  /** Which balancer serves it */
  loadBalancerClass?: string | undefined;
  /** Local keeps traffic from pods on their node */
  internalTrafficPolicy?: string | undefined;
  /** Which endpoints are preferred */
  trafficDistribution?: string | undefined;
};

/** What a service is */
export type ServiceStatus = {
  /** What the balancer gave it */
  loadBalancer: LoadBalancerStatus;
  /** Latest findings, one per type */
  conditions?: Condition[] | undefined;
};

/** Details of session affinity */
export type SessionAffinityConfig = {
  /** For affinity by client address */
  clientIP?: ClientIPConfig | undefined;
};

/** Which part of all objects a list was cut to */
export type ShardInfo = {
  /** The part, as the request named it */
  selector: string;
};

/** Waits */
export type SleepAction = {
  /** How long */
  seconds: number;
};

/** Runs pods with lasting names and storage */
export type StatefulSet = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** What should be */
  spec: StatefulSetSpec;
  /** What is */
  status: StatefulSetStatus;
};

/** One finding about a stateful set */
export type StatefulSetCondition = {
  /** What is judged */
  type: string;
  /** True, False or Unknown */
  status: string;
  /** When the status last flipped */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word for programs */
  reason?: string | undefined;
  /** A sentence for people */
  message?: string | undefined;
};

/** Some objects of kind StatefulSet, and the state of the store they show */
export type StatefulSetList = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** The state of the store, and how to read on */
  metadata: ListMeta;
  /** The objects */
  items?: StatefulSet[] | null | undefined;
};

/** How pods are numbered */
export type StatefulSetOrdinals = {
  /** Number of the first */
  start: number;
};

/** What becomes of claims without a pod */
export type StatefulSetPersistentVolumeClaimRetentionPolicy = {
  /** When the set goes */
  whenDeleted?: string | undefined;
  /** When the set shrinks */
  whenScaled?: string | undefined;
};

/** How many pods, which, and what each keeps */
export type StatefulSetSpec = {
  /** How many */
  replicas?: number | undefined;
  /** Labels of its pods */
  selector?: LabelSelector | null | undefined;
  /** What new pods are made from */
  template: PodTemplateSpec;
  /** Claims that each pod keeps */
  volumeClaimTemplates?: PersistentVolumeClaim[] | undefined;
  /** Service that gives the pods their names */
  serviceName: string;
  /** One after another, or all at once */
  podManagementPolicy?: string | undefined;
  /** How old pods give way to new ones */
  updateStrategy: StatefulSetUpdateStrategy;
  /** How many old versions are kept to go back to */
  revisionHistoryLimit?: number | undefined;
  /** How long a new pod must be ready to count as available */
  minReadySeconds?: number | undefined;
  /** What becomes of claims without a pod */
  persistentVolumeClaimRetentionPolicy?:
    | StatefulSetPersistentVolumeClaimRetentionPolicy
    | undefined;
  /** How the pods are numbered */
  ordinals?: StatefulSetOrdinals | undefined;
};

/** How far a stateful set is */
export type StatefulSetStatus = {
  /** Generation of the object that this is about */
  observedGeneration?: number | undefined;
  /** Pods in all */
  replicas: number;
  /** Pods that are ready */
  readyReplicas?: number | undefined;
  /** Pods of the version that is left behind */
  currentReplicas?: number | undefined;
  /** Pods of the newest version */
  updatedReplicas?: number | undefined;
  /** The version that is left behind */
  currentRevision?: string | undefined;
  /** The newest version */
  updateRevision?: string | undefined;
  /** How often the name of a new revision was taken */
  collisionCount?: number | undefined;
  /** Latest findings, one per type */
  conditions?: StatefulSetCondition[] | undefined;
  /** Pods that have been ready for long enough */
  availableReplicas: number;
};

/** How old pods give way to new ones */
export type StatefulSetUpdateStrategy = {
  /** By itself, or when someone deletes them */
  type?: string | undefined;
  /** Details of the steps */
  rollingUpdate?: RollingUpdateStatefulSetStrategy | undefined;
};

/** The outcome of a request that has no object to return */
export type Status = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Kept for its shape; mostly empty */
  metadata: ListMeta;
  /** Success or Failure */
  status?: string | undefined;
  /** What happened, for people */
  message?: string | undefined;
  /** What happened, one word for programs */
  reason?: string | undefined;
  /** What the reason is about */
  details?: StatusDetails | undefined;
  /** The HTTP status */
  code?: number | undefined;
};

/** One fault among several */
export type StatusCause = {
  /** One word for programs */
  reason?: string | undefined;
  /** The fault in words */
  message?: string | undefined;
  /** Where in the object, as a path */
  field?: string | undefined;
};

/** What a failure is about */
export type StatusDetails = {
  /** Name of the object */
  name?: string | undefined;
  /** Group of the resource */
  group?: string | undefined;
  /** Kind or resource, by the failing part's habit */
  kind?: string | undefined;
  /** Identity of the object, where it is known */
  uid?: string | undefined;
  /** Each single fault, where there are several */
  causes?: StatusCause[] | undefined;
  /** When it may be worth trying again */
  retryAfterSeconds?: number | undefined;
};

/** A StorageOS volume */
export type StorageOSPersistentVolumeSource = {
  /** Name of the volume */
  volumeName?: string | undefined;
  /** Namespace of the volume in StorageOS */
  volumeNamespace?: string | undefined;
  /** File system on it */
  fsType?: string | undefined;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
  /** Credentials */
  secretRef?: ObjectReference | undefined;
};

/** A StorageOS volume */
export type StorageOSVolumeSource = {
  /** Name of the volume */
  volumeName?: string | undefined;
  /** Namespace of the volume in StorageOS */
  volumeNamespace?: string | undefined;
  /** File system on it */
  fsType?: string | undefined;
  /** Nothing can be written there */
  readOnly?: boolean | undefined;
  /** Credentials */
  secretRef?: LocalObjectReference | undefined;
};

/** A user, group or service account */
export type Subject = {
  /** User, Group or ServiceAccount */
  kind: string;
  /** Of the kind */
  apiGroup?: string | undefined;
  /** Who */
  name: string;
  /** Of a service account */
  namespace?: string | undefined;
};

/** Asks whether someone may do something */
export type SubjectAccessReview = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** The question */
  spec: SubjectAccessReviewSpec;
  /** The answer */
  status: SubjectAccessReviewStatus;
};

/** Who wants to do what */
export type SubjectAccessReviewSpec = {
  /** Something with a resource */
  resourceAttributes?: ResourceAttributes | undefined;
  /** Something with a path */
  nonResourceAttributes?: NonResourceAttributes | undefined;
  /** Who */
  user?: string | undefined;
  /** That they belong to */
  groups?: string[] | undefined;
  /** What else the authenticator said */
  extra?: { [key: string]: string[] } | undefined;
  /** Of the user */
  uid?: string | undefined;
};

/** Whether it is allowed */
export type SubjectAccessReviewStatus = {
  /** It is */
  allowed: boolean;
  /** It is forbidden whatever others say */
  denied?: boolean | undefined;
  /** Why */
  reason?: string | undefined;
  /** What went wrong while judging */
  evaluationError?: string | undefined;
};

/** What someone may do */
export type SubjectRulesReviewStatus = {
  /** With resources */
  resourceRules?: ResourceRule[] | null | undefined;
  /** With paths */
  nonResourceRules?: NonResourceRule[] | null | undefined;
  /** There may be more */
  incomplete: boolean;
  /** What went wrong while collecting */
  evaluationError?: string | undefined;
};

/** What is enough for a job to succeed */
export type SuccessPolicy = {
  /** The first that fits counts */
  rules?: SuccessPolicyRule[] | null | undefined;
};

/** One way to succeed */
export type SuccessPolicyRule = {
  /** These indexes must have succeeded, as 1,3-5 */
  succeededIndexes?: string | undefined;
  /** So many of them must have succeeded */
  succeededCount?: number | undefined;
};

/** One kernel setting */
export type Sysctl = {
  /** Of the setting */
  name: string;
  /** To set it to */
  value: string;
};

/** Opens a TCP connection */
export type TCPSocketAction = {
  /** Number of the port, or its name in the container */
  port: number | string;
  /** Host to connect to; the pod if absent */
  host?: string | undefined;
};

/** Keeps pods away from a node */
export type Taint = {
  /** Name of the taint */
  key: string;
  /** Of the taint */
  value?: string | undefined;
  /** What happens to pods that do not tolerate it */
  effect: string;
  /** Since when, for NoExecute */
  timeAdded?: string | undefined;
};

/** Asks for a token of a service account */
export type TokenRequest = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** Which token */
  spec: TokenRequestSpec;
  /** The token */
  status: TokenRequestStatus;
};

/** Which token is wanted */
export type TokenRequestSpec = {
  /** Who shall accept it */
  audiences?: string[] | null | undefined;
  /** How long it should be good for */
  expirationSeconds?: number | null | undefined;
  /** The token dies with this object */
  boundObjectRef?: BoundObjectReference | null | undefined;
  /** Further facts to put into it */
  attestations?: { [key: string]: string[] } | undefined;
};

/** A new token */
export type TokenRequestStatus = {
  /** The token */
  token: string;
  /** When it ends */
  expirationTimestamp?: string | null | undefined;
};

/** Asks whose a token is */
export type TokenReview = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** Name, labels and the bookkeeping of the object */
  metadata: ObjectMeta;
  /** The question */
  spec: TokenReviewSpec;
  /** The answer */
  status: TokenReviewStatus;
};

/** A token to look at */
export type TokenReviewSpec = {
  /** The token */
  token?: string | undefined;
  /** For whom the token should be; the API if empty */
  audiences?: string[] | undefined;
};

/** Whose a token is */
export type TokenReviewStatus = {
  /** The token is good */
  authenticated?: boolean | undefined;
  /** Whose it is */
  user: UserInfo;
  /** For whom the token is, among those asked for */
  audiences?: string[] | undefined;
  /** Why it could not be judged */
  error?: string | undefined;
};

/** A taint that a pod puts up with */
export type Toleration = {
  /** Of the taint; any if empty */
  key?: string | undefined;
  /** How the value is compared; Equal if empty */
  operator?: string | undefined;
  /** Of the taint */
  value?: string | undefined;
  /** Of the taint; any if empty */
  effect?: string | undefined;
  /** For how long, with NoExecute; forever if absent */
  tolerationSeconds?: number | undefined;
};

/** A part of the cluster */
export type TopologyConstraint = {
  /** Node label; nodes that share its value are one part */
  key: string;
};

/** How evenly pods spread over parts of the cluster */
export type TopologySpreadConstraint = {
  /** How many more one part may have than another */
  maxSkew: number;
  /** Node label whose values are the parts */
  topologyKey: string;
  /** Whether the pod waits or goes anywhere */
  whenUnsatisfiable: string;
  /** The pods that are counted */
  labelSelector?: LabelSelector | undefined;
  /** How many parts there must be */
  minDomains?: number | undefined;
  /** Whether nodes that the pod avoids count */
  nodeAffinityPolicy?: string | undefined;
  /** Whether nodes that refuse the pod count */
  nodeTaintsPolicy?: string | undefined;
  /** Labels in which counted pods must equal the new one */
  matchLabelKeys?: string[] | undefined;
};

/** An object of some kind in the same namespace */
export type TypedLocalObjectReference = {
  /** Group of the kind; absent for the core group */
  apiGroup?: string | null | undefined;
  /** Kind of the object */
  kind: string;
  /** Name of the object */
  name: string;
};

/** An object of some kind, perhaps in another namespace */
export type TypedObjectReference = {
  /** Group of the kind; absent for the core group */
  apiGroup?: string | null | undefined;
  /** Kind of the object */
  kind: string;
  /** Name of the object */
  name: string;
  /** Where it lives, if elsewhere */
  namespace?: string | undefined;
};

/** Pods that have ended and are not counted yet */
export type UncountedTerminatedPods = {
  /** Uids of those that succeeded */
  succeeded?: string[] | undefined;
  /** Uids of those that failed */
  failed?: string[] | undefined;
};

/** How to update */
export type UpdateOptions = {
  /** What this object is */
  kind?: string | undefined;
  /** Group and version whose words this object uses */
  apiVersion?: string | undefined;
  /** All: do everything but store the result */
  dryRun?: string[] | undefined;
  /** Who is said to set the fields */
  fieldManager?: string | undefined;
  /** Ignore, Warn or Strict about unknown and repeated fields */
  fieldValidation?: string | undefined;
};

/** A user as the server knows them */
export type UserInfo = {
  /** Unique among those active */
  username?: string | undefined;
  /** Differs even if a name is used again */
  uid?: string | undefined;
  /** That they belong to */
  groups?: string[] | undefined;
  /** What else the authenticator said */
  extra?: { [key: string]: string[] } | undefined;
};

/** Files that containers of a pod can mount */
export type Volume = {
  /** Unique in the pod */
  name: string;
  /** A path of the node */
  hostPath?: HostPathVolumeSource | undefined;
  /** An empty directory that lives as long as the pod */
  emptyDir?: EmptyDirVolumeSource | undefined;
  /** A disk of Google Cloud */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  /** A disk of Amazon EBS */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  /** A clone of a git repository; outdated */
  gitRepo?: GitRepoVolumeSource | undefined;
  /** A Secret */
  secret?: SecretVolumeSource | undefined;
  /** A directory of an NFS server */
  nfs?: NFSVolumeSource | undefined;
  /** A disk on iSCSI */
  iscsi?: ISCSIVolumeSource | undefined;
  /** A Gluster volume */
  glusterfs?: GlusterfsVolumeSource | undefined;
  /** A claim in the same namespace */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource | undefined;
  /** A Ceph block device */
  rbd?: RBDVolumeSource | undefined;
  /** A volume of a driver on the node */
  flexVolume?: FlexVolumeSource | undefined;
  /** A disk of OpenStack */
  cinder?: CinderVolumeSource | undefined;
  /** A Ceph file system */
  cephfs?: CephFSVolumeSource | undefined;
  /** A Flocker dataset */
  flocker?: FlockerVolumeSource | undefined;
  /** Facts about the pod */
  downwardAPI?: DownwardAPIVolumeSource | undefined;
  /** A disk on Fibre Channel */
  fc?: FCVolumeSource | undefined;
  /** A share of Azure Files */
  azureFile?: AzureFileVolumeSource | undefined;
  /** A ConfigMap */
  configMap?: ConfigMapVolumeSource | undefined;
  /** A virtual disk of vSphere */
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  /** A Quobyte volume */
  quobyte?: QuobyteVolumeSource | undefined;
  /** A disk of Azure */
  azureDisk?: AzureDiskVolumeSource | undefined;
  /** A disk of the Photon Controller */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  /** Several sources in one directory */
  projected?: ProjectedVolumeSource | undefined;
  /** A Portworx volume */
  portworxVolume?: PortworxVolumeSource | undefined;
  /** A ScaleIO volume */
  scaleIO?: ScaleIOVolumeSource | undefined;
  /** A StorageOS volume */
  storageos?: StorageOSVolumeSource | undefined;
  /** A short-lived volume of a CSI driver */
  csi?: CSIVolumeSource | undefined;
  /** A claim that lives as long as the pod */
  ephemeral?: EphemeralVolumeSource | undefined;
  /** The files of an image */
  image?: ImageVolumeSource | undefined;
};

/** A block device at a place in the container */
export type VolumeDevice = {
  /** Of the claim's volume */
  name: string;
  /** Where it appears */
  devicePath: string;
};

/** One fault of a volume */
export type VolumeHealthCondition = {
  /** How bad it is */
  status: string;
  /** One word for programs */
  reason: string;
  /** A sentence for people */
  message?: string | undefined;
};

/** Health of a volume */
export type VolumeHealthStatus = {
  /** What is wrong; empty if all is well */
  healthConditions?: VolumeHealthCondition[] | undefined;
  /** When this last changed */
  lastTransitionTime?: string | null | undefined;
};

/** A volume of the pod at a place in the container */
export type VolumeMount = {
  /** Of the volume */
  name: string;
  /** The container cannot write there */
  readOnly?: boolean | undefined;
  /** Whether mounts below must be read-only as well */
  recursiveReadOnly?: string | undefined;
  /** Where it appears */
  mountPath: string;
  /** Only this path of the volume; it does not follow later swaps */
  subPath?: string | undefined;
  /** Whether mounts made later are seen across */
  mountPropagation?: string | undefined;
  /** Like subPath, with $(NAME) for variables */
  subPathExpr?: string | undefined;
  /** Further options of the mount */
  bindMountOptions?: string[] | undefined;
};

/** A mount as it is */
export type VolumeMountStatus = {
  /** Of the volume */
  name: string;
  /** Where it appears */
  mountPath: string;
  /** The container cannot write there */
  readOnly?: boolean | undefined;
  /** Whether mounts below are read-only as well */
  recursiveReadOnly?: string | undefined;
  /** What is known of the volume */
  volumeStatus?: VolumeStatus | undefined;
};

/** Nodes from which a volume can be reached */
export type VolumeNodeAffinity = {
  /** The nodes */
  required?: NodeSelector | undefined;
};

/** One source of files; one of them */
export type VolumeProjection = {
  /** A Secret */
  secret?: SecretProjection | undefined;
  /** The pod itself */
  downwardAPI?: DownwardAPIProjection | undefined;
  /** A ConfigMap */
  configMap?: ConfigMapProjection | undefined;
  /** A token of the pod's service account */
  serviceAccountToken?: ServiceAccountTokenProjection | undefined;
  /** Certificates to trust */
  clusterTrustBundle?: ClusterTrustBundleProjection | undefined;
  /** A certificate for the pod */
  podCertificate?: PodCertificateProjection | undefined;
};

/** How much storage is asked for and allowed */
export type VolumeResourceRequirements = {
  /** At most this much */
  limits?: { [key: string]: string } | undefined;
  /** At least this much */
  requests?: { [key: string]: string } | undefined;
};

/** What is known of a volume */
export type VolumeStatus = {
  /** For image volumes */
  image?: ImageVolumeStatus | undefined;
};

/** A virtual disk of vSphere */
export type VsphereVirtualDiskVolumeSource = {
  /** Path of the disk file */
  volumePath: string;
  /** File system on it */
  fsType?: string | undefined;
  /** Name of the storage policy */
  storagePolicyName?: string | undefined;
  /** Id of the storage policy */
  storagePolicyID?: string | undefined;
};

/** One message of a watch */
export type WatchEvent = {
  /** ADDED, MODIFIED, DELETED, BOOKMARK or ERROR */
  type: string;
  /** The object as it is now, or a Status for ERROR */
  object?: JsonValue | null | undefined;
};

/** A wish about pods and its weight */
export type WeightedPodAffinityTerm = {
  /** 1 to 100 */
  weight: number;
  /** The pods, and what is near */
  podAffinityTerm: PodAffinityTerm;
};

/** Rights on Windows */
export type WindowsSecurityContextOptions = {
  /** Name of the service account's credential spec */
  gmsaCredentialSpecName?: string | undefined;
  /** The credential spec itself */
  gmsaCredentialSpec?: string | undefined;
  /** User name of the process */
  runAsUserName?: string | undefined;
  /** Run as a process of the host */
  hostProcess?: boolean | undefined;
};

/** Only as a whole; has no settings */
export type WorkloadPodGroupAllDisruptionMode = Record<string, never>;

/** Pod by pod; has no settings */
export type WorkloadPodGroupBasicSchedulingPolicy = Record<string, never>;

/** How a group may be disrupted; one of them */
export type WorkloadPodGroupDisruptionMode = {
  /** Pod by pod */
  single?: WorkloadPodGroupSingleDisruptionMode | undefined;
  /** Only as a whole */
  all?: WorkloadPodGroupAllDisruptionMode | undefined;
};

/** Together or not at all */
export type WorkloadPodGroupGangSchedulingPolicy = {
  /** How many must fit at once */
  minCount?: number | undefined;
};

/** A claim that a group shares, by name or from a template */
export type WorkloadPodGroupResourceClaim = {
  /** For its pods to refer to */
  name: string;
  /** A claim that exists */
  resourceClaimName?: string | undefined;
  /** A template to make one from */
  resourceClaimTemplateName?: string | undefined;
};

/** Where a group may be placed */
export type WorkloadPodGroupSchedulingConstraints = {
  /** Parts of the cluster that it must not leave */
  topology?: TopologyConstraint[] | undefined;
};

/** How a group is scheduled; one of them */
export type WorkloadPodGroupSchedulingPolicy = {
  /** Pod by pod */
  basic?: WorkloadPodGroupBasicSchedulingPolicy | undefined;
  /** Together or not at all */
  gang?: WorkloadPodGroupGangSchedulingPolicy | undefined;
};

/** Pod by pod; has no settings */
export type WorkloadPodGroupSingleDisruptionMode = Record<string, never>;

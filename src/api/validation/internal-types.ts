// The fields of a pod's spec as the original server has them in memory, in its order and with its names. Two of its
// messages show such values: the difference that a forbidden update makes, and objects that contradict themselves.
//
// A type is its name and, indented, its fields: `Go name/name in JSON:type`. Without a name in JSON it is the same with
// a small first letter; without a type it is a string. "#" is a number, "!" a boolean, "{}" a map, "=" a value that is
// shown as it is in JSON; "*" is null when absent, and so is "[]", a list.

export const internalTypes: string = `
PodSpec
  Volumes:[]Volume InitContainers:[]Container Containers:[]Container
  EphemeralContainers:[]EphemeralContainer RestartPolicy TerminationGracePeriodSeconds:*#
  ActiveDeadlineSeconds:*# DNSPolicy/dnsPolicy NodeSelector:{} ServiceAccountName
  DeprecatedServiceAccount/serviceAccount AutomountServiceAccountToken:*! NodeName HostNetwork:!
  HostPID:! HostIPC:! ShareProcessNamespace:*! SecurityContext:*PodSecurityContext
  ImagePullSecrets:[]LocalObjectReference Hostname Subdomain Affinity:*Affinity SchedulerName
  Tolerations:[]Toleration HostAliases:[]HostAlias PriorityClassName Priority:*#
  DNSConfig/dnsConfig:*PodDNSConfig ReadinessGates:[]PodReadinessGate RuntimeClassName:*
  EnableServiceLinks:*! PreemptionPolicy:* Overhead:{}
  TopologySpreadConstraints:[]TopologySpreadConstraint SetHostnameAsFQDN:*! OS/os:*PodOS
  HostUsers:*! SchedulingGates:[]PodSchedulingGate ResourceClaims:[]PodResourceClaim
  Resources:*ResourceRequirements HostnameOverride:* SchedulingGroup:*PodSchedulingGroup
  EvictionResponders:[]EvictionResponder
Volume
  Name HostPath:*HostPathVolumeSource EmptyDir:*EmptyDirVolumeSource
  GCEPersistentDisk/gcePersistentDisk:*GCEPersistentDiskVolumeSource
  AWSElasticBlockStore/awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource
  GitRepo:*GitRepoVolumeSource Secret:*SecretVolumeSource NFS/nfs:*NFSVolumeSource
  ISCSI/iscsi:*ISCSIVolumeSource Glusterfs:*GlusterfsVolumeSource
  PersistentVolumeClaim:*PersistentVolumeClaimVolumeSource RBD/rbd:*RBDVolumeSource
  FlexVolume:*FlexVolumeSource Cinder:*CinderVolumeSource CephFS/cephfs:*CephFSVolumeSource
  Flocker:*FlockerVolumeSource DownwardAPI:*DownwardAPIVolumeSource FC/fc:*FCVolumeSource
  AzureFile:*AzureFileVolumeSource ConfigMap:*ConfigMapVolumeSource
  VsphereVolume:*VsphereVirtualDiskVolumeSource Quobyte:*QuobyteVolumeSource
  AzureDisk:*AzureDiskVolumeSource PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource
  Projected:*ProjectedVolumeSource PortworxVolume:*PortworxVolumeSource
  ScaleIO:*ScaleIOVolumeSource StorageOS/storageos:*StorageOSVolumeSource
  CSI/csi:*CSIVolumeSource Ephemeral:*EphemeralVolumeSource Image:*ImageVolumeSource
Container
  Name Image Command:[] Args:[] WorkingDir Ports:[]ContainerPort EnvFrom:[]EnvFromSource
  Env:[]EnvVar Resources:ResourceRequirements ResizePolicy:[]ContainerResizePolicy
  RestartPolicy:* RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount
  VolumeDevices:[]VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe
  Lifecycle:*Lifecycle TerminationMessagePath TerminationMessagePolicy ImagePullPolicy
  SecurityContext:*SecurityContext Stdin:! StdinOnce:! TTY/tty:!
EphemeralContainer
  ...Container TargetContainerName
PodSecurityContext
  SELinuxOptions/seLinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions
  RunAsUser:*# RunAsGroup:*# RunAsNonRoot:*! SupplementalGroups:[]# SupplementalGroupsPolicy:*
  FSGroup/fsGroup:*# Sysctls:[]Sysctl FSGroupChangePolicy/fsGroupChangePolicy:*
  SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile
  SELinuxChangePolicy/seLinuxChangePolicy:*
LocalObjectReference
  Name
Affinity
  NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAntiAffinity
Toleration
  Key Operator Value Effect TolerationSeconds:*#
HostAlias
  IP/ip Hostnames:[]
PodDNSConfig
  Nameservers:[] Searches:[] Options:[]PodDNSConfigOption
PodReadinessGate
  ConditionType
TopologySpreadConstraint
  MaxSkew:# TopologyKey WhenUnsatisfiable LabelSelector:*= MinDomains:*# NodeAffinityPolicy:*
  NodeTaintsPolicy:* MatchLabelKeys:[]
PodOS
  Name
PodSchedulingGate
  Name
PodResourceClaim
  Name ResourceClaimName:* ResourceClaimTemplateName:*
ResourceRequirements
  Limits:{} Requests:{} Claims:[]ResourceClaim
PodSchedulingGroup
  PodGroupName:*
EvictionResponder
  Name Priority:*#
HostPathVolumeSource
  Path Type:*
EmptyDirVolumeSource
  Medium SizeLimit:*= Mode:*#
GCEPersistentDiskVolumeSource
  PDName/pdName FSType/fsType Partition:# ReadOnly:!
AWSElasticBlockStoreVolumeSource
  VolumeID FSType/fsType Partition:# ReadOnly:!
GitRepoVolumeSource
  Repository Revision Directory
SecretVolumeSource
  SecretName Items:[]KeyToPath DefaultMode:*# Optional:*! DefaultUser:*#
NFSVolumeSource
  Server Path ReadOnly:!
ISCSIVolumeSource
  TargetPortal IQN/iqn Lun:# ISCSIInterface/iscsiInterface FSType/fsType ReadOnly:! Portals:[]
  DiscoveryCHAPAuth/chapAuthDiscovery:! SessionCHAPAuth/chapAuthSession:!
  SecretRef:*LocalObjectReference InitiatorName:*
GlusterfsVolumeSource
  EndpointsName/endpoints Path ReadOnly:!
PersistentVolumeClaimVolumeSource
  ClaimName ReadOnly:!
RBDVolumeSource
  CephMonitors/monitors:[] RBDImage/image FSType/fsType RBDPool/pool RadosUser/user Keyring
  SecretRef:*LocalObjectReference ReadOnly:!
FlexVolumeSource
  Driver FSType/fsType SecretRef:*LocalObjectReference ReadOnly:! Options:{}
CinderVolumeSource
  VolumeID FSType/fsType ReadOnly:! SecretRef:*LocalObjectReference
CephFSVolumeSource
  Monitors:[] Path User SecretFile SecretRef:*LocalObjectReference ReadOnly:!
FlockerVolumeSource
  DatasetName DatasetUUID
DownwardAPIVolumeSource
  Items:[]DownwardAPIVolumeFile DefaultMode:*# DefaultUser:*#
FCVolumeSource
  TargetWWNs:[] Lun:*# FSType/fsType ReadOnly:! WWIDs/wwids:[]
AzureFileVolumeSource
  SecretName ShareName ReadOnly:!
ConfigMapVolumeSource
  Name Items:[]KeyToPath DefaultMode:*# Optional:*! DefaultUser:*#
VsphereVirtualDiskVolumeSource
  VolumePath FSType/fsType StoragePolicyName StoragePolicyID
QuobyteVolumeSource
  Registry Volume ReadOnly:! User Group Tenant
AzureDiskVolumeSource
  DiskName DataDiskURI/diskURI CachingMode:* FSType/fsType:* ReadOnly:*! Kind:*
PhotonPersistentDiskVolumeSource
  PdID FSType/fsType
ProjectedVolumeSource
  Sources:[]VolumeProjection DefaultMode:*# DefaultUser:*#
PortworxVolumeSource
  VolumeID FSType/fsType ReadOnly:!
ScaleIOVolumeSource
  Gateway System SecretRef:*LocalObjectReference SSLEnabled/sslEnabled:! ProtectionDomain
  StoragePool StorageMode VolumeName FSType/fsType ReadOnly:!
StorageOSVolumeSource
  VolumeName VolumeNamespace FSType/fsType ReadOnly:! SecretRef:*LocalObjectReference
CSIVolumeSource
  Driver ReadOnly:*! FSType/fsType:* VolumeAttributes:{}
  NodePublishSecretRef:*LocalObjectReference
EphemeralVolumeSource
  VolumeClaimTemplate:*PersistentVolumeClaimTemplate
ImageVolumeSource
  Reference PullPolicy
ContainerPort
  Name HostPort:# ContainerPort:# Protocol HostIP
EnvFromSource
  Prefix ConfigMapRef:*ConfigMapEnvSource SecretRef:*SecretEnvSource
EnvVar
  Name Value ValueFrom:*EnvVarSource
ContainerResizePolicy
  ResourceName RestartPolicy
ContainerRestartRule
  Action ExitCodes:*ContainerRestartRuleOnExitCodes
VolumeMount
  Name ReadOnly:! RecursiveReadOnly:* MountPath SubPath MountPropagation:* SubPathExpr
  BindMountOptions:[]
VolumeDevice
  Name DevicePath
Probe
  Exec:*ExecAction HTTPGet/httpGet:*HTTPGetAction TCPSocket/tcpSocket:*TCPSocketAction
  GRPC/grpc:*GRPCAction InitialDelaySeconds:# TimeoutSeconds:# PeriodSeconds:#
  SuccessThreshold:# FailureThreshold:# TerminationGracePeriodSeconds:*#
Lifecycle
  PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal:*
SecurityContext
  Capabilities:*Capabilities Privileged:*! SELinuxOptions/seLinuxOptions:*SELinuxOptions
  WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*# RunAsGroup:*# RunAsNonRoot:*!
  ReadOnlyRootFilesystem:*! AllowPrivilegeEscalation:*! ProcMount:*
  SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile
SELinuxOptions
  User Role Type Level
WindowsSecurityContextOptions
  GMSACredentialSpecName/gmsaCredentialSpecName:* GMSACredentialSpec/gmsaCredentialSpec:*
  RunAsUserName:* HostProcess:*!
Sysctl
  Name Value
SeccompProfile
  Type LocalhostProfile:*
AppArmorProfile
  Type LocalhostProfile:*
NodeAffinity
  RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector
  PreferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm
PodAffinity
  RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm
  PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
PodAntiAffinity
  RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm
  PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
PodDNSConfigOption
  Name Value:*
ResourceClaim
  Name Request
KeyToPath
  Key Path Mode:*# User:*#
DownwardAPIVolumeFile
  Path FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector Mode:*# User:*#
VolumeProjection
  Secret:*SecretProjection DownwardAPI:*DownwardAPIProjection ConfigMap:*ConfigMapProjection
  ServiceAccountToken:*ServiceAccountTokenProjection
  ClusterTrustBundle:*ClusterTrustBundleProjection PodCertificate:*PodCertificateProjection
PersistentVolumeClaimTemplate
  Spec:PersistentVolumeClaimSpec
ConfigMapEnvSource
  Name Optional:*!
SecretEnvSource
  Name Optional:*!
EnvVarSource
  FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector
  ConfigMapKeyRef:*ConfigMapKeySelector SecretKeyRef:*SecretKeySelector
  FileKeyRef:*FileKeySelector
ContainerRestartRuleOnExitCodes
  Operator Values:[]#
ExecAction
  Command:[]
HTTPGetAction
  Path Port:= Host Scheme HTTPHeaders/httpHeaders:[]HTTPHeader Protocol:*
TCPSocketAction
  Port:= Host
GRPCAction
  Port:# Service:* Mode:*
LifecycleHandler
  Exec:*ExecAction HTTPGet/httpGet:*HTTPGetAction TCPSocket/tcpSocket:*TCPSocketAction
  Sleep:*SleepAction
Capabilities
  Add:[] Drop:[]
NodeSelector
  NodeSelectorTerms:[]NodeSelectorTerm
PreferredSchedulingTerm
  Weight:# Preference:NodeSelectorTerm
PodAffinityTerm
  LabelSelector:*= Namespaces:[] TopologyKey NamespaceSelector:*= MatchLabelKeys:[]
  MismatchLabelKeys:[]
WeightedPodAffinityTerm
  Weight:# PodAffinityTerm:PodAffinityTerm
ObjectFieldSelector
  APIVersion/apiVersion FieldPath
ResourceFieldSelector
  ContainerName Resource Divisor:=
SecretProjection
  Name Items:[]KeyToPath Optional:*!
DownwardAPIProjection
  Items:[]DownwardAPIVolumeFile
ConfigMapProjection
  Name Items:[]KeyToPath Optional:*!
ServiceAccountTokenProjection
  Audience ExpirationSeconds:*# Path User:*#
ClusterTrustBundleProjection
  Name:* SignerName:* LabelSelector:*= Optional:*! Path User:*#
PodCertificateProjection
  SignerName KeyType MaxExpirationSeconds:*# CredentialBundlePath KeyPath CertificateChainPath
  UserAnnotations:{} User:*#
PersistentVolumeClaimSpec
  AccessModes:[] Selector:*= Resources:VolumeResourceRequirements VolumeName StorageClassName:*
  VolumeMode:* DataSource:*TypedLocalObjectReference DataSourceRef:*TypedObjectReference
  VolumeAttributesClassName:*
ConfigMapKeySelector
  Name Key Optional:*!
SecretKeySelector
  Name Key Optional:*!
FileKeySelector
  VolumeName Path Key Optional:*!
HTTPHeader
  Name Value
SleepAction
  Seconds:#
NodeSelectorTerm
  MatchExpressions:[]NodeSelectorRequirement MatchFields:[]NodeSelectorRequirement
VolumeResourceRequirements
  Limits:{} Requests:{}
TypedLocalObjectReference
  APIGroup/apiGroup:* Kind Name
TypedObjectReference
  APIGroup/apiGroup:* Kind Name Namespace:*
NodeSelectorRequirement
  Key Operator Values:[]
`;

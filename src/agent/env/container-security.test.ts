import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod, SecurityContext } from "../../api/types.ts";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { capabilityNames, defaultCapabilities } from "../../runtime/security/capabilities.ts";
import { containerSecurity } from "./container-security.ts";

type PodContext = Pod["spec"]["securityContext"];

function securityOf(
  own: SecurityContext | undefined,
  ofPod?: PodContext,
  seccompDirectory = "/nowhere",
): ReturnType<typeof containerSecurity> {
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web" },
    spec: { containers: [], securityContext: ofPod },
    status: {},
  };
  return containerSecurity({ pod, container: { securityContext: own }, seccompDirectory });
}

const capabilitiesOf = (add: string[], drop: string[]): readonly string[] =>
  securityOf({ capabilities: { add, drop } }).capabilities;

describe("containerSecurity", () => {
  it("gives a container that says nothing what containerd gives it", () => {
    assert.deepEqual(securityOf(undefined), {
      isPrivileged: false,
      capabilities: [
        ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"],
        ...["NET_BIND_SERVICE", "NET_RAW", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
      ],
      isWithoutNewPrivileges: false,
      seccomp: "default",
      isProcMasked: true,
    });
  });

  it("adds and drops capabilities, by either form of their names", () => {
    assert.ok(capabilitiesOf(["NET_ADMIN"], []).includes("NET_ADMIN"));
    assert.ok(capabilitiesOf(["CAP_SYS_TIME"], []).includes("SYS_TIME"));
    assert.ok(!capabilitiesOf([], ["CHOWN"]).includes("CHOWN"));
    assert.deepEqual(capabilitiesOf(["NO_SUCH"], []), defaultCapabilities);
  });

  it("takes ALL as the start from which others are added and dropped", () => {
    assert.deepEqual(capabilitiesOf([], ["ALL"]), []);
    assert.deepEqual(capabilitiesOf(["NET_BIND_SERVICE"], ["ALL"]), ["NET_BIND_SERVICE"]);
    assert.deepEqual(capabilitiesOf(["ALL"], []), capabilityNames.toSorted());
    assert.deepEqual(
      capabilitiesOf(["ALL"], ["SYS_ADMIN"]),
      capabilityNames.filter((name) => name !== "SYS_ADMIN").toSorted(),
    );
  });

  it("gives a privileged container everything, whatever else it says", () => {
    const { isPrivileged, capabilities, seccomp } = securityOf(
      { privileged: true, capabilities: { drop: ["ALL"] } },
      { seccompProfile: { type: "Localhost", localhostProfile: "missing.json" } },
    );
    assert.equal(isPrivileged, true);
    assert.equal(seccomp, "unconfined");
    assert.deepEqual(capabilities, capabilityNames.toSorted());
  });

  it("takes the container's word on system calls, and else the pod's", () => {
    const type = (name: string) => ({ seccompProfile: { type: name } });
    assert.equal(securityOf({}, type("RuntimeDefault")).seccomp, "default");
    assert.equal(securityOf(type("Unconfined"), type("RuntimeDefault")).seccomp, "unconfined");
    assert.equal(securityOf(type("RuntimeDefault"), type("Unconfined")).seccomp, "default");
  });

  it("reads the profile that a pod calls Localhost", () => {
    using dir = tempDir();
    dir.write({ "profiles/audit.json": '{"defaultAction":"SCMP_ACT_LOG"}' });
    const profile = { type: "Localhost", localhostProfile: "profiles/audit.json" };
    const { seccomp } = securityOf({ seccompProfile: profile }, undefined, dir.path);
    assert.deepEqual(seccomp, { profile: { defaultAction: "SCMP_ACT_LOG" } });
  });

  it("says what is wrong with a profile", () => {
    using dir = tempDir();
    dir.write({ "bad.json": "{", "no.json": "7" });
    const read = (localhostProfile: string) => () =>
      securityOf({ seccompProfile: { type: "Localhost", localhostProfile } }, undefined, dir.path);
    assert.throws(read(""), {
      message: "localhostProfile must be set if seccompProfile type is Localhost.",
    });
    const missing = dir.join("missing.json");
    assert.throws(read("missing.json"), {
      message: `cannot load seccomp profile "${missing}": open ${missing}: no such file or directory`,
    });
    assert.throws(read("bad.json"), {
      message: /^decoding seccomp profile failed ".*bad\.json": /,
    });
    assert.throws(read("no.json"), { message: /^decoding seccomp profile failed ".*no\.json": / });
  });

  it("refuses a profile of AppArmor, and ignores SELinux", () => {
    const appArmorProfile = { type: "RuntimeDefault" };
    const message = "Cannot enforce AppArmor: AppArmor is not enabled on the host";
    assert.throws(() => securityOf({ appArmorProfile }), { message });
    assert.throws(() => securityOf({}, { appArmorProfile }), { message });
    securityOf({ appArmorProfile: { type: "Unconfined" } }, { appArmorProfile });
    securityOf({ seLinuxOptions: { level: "s0:c1,c2" } });
  });

  it("hides nothing of /proc if it is not to", () => {
    assert.equal(securityOf({ procMount: "Unmasked" }).isProcMasked, false);
    assert.equal(securityOf({ procMount: "Default" }).isProcMasked, true);
  });
});

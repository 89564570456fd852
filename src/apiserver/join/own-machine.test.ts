import { equal, match, notEqual, rejects } from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { before, describe, it } from "node:test";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { type CertificateAndKey, createAuthority } from "../pki/issue.ts";
import { NodeCertificates } from "./node-certificates.ts";
import { NodeMembers } from "./node-members.ts";
import { OwnMachine } from "./own-machine.ts";
import { newMachine } from "./testing/machine.ts";
import { type StoredObjects, storedObjects } from "./testing/stored-objects.ts";

const DAY_MS = 24 * 3600_000;

describe("OwnMachine", () => {
  let authority: CertificateAndKey;
  before(async () => {
    const nowMs = new FakeClock().now();
    authority = await createAuthority({ commonName: "driftless", nowMs, days: 3650 });
  });

  function machineOf({ objects, nodes }: StoredObjects, clock = new FakeClock()): OwnMachine {
    const members = new NodeMembers({ objects, nodes, clock });
    const certificates = new NodeCertificates({ authority, clock });
    return new OwnMachine({ members, certificates, authority: authority.certificate, clock });
  }

  it("makes the machine a node, and leaves it what it holds", async () => {
    await using stored = await storedObjects();
    const { key } = await newMachine();
    const enrolment = { nodeName: "here", key, held: undefined, mayReplace: false };
    const first = await machineOf(stored).enrol(enrolment);
    match(new X509Certificate(first).subject, /^CN=system:node:here\nO=system:nodes\n/);
    equal(await machineOf(stored).enrol({ ...enrolment, held: first }), first);
  });

  it("gives a new certificate when the Node was made anew, or the old one is about to end", async () => {
    await using stored = await storedObjects();
    const { key } = await newMachine();
    const enrolment = { nodeName: "here", key, held: undefined, mayReplace: false };
    const first = await machineOf(stored).enrol(enrolment);
    await stored.delete(stored.nodes, "here");
    const second = await machineOf(stored).enrol({ ...enrolment, held: first });
    notEqual(second, first);
    const late = new FakeClock();
    await late.step(90 * DAY_MS);
    notEqual(await machineOf(stored, late).enrol({ ...enrolment, held: second }), second);
  });

  it("takes no other machine's place, unless it was that node before", async () => {
    await using stored = await storedObjects();
    const [one, other] = [await newMachine(), await newMachine()];
    const enrolment = { nodeName: "here", held: undefined, mayReplace: false };
    await machineOf(stored).enrol({ ...enrolment, key: one.key });
    await rejects(
      machineOf(stored).enrol({ ...enrolment, key: other.key }),
      /there is a node "here", which another machine registered/,
    );
    await machineOf(stored).enrol({ ...enrolment, key: other.key, mayReplace: true });
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Service, ServicePort } from "../../api/types.ts";
import { serviceVariables, withApiService } from "./service-variables.ts";

function service(namespace: string, name: string, spec: Service["spec"]): Service {
  return { metadata: { namespace, name }, spec, status: { loadBalancer: {} } };
}

function port(number: number, more: Partial<ServicePort> = {}): ServicePort {
  return { port: number, targetPort: number, ...more };
}

const master = service("default", "kubernetes", { clusterIP: "10.0.0.1", ports: [port(443)] });
const web = service("shop", "web-front", { clusterIP: "10.0.0.2", ports: [port(80)] });
const own = service("shop", "kubernetes", { clusterIP: "10.0.0.9", ports: [port(8443)] });
const elsewhere = service("other", "db", { clusterIP: "10.0.0.3", ports: [port(5432)] });

describe("serviceVariables", () => {
  const hostsOf = (services: readonly Service[], enableServiceLinks: boolean) =>
    Object.fromEntries(
      [...serviceVariables({ services, namespace: "shop", enableServiceLinks })].filter(([name]) =>
        name.endsWith("_SERVICE_HOST"),
      ),
    );

  it("names address, ports and links as Kubernetes does", () => {
    const ports = [port(80, { name: "http-web" }), port(53, { name: "dns", protocol: "UDP" })];
    const services = [service("shop", "my-svc", { clusterIP: "1.2.3.4", ports })];
    const variables = serviceVariables({ services, namespace: "shop", enableServiceLinks: true });
    assert.deepEqual(
      [...variables],
      [
        ["MY_SVC_SERVICE_HOST", "1.2.3.4"],
        ["MY_SVC_SERVICE_PORT", "80"],
        ["MY_SVC_SERVICE_PORT_HTTP_WEB", "80"],
        ["MY_SVC_SERVICE_PORT_DNS", "53"],
        ["MY_SVC_PORT", "tcp://1.2.3.4:80"],
        ["MY_SVC_PORT_80_TCP", "tcp://1.2.3.4:80"],
        ["MY_SVC_PORT_80_TCP_PROTO", "tcp"],
        ["MY_SVC_PORT_80_TCP_PORT", "80"],
        ["MY_SVC_PORT_80_TCP_ADDR", "1.2.3.4"],
        ["MY_SVC_PORT_53_UDP", "udp://1.2.3.4:53"],
        ["MY_SVC_PORT_53_UDP_PROTO", "udp"],
        ["MY_SVC_PORT_53_UDP_PORT", "53"],
        ["MY_SVC_PORT_53_UDP_ADDR", "1.2.3.4"],
      ],
    );
  });

  it("knows where the API is without its service, and with one that has no address", () => {
    const at = (server: string, ...services: readonly Service[]): readonly unknown[] => {
      const known = withApiService(services, server);
      const found = serviceVariables({
        ...{ services: known, namespace: "shop", enableServiceLinks: false },
      });
      return [found.get("KUBERNETES_SERVICE_HOST"), found.get("KUBERNETES_SERVICE_PORT")];
    };
    const headless = service("default", "kubernetes", { clusterIP: "None", ports: [port(443)] });
    assert.deepEqual(at("https://127.0.0.1:8443", web), ["127.0.0.1", "8443"]);
    assert.deepEqual(at("https://127.0.0.1:8443", headless), ["127.0.0.1", "8443"]);
    assert.deepEqual(at("https://[fd00::1]"), ["fd00::1", "443"]);
    assert.deepEqual(at("https://127.0.0.1:8443", master), ["10.0.0.1", "443"]);
  });

  it("puts an IPv6 address of a link into brackets", () => {
    const services = [service("shop", "six", { clusterIP: "fd00::1", ports: [port(80)] })];
    const variables = serviceVariables({ services, namespace: "shop", enableServiceLinks: true });
    assert.equal(variables.get("SIX_PORT"), "tcp://[fd00::1]:80");
    assert.equal(variables.get("SIX_SERVICE_HOST"), "fd00::1");
  });

  it("L3: knows only the master's service without links", () => {
    assert.deepEqual(hostsOf([web, elsewhere, master], false), {
      KUBERNETES_SERVICE_HOST: "10.0.0.1",
    });
  });

  it("L4: adds the services of the pod's namespace with links", () => {
    assert.deepEqual(hostsOf([web, elsewhere, master], true), {
      KUBERNETES_SERVICE_HOST: "10.0.0.1",
      WEB_FRONT_SERVICE_HOST: "10.0.0.2",
    });
  });

  for (const services of [
    [own, master],
    [master, own],
  ]) {
    it("L5: lets a service called kubernetes in the pod's namespace win only with links", () => {
      assert.deepEqual(hostsOf(services, false), { KUBERNETES_SERVICE_HOST: "10.0.0.1" });
      assert.deepEqual(hostsOf(services, true), { KUBERNETES_SERVICE_HOST: "10.0.0.9" });
    });
  }

  it("passes over services without an address or a port", () => {
    const services = [
      service("shop", "headless", { clusterIP: "None", ports: [port(1)] }),
      service("shop", "external", { type: "ExternalName" }),
      service("shop", "empty", { clusterIP: "", ports: [port(1)] }),
      service("shop", "portless", { clusterIP: "10.0.0.5" }),
    ];
    assert.deepEqual(hostsOf(services, true), {});
  });
});

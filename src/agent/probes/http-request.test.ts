import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { containerPort } from "./container-port.ts";
import { httpHeaders, httpPlace, redirectPlace } from "./http-request.ts";

const container = { ports: [{ name: "found", containerPort: 93 }] };

describe("containerPort", () => {
  const refusals: readonly (readonly [number | string, string])[] = [
    [-1, "invalid port number: -1"],
    [0, "invalid port number: 0"],
    [65_536, "invalid port number: 65536"],
    ["", 'port "" not found'],
    ["-1", 'port "-1" not found'],
    ["80", 'port "80" not found'],
    ["not-found", 'port "not-found" not found'],
  ];
  for (const [port, message] of refusals) {
    it(`refuses ${JSON.stringify(port)}`, () => {
      assert.throws(() => containerPort(port, container), { message });
    });
  }

  it("takes a number, or finds one by its name", () => {
    assert.equal(containerPort(76, {}), 76);
    assert.equal(containerPort("found", container), 93);
  });
});

describe("httpPlace", () => {
  const places: readonly (readonly [path: string | undefined, sent: string, url: string])[] = [
    [undefined, "/", "http://10.0.0.1:76"],
    ["", "/", "http://10.0.0.1:76"],
    ["/path", "/path", "http://10.0.0.1:76/path"],
    ["path", "/path", "http://10.0.0.1:76/path"],
    ["?foo", "/?foo", "http://10.0.0.1:76?foo"],
    ["/path?bar=1&b=/", "/path?bar=1&b=/", "http://10.0.0.1:76/path?bar=1&b=/"],
    ["/a/../b//c/.", "/a/../b//c/.", "http://10.0.0.1:76/a/../b//c/."],
    ["/a b", "/a%20b", "http://10.0.0.1:76/a%20b"],
    ["/ä", "/%C3%A4", "http://10.0.0.1:76/%C3%A4"],
    ["/%41%2f", "/%41%2f", "http://10.0.0.1:76/%41%2f"],
    ["/100%?x", "/100%25%3Fx", "http://10.0.0.1:76/100%25%3Fx"],
    ["/a\r\nHost: b", "/a%0D%0AHost:%20b", "http://10.0.0.1:76/a%0D%0AHost:%20b"],
    ["/a#b", "/a", "http://10.0.0.1:76/a"],
    ["http://elsewhere:1/x", "/x", "http://10.0.0.1:76/x"],
    ["//elsewhere/x", "/x", "http://10.0.0.1:76/x"],
  ];
  for (const [path, sent, url] of places) {
    it(`asks for ${sent} if the path is ${JSON.stringify(path)}`, () => {
      const place = httpPlace({ port: 76, path }, container, "10.0.0.1");
      assert.deepEqual([place.path, place.url], [sent, url]);
    });
  }

  it("goes to the host that is named, by HTTPS if asked to, and to the pod otherwise", () => {
    const named = httpPlace(
      { port: "found", host: "hostname", scheme: "HTTPS" },
      container,
      "10.0.0.1",
    );
    assert.equal(named.url, "https://hostname:93");
    const six = httpPlace({ port: 80, host: "" }, container, "fd00::1");
    assert.deepEqual([six.host, six.authority], ["fd00::1", "[fd00::1]:80"]);
  });
});

describe("redirectPlace", () => {
  const from = httpPlace({ port: 8080, path: "/a/b?c" }, container, "10.0.0.1");
  const targets: readonly (readonly [location: string, url: string | undefined])[] = [
    ["/new", "http://10.0.0.1:8080/new"],
    ["new?x", "http://10.0.0.1:8080/a/new?x"],
    ["//10.0.0.2/x", "http://10.0.0.2/x"],
    ["https://10.0.0.1/x", "https://10.0.0.1/x"],
    ["http://[fd00::1]:81/", "http://[fd00::1]:81/"],
    ["file:///etc/passwd", undefined],
    ["http://[", undefined],
  ];
  for (const [location, url] of targets) {
    it(`leads to ${url} with ${JSON.stringify(location)}`, () => {
      assert.equal(redirectPlace(from, location)?.url, url);
    });
  }

  it("knows the ports of the schemes, and the bare address of IPv6", () => {
    assert.equal(redirectPlace(from, "https://a/")?.port, 443);
    assert.equal(redirectPlace(from, "http://a/")?.port, 80);
    assert.equal(redirectPlace(from, "http://[fd00::1]/")?.host, "fd00::1");
  });
});

describe("httpHeaders", () => {
  it("adds who asks and that it takes everything", () => {
    assert.deepEqual(httpHeaders(undefined, "kube-probe/1.36"), {
      "User-Agent": ["kube-probe/1.36"],
      Accept: ["*/*"],
    });
  });

  it("keeps what the pod says, in Go's spelling and with all values", () => {
    const headers = httpHeaders(
      [
        { name: "accept", value: "application/json" },
        { name: "Accept", value: "*/*" },
        { name: "pragma", value: "no-cache" },
        { name: "X-forwarded-for", value: "me" },
        { name: "HOST", value: "example.com" },
        { name: "user-agent", value: "foo/1.0" },
      ],
      "kube-probe/1.36",
    );
    assert.deepEqual(headers, {
      Accept: ["application/json", "*/*"],
      Pragma: ["no-cache"],
      "X-Forwarded-For": ["me"],
      Host: ["example.com"],
      "User-Agent": ["foo/1.0"],
    });
  });

  it("leaves out what the pod sets to nothing", () => {
    const list = ["Accept", "User-Agent"].map((name) => ({ name, value: "" }));
    assert.deepEqual(httpHeaders(list, "kube-probe/1.36"), {});
  });
});

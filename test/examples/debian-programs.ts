// The real programs of the examples, from Debian. Nothing is installed, only unpacked, so no service is started. Their libraries come along: those that a small
// system may not have.

import { dirname } from "node:path";
import { type EnsuredBinary, ensureLaterDebianBinary } from "../../tools/debian-later.ts";

const suite = "bookworm";

export function nginxProgram(): Promise<EnsuredBinary> {
  return ensureLaterDebianBinary({
    ...{ suite, package: "nginx", binary: "usr/sbin/nginx", probe: ["-v"] },
  });
}

/** With promtool beside it. */
export function prometheusProgram(): Promise<EnsuredBinary> {
  return ensureLaterDebianBinary({
    ...{ suite, package: "prometheus", binary: "usr/bin/prometheus", probe: ["--version"] },
  });
}

export function haproxyProgram(): Promise<EnsuredBinary> {
  return ensureLaterDebianBinary({
    ...{ suite, package: "haproxy", binary: "usr/sbin/haproxy", probe: ["-v"] },
    alsoUnpack: ["liblua5.3-0", "libopentracing-c-wrapper0", "libopentracing1"],
  });
}

/** With redis-cli beside it. */
export function redisProgram(): Promise<EnsuredBinary> {
  return ensureLaterDebianBinary({
    ...{ suite, package: "redis-server", binary: "usr/bin/redis-server", probe: ["--version"] },
    alsoUnpack: ["redis-tools", "libjemalloc2", "liblzf1", "libatomic1"],
  });
}

/** With initdb and psql beside it. */
export function postgresqlProgram(): Promise<EnsuredBinary> {
  return ensureLaterDebianBinary({
    ...{ suite, package: "postgresql-15", binary: "usr/lib/postgresql/15/bin/postgres" },
    probe: ["--version"],
    alsoUnpack: [
      ...["postgresql-client-15", "libpq5", "libicu72", "libxml2", "libreadline8"],
      ...["libldap-2.5-0", "libsasl2-2", "libgssapi-krb5-2", "libkrb5-3", "libk5crypto3"],
      ...["libkrb5support0", "libkeyutils1"],
    ],
  });
}

/** What a process needs in its environment to find them. */
export function environmentFor(programs: readonly EnsuredBinary[]): {
  readonly path: readonly string[];
  readonly libraries: readonly string[];
} {
  const found = programs.flatMap((program) => (program.ok ? [program] : []));
  return {
    path: found.map(({ path }) => dirname(path)),
    libraries: found.flatMap(({ libraries }) => libraries ?? []),
  };
}

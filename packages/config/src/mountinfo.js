// The mount table of the process, as proc_pid_mountinfo(5) describes it.

/**
 * @typedef {object} Mount
 * @property {string} root The directory or file of the filesystem that is mounted here.
 * @property {string} mountPoint
 * @property {string} filesystem
 * @property {boolean} deleted The root was removed since; the kernel says so in the table.
 */

/**
 * The mount that a path is on: the deepest one and, of several in the same place, the topmost.
 * @param {string} mountinfo
 * @param {string} path absolute, without links
 * @returns {Mount | undefined}
 */
export function mountOf(mountinfo, path) {
  /** @type {Mount | undefined} */
  let best;
  for (const line of mountinfo.split("\n")) {
    const mount = parseMount(line);
    if (mount === undefined || !isBelow(path, mount.mountPoint)) continue;
    // Later lines are mounted later, so they cover earlier ones of the same length.
    if (best === undefined || mount.mountPoint.length >= best.mountPoint.length) best = mount;
  }
  return best;
}

/**
 * `36 35 98:0 /root /point rw,noatime master:1 shared:2 - ext4 /dev/sda rw`: after the options come
 * any number of optional fields, up to a single dash.
 * @param {string} line
 * @returns {Mount | undefined}
 */
export function parseMount(line) {
  const fields = line.split(" ");
  const root = unescaped(fields[3] ?? "");
  const mountPoint = unescaped(fields[4] ?? "");
  const dash = fields.indexOf("-", 6);
  const filesystem = unescaped(fields[dash + 1] ?? "");
  if (dash === -1 || root === "" || mountPoint === "") return undefined;
  const deleted = root.endsWith("//deleted");
  return {
    root: deleted ? root.slice(0, -"//deleted".length) : root,
    mountPoint,
    filesystem,
    deleted,
  };
}

/**
 * The kernel writes blank, tab, newline and backslash as three octal digits. They stand for bytes,
 * but these four are ASCII, so characters will do.
 * @param {string} field
 */
function unescaped(field) {
  return field.replace(/\\([0-7]{3})/g, (_, digits) =>
    String.fromCharCode(Number.parseInt(String(digits), 8)),
  );
}

/**
 * @param {string} path
 * @param {string} ancestor
 */
function isBelow(path, ancestor) {
  return ancestor === "/" || path === ancestor || path.startsWith(`${ancestor}/`);
}

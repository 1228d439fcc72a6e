/**
 * Ports above 1023 that browsers and `fetch` never call, since other protocols use them. Source: the Fetch standard, section 2.9, "port blocking". Ports below are
 * not listed: they need rights that no service should have, and programs that embed it may answer requests without a socket.
 */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
]);

/** Returns whether no page and no `fetch` calls a port. */
export function isBlockedPort(port: number): boolean {
  return BLOCKED_PORTS.has(port);
}

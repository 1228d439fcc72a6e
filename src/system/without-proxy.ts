/**
 * The hosts of this machine, in each form in which programs compare them: names below `localhost` too, and IPv6 with the brackets of
 * URLs and without.
 */
const OWN_HOSTS = ['localhost', '.localhost', '127.0.0.1', '[::1]', '::1'];

/** Variables that name the hosts for which no proxy is used. Programs read one or the other. */
export interface WithoutProxy {
  readonly NO_PROXY: string;
  readonly no_proxy: string;
}

/** Returns the variables with which a program uses the proxy of its environment (`HTTP_PROXY`) as before, but never for this machine. */
export function withoutProxy(environment: Readonly<Record<string, string | undefined>>): WithoutProxy {
  const given = [environment['no_proxy'], environment['NO_PROXY']];
  const hosts = given.flatMap(each => each?.split(/[\s,]+/) ?? []).filter(Boolean);
  // Some programs know the asterisk only alone.
  const all = hosts.includes('*') ? '*' : [...new Set([...hosts, ...OWN_HOSTS])].join(',');
  return {NO_PROXY: all, no_proxy: all};
}

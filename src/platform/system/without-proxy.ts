/** The hosts of this machine, in each form in which programs compare them: names below `localhost` too. */
const OWN_HOSTS = ['localhost', '.localhost', '127.0.0.1', '::1'];

/** The form of `::1` that Node compares. Other programs may refuse it, such as httpx for Python. */
const IPV6_FOR_NODE = '[::1]';

/** Variables that name a proxy. */
const PROXY = /^(?:https?|all)_proxy$/i;

/**
 * Returns the variables with which a program uses the proxy of its environment (`HTTP_PROXY`) as before, but never for this machine; none if
 * there is no proxy. They name the hosts for which no proxy is used. Programs read one or the other.
 */
export function withoutProxy(
  environment: Readonly<Record<string, string | undefined>>,
  {isNode}: {readonly isNode: boolean},
): {readonly NO_PROXY?: string; readonly no_proxy?: string} {
  if (!Object.entries(environment).some(([name, value]) => PROXY.test(name) && value)) return {};
  const given = [environment['no_proxy'], environment['NO_PROXY']];
  const hosts = given
    .flatMap(each => each?.split(/[\s,]+/) ?? [])
    .filter(each => each !== '' && each !== IPV6_FOR_NODE);
  // Some programs know the asterisk only alone.
  const all = hosts.includes('*')
    ? '*'
    : [...new Set([...hosts, ...OWN_HOSTS]), ...(isNode ? [IPV6_FOR_NODE] : [])].join(',');
  return {NO_PROXY: all, no_proxy: all};
}

import {type PathBase, resolvePath} from '../paths.ts';
import {type Reading, readSwitch} from './setting.ts';

/** Place of the entries: the data directory, memory, or etcd. */
export type StoreLocation = {readonly kind: 'lmdb'} | {readonly kind: 'memory'} | EtcdLocation;

/** A part of the keys of etcd. */
export interface EtcdLocation {
  readonly kind: 'etcd';
  /** Host and port of each member, once. */
  readonly members: readonly string[];
  /** The first characters of all keys. */
  readonly prefix: string;
  /** Paths of PEM files; undefined without TLS. */
  readonly tls:
    | {readonly ca: string | undefined; readonly cert: string | undefined; readonly key: string | undefined}
    | undefined;
  readonly user: {readonly name: string; readonly passwordFile: string} | undefined;
}

/** Returns the kind of the store that the settings name. */
export function storeKindOf({
  store,
  ephemeral,
}: {
  readonly store: string;
  readonly ephemeral: boolean;
}): StoreLocation['kind'] {
  const {kind} = locateStore(store);
  return ephemeral && kind === 'lmdb' ? 'memory' : kind;
}

const DEFAULT_PORT = 2379;
const ETCD_URL = /^etcd:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const MEMBER = /^((?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]))(?::([1-9][0-9]{0,4}))?$/;
const PREFIX = /^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*$/;
/** Longest prefix without the slash after it; with it `PREFIX_BYTES_MAX` of the store. Each key has it, and etcd limits the size of requests. */
const PREFIX_LENGTH_MAX = 63;
const FILES = ['ca', 'cert', 'key', 'password-file'] as const;
const NAMES: readonly string[] = [...FILES, 'tls', 'user'];
const WANTED = 'has to be lmdb, memory, or etcd://HOST:PORT,…/PREFIX';

/** Reads the setting `store`. Paths of files become absolute. */
export function readStoreSetting(given: unknown, base: PathBase): Reading<string> {
  if (given === 'lmdb' || given === 'memory') return {value: given};
  const [, hosts = '', prefix = '', query = ''] = (typeof given === 'string' && ETCD_URL.exec(given)) || [];
  if (hosts === '') return {problem: WANTED};
  const parameters = new URLSearchParams(query);
  const problem = findProblem(hosts, prefix, parameters);
  if (problem !== undefined) return {problem};
  for (const name of FILES) {
    const path = parameters.get(name);
    if (path !== null) parameters.set(name, resolvePath(path, base));
  }
  return {value: `etcd://${hosts}/${prefix}${parameters.size === 0 ? '' : `?${parameters}`}`};
}

/** Returns the location in a value that {@link readStoreSetting} accepted. */
export function locateStore(store: string): StoreLocation {
  if (store === 'lmdb') return {kind: 'lmdb'};
  if (store === 'memory') return {kind: 'memory'};
  const [, hosts = '', prefix = '', query = ''] = ETCD_URL.exec(store) ?? [];
  const parameters = new URLSearchParams(query);
  const [ca, cert, key, passwordFile] = FILES.map(name => parameters.get(name) ?? undefined);
  const hasTls = ca !== undefined || cert !== undefined || readSwitch(parameters.get('tls') ?? '');
  const name = parameters.get('user');
  return {
    kind: 'etcd',
    members: [...new Set(hosts.split(',').map(withPort))],
    prefix: `${prefix}/`,
    tls: hasTls ? {ca, cert, key} : undefined,
    user: name === null || passwordFile === undefined ? undefined : {name, passwordFile},
  };
}

/** Describes the place of the entries for people; undefined for the data directory. */
export function describeLocation(location: StoreLocation): string | undefined {
  if (location.kind !== 'etcd') return location.kind === 'memory' ? 'in memory, deleted when it stops' : undefined;
  return `etcd at ${location.members.join(', ')}, keys ${location.prefix}`;
}

function findProblem(hosts: string, prefix: string, parameters: URLSearchParams): string | undefined {
  if (hosts.includes('@')) return 'must not have a user or a password: name them with ?user=NAME&password-file=FILE';
  const wrong = hosts.split(',').find(host => !isMember(host));
  if (wrong !== undefined) return `has ${JSON.stringify(wrong)}, which is not a host and a port`;
  if (!PREFIX.test(prefix)) return 'needs a prefix of letters, digits, ".", "_" and "-", such as etcd://HOST/crewroom';
  if (prefix.length > PREFIX_LENGTH_MAX) return `has a prefix of more than ${PREFIX_LENGTH_MAX} characters`;
  const names = [...parameters.keys()];
  const unknown = names.find((name, index) => !NAMES.includes(name) || names.indexOf(name) !== index);
  if (unknown !== undefined)
    return `has an unknown or repeated parameter ${JSON.stringify(unknown)}; there are ${NAMES.join(', ')}`;
  return findValueProblem(parameters);
}

function findValueProblem(parameters: URLSearchParams): string | undefined {
  const empty = [...parameters].find(([, value]) => value === '');
  if (empty !== undefined) return `has no value for ${empty[0]}`;
  if (parameters.has('cert') !== parameters.has('key')) return 'needs cert and key together';
  if (parameters.has('user') !== parameters.has('password-file')) return 'needs user and password-file together';
  const tls = parameters.get('tls');
  if (tls !== null && readSwitch(tls) === undefined) return 'can have tls=true or tls=false only';
  const hasFiles = parameters.has('ca') || parameters.has('cert');
  return tls !== null && !readSwitch(tls) && hasFiles ? 'has tls=false, and files for TLS' : undefined;
}

function isMember(text: string): boolean {
  const [, host, port = ''] = MEMBER.exec(text) ?? [];
  return host !== undefined && Number(port) <= 65_535 && URL.canParse(`http://${host}`);
}

function withPort(member: string): string {
  const [, host = '', port = DEFAULT_PORT] = MEMBER.exec(member) ?? [];
  return `${host}:${port}`;
}

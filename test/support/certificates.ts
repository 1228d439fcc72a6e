import {execFileSync} from 'node:child_process';
import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const EXTENSIONS = 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n';

/** Default time for which a certificate is valid, in milliseconds. */
const VALID_MS = 24 * 60 * 60 * 1000;

/** Certificates in a temporary directory, made with openssl. */
export class Certificates implements AsyncDisposable {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** Creates a directory with some authorities, each with its certificate and key. */
  static async create(...authorities: readonly string[]): Promise<Certificates> {
    const certificates = new Certificates(await mkdtemp(join(tmpdir(), 'crewroom-test-')));
    await writeFile(certificates.path('extensions'), EXTENSIONS);
    for (const name of authorities) certificates.#addAuthority(name);
    return certificates;
  }

  /** Returns the path of a file, such as `client.pem` or `client.key`. */
  path(file: string): string {
    return join(this.#directory, file);
  }

  /** Makes a certificate for 127.0.0.1 by the authority `ca`, valid until a time, and replaces an earlier one of this name. */
  async issue(name: string, validUntilMs = Date.now() + VALID_MS): Promise<void> {
    const request = ['-keyout', this.path(`${name}.key`), '-out', this.path(`${name}.csr`), '-subj', `/CN=${name}`];
    openssl('req', '-newkey', 'rsa:2048', '-nodes', ...request);
    // A database of its own for each, since openssl refuses to certify a name again.
    const database = this.path(`ca-${name}-${validUntilMs}`);
    await mkdir(database);
    await writeFile(join(database, 'index'), '');
    const lines = ['[ca]', 'default_ca=x', '[x]', `database=${database}/index`, `new_certs_dir=${database}`];
    lines.push('rand_serial=yes', 'default_md=sha256', 'policy=y', '[y]', 'commonName=supplied', '');
    await writeFile(join(database, 'settings'), lines.join('\n'));
    const authority = ['-cert', this.path('ca.pem'), '-keyfile', this.path('ca.key')];
    const end = new Date(validUntilMs).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
    const paths = [
      '-in',
      this.path(`${name}.csr`),
      '-out',
      this.path(`${name}.pem`),
      '-extfile',
      this.path('extensions'),
    ];
    openssl('ca', '-batch', '-notext', '-config', join(database, 'settings'), ...authority, ...paths, '-enddate', end);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#directory, {recursive: true});
  }

  #addAuthority(name: string): void {
    const paths = ['-keyout', this.path(`${name}.key`), '-out', this.path(`${name}.pem`)];
    openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...paths, '-days', '2', '-subj', `/CN=${name}`);
  }
}

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, {stdio: ['ignore', 'ignore', 'pipe']});
}

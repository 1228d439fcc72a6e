import {crc32, deflateRawSync} from 'node:zlib';

/** An entry of an archive; everything besides name and content is derived from them unless it is given. */
export interface ZipEntry {
  readonly name: string | Uint8Array;
  readonly content?: string | Uint8Array;
  /** Mode of Unix, with the kind of the file. @default {0o100644, or 0o40755 for a folder} */
  readonly mode?: number;
  /** @default {8, which is deflate} */
  readonly method?: number;
  /** @default {0x800, for a name in UTF-8} */
  readonly flags?: number;
  readonly crc?: number;
  /** The size that the directory claims. */
  readonly claimedBytes?: number;
  /** The size of the deflated content that the directory claims. */
  readonly claimedPackedBytes?: number;
  /** Extra field of the entry in the directory. */
  readonly extra?: Uint8Array;
  /** Points to the content of the first entry instead of its own. */
  readonly isShared?: boolean;
}

/** Creates a ZIP archive, also an invalid one. */
export function zipOf(entries: readonly ZipEntry[], {entryCount = entries.length} = {}): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const {local, central} = formatEntry(entry, entry.isShared ? 0 : offset);
    directory.push(central);
    if (entry.isShared) continue;
    bodies.push(local);
    offset += local.length;
  }
  const start = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(entryCount, 0xffff), 8);
  end.writeUInt16LE(Math.min(entryCount, 0xffff), 10);
  end.writeUInt32LE(start.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, start, end]);
}

function formatEntry(entry: ZipEntry, offset: number): {readonly local: Buffer; readonly central: Buffer} {
  const {content = '', method = 8, flags = 0x800, extra = Buffer.alloc(0)} = entry;
  const name = Buffer.from(entry.name);
  const bytes = Buffer.from(content);
  const packed = method === 8 ? deflateRawSync(bytes) : bytes;
  const isFolder = name.at(-1) === 0x2f;
  const {mode = isFolder ? 0o40755 : 0o100644, crc = crc32(bytes)} = entry;
  const {claimedBytes = bytes.length, claimedPackedBytes = packed.length} = entry;
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(flags, 2);
  common.writeUInt16LE(method, 4);
  common.writeUInt32LE(crc, 10);
  common.writeUInt32LE(claimedPackedBytes, 14);
  common.writeUInt32LE(claimedBytes, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([signature(0x04034b50), common, name, packed]);
  common.writeUInt16LE(extra.length, 24);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(mode * 0x10000, 6);
  rest.writeUInt32LE(offset, 10);
  const central = [signature(0x02014b50), Buffer.from([20, 3]), common, rest, name, extra];
  return {local, central: Buffer.concat(central)};
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

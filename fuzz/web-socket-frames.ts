/** A frame of a web socket (RFC 6455 section 5.2), as a server sends it: never masked. */
export interface WebSocketFrame {
  readonly kind: 'text' | 'close' | 'ping' | 'pong' | 'other';
  /** The payload as text; without the code of a close. */
  readonly text: string;
  /** The code of a close; 1005 if it has none. */
  readonly code?: number;
  /** Violations in the frame itself. */
  readonly problem?: string;
}

const KINDS: Readonly<Record<number, WebSocketFrame['kind']>> = {1: 'text', 8: 'close', 9: 'ping', 10: 'pong'};

/** Parses the whole frames at the beginning of the received data. */
export function readFrames(bytes: Buffer): readonly WebSocketFrame[] {
  const frames: WebSocketFrame[] = [];
  let rest = bytes;
  for (;;) {
    const [first = 0, second = 0] = rest;
    const short = second & 0x7f;
    const headSize = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (rest.length < headSize) return frames;
    const size = short === 127 ? Number(rest.readBigUInt64BE(2)) : short === 126 ? rest.readUInt16BE(2) : short;
    if (rest.length < headSize + size) return frames;
    frames.push(describe(first, second, rest.subarray(headSize, headSize + size)));
    rest = rest.subarray(headSize + size);
  }
}

function describe(first: number, second: number, payload: Buffer): WebSocketFrame {
  const kind = KINDS[first & 0x0f] ?? 'other';
  const problem =
    kind === 'other' || (first & 0xf0) !== 0x80
      ? `its first byte is ${first}`
      : (second & 0x80) === 0
        ? undefined
        : 'it is masked';
  const code = kind === 'close' ? (payload.length < 2 ? 1005 : payload.readUInt16BE(0)) : undefined;
  return {
    kind,
    text: (kind === 'close' ? payload.subarray(2) : payload).toString(),
    ...(code === undefined ? {} : {code}),
    ...(problem === undefined ? {} : {problem}),
  };
}

/** A frame as a client sends it: masked, here with a mask that changes no byte. */
export function formatClientFrame(firstByte: number, payload: Buffer): Buffer {
  const size = payload.length;
  const head = Buffer.alloc(size < 126 ? 2 : size < 65_536 ? 4 : 10);
  head[0] = firstByte;
  head[1] = 0x80 | (size < 126 ? size : size < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(size, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(size), 2);
  return Buffer.concat([head, Buffer.alloc(4), payload]);
}

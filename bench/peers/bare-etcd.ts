import {Client, credentials} from '@grpc/grpc-js';

/** Puts and gets as a plain client of etcd makes them: one request for each, on one connection. */
export interface BareEtcd extends Disposable {
  put(key: string, value: string): Promise<void>;
  /** A linearizable read, as those of the service. */
  get(key: string): Promise<void>;
}

/** Connects to a member. */
export function openBareEtcd(member: string): BareEtcd {
  const client = new Client(member, credentials.createInsecure());
  const call = (method: string, request: Buffer): Promise<void> =>
    new Promise((resolve, reject) => {
      const same = (bytes: Buffer): Buffer => bytes;
      client.makeUnaryRequest(`/etcdserverpb.KV/${method}`, same, same, request, error =>
        error === null ? resolve() : reject(error),
      );
    });
  return {
    put: (key, value) => call('Put', Buffer.concat([fieldOf(1, key), fieldOf(2, value)])),
    get: key => call('Range', fieldOf(1, key)),
    [Symbol.dispose]: () => client.close(),
  };
}

/** Encodes a field of bytes, of less than 16 KiB, as Protocol Buffers do. */
function fieldOf(number: number, text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7];
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes]);
}

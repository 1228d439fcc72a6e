import {randomBytes} from 'node:crypto';
import {createInterface} from 'node:readline';
import {platformPaths} from '../paths.ts';
import type {CliContext, Input, Output} from './terminal/context.ts';

/** Makes the context of this process. */
export function processContext(): CliContext {
  return {
    args: process.argv.slice(2),
    stdin: createInput(process.stdin),
    stdout: createOutput(process.stdout),
    stderr: createMessages(process.stderr),
    environment: process.env,
    workingDirectory: process.cwd(),
    platform: process.platform,
    architecture: process.arch,
    nodeVersion: process.versions.node,
    paths: platformPaths(),
    processId: process.pid,
    userId: process.getuid?.(),
    nowMs: Date.now,
    elapsedMs: () => performance.now(),
    randomName: () => randomBytes(8).toString('hex'),
    fetch,
    onSignal: (signal, listener) => {
      process.on(signal, listener);
      return () => process.off(signal, listener);
    },
    exitNow: exitCode => process.exit(exitCode),
  };
}

function createInput(stream: NodeJS.ReadStream): Input {
  return {
    isTerminal: stream.isTTY === true,
    chunks: () => stream,
    close: () => void stream.destroy(),
    stream,
    line: () =>
      new Promise(resolve => {
        if (stream.readableEnded) return resolve('');
        // Closing the interface leaves the stream open, so that an editor can inherit it.
        const lines = createInterface({input: stream, terminal: false});
        lines.once('line', line => {
          resolve(line);
          lines.close();
        });
        lines.once('close', () => resolve(''));
      }),
  };
}

function createOutput(stream: NodeJS.WriteStream): Output {
  // Each write reports its own failure; without a listener the stream would also end the process.
  stream.on('error', () => {});
  return {
    isTerminal: stream.isTTY === true,
    // A terminal of unknown width reports 0.
    columns: (stream.isTTY === true && stream.columns) || Infinity,
    write: data =>
      new Promise((resolve, reject) => {
        stream.write(data, error => (error ? reject(error) : resolve()));
      }),
    stream,
  };
}

function createMessages(stream: NodeJS.WriteStream): Output {
  const output = createOutput(stream);
  return {...output, write: data => output.write(data).catch(() => {})};
}

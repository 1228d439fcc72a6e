/** An event of a stream, as a browser would dispatch it. */
export interface StreamedEvent {
  readonly type: string;
  readonly data: string;
  /** Id that was current when it was dispatched; a browser sends it when it reconnects. */
  readonly lastEventId: string;
}

/** Parses an event stream as the HTML standard defines (section 9.2.6), from the text as it arrives. */
export class EventStreamParser {
  /** Id that a browser would send when it reconnects. */
  lastEventId = '';
  /** Delay of its reconnection, in milliseconds. */
  retryMs: number | undefined;
  comments = 0;
  #rest = '';
  #type = '';
  #data = '';
  #id = '';

  constructor(lastEventId = '') {
    this.lastEventId = lastEventId;
    this.#id = lastEventId;
  }

  /** Adds received text. @returns The events that it completes. */
  take(text: string): readonly StreamedEvent[] {
    const events: StreamedEvent[] = [];
    const lines = (this.#rest + text).split(/\r\n|\n|\r/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== '') this.#takeField(line);
      else {
        const event = this.#dispatch();
        if (event !== undefined) events.push(event);
      }
    }
    return events;
  }

  #dispatch(): StreamedEvent | undefined {
    this.lastEventId = this.#id;
    const event = {type: this.#type || 'message', data: this.#data.slice(0, -1), lastEventId: this.lastEventId};
    const empty = this.#data === '';
    this.#type = '';
    this.#data = '';
    return empty ? undefined : event;
  }

  #takeField(line: string): void {
    if (line.startsWith(':')) {
      this.comments++;
      return;
    }
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'event') this.#type = value;
    else if (name === 'data') this.#data += `${value}\n`;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^[0-9]+$/.test(value)) this.retryMs = Number(value);
    else throw new Error(`no browser understands ${JSON.stringify(line)}`);
  }
}

/** A subscriber over HTTP. */
export interface HttpSubscriber extends AsyncDisposable {
  readonly response: Response;
  readonly parser: EventStreamParser;
  /** Returns the next event. @throws {Error} If the stream ends before. */
  next(): Promise<StreamedEvent>;
  /** Returns an event that has arrived already. */
  shift(): StreamedEvent | undefined;
  /** Returns this many events. */
  take(count: number): Promise<readonly StreamedEvent[]>;
  /** Reads until the events read so far satisfy a condition. */
  until(holds: () => boolean): Promise<void>;
  /** Reads to the end. @returns The remaining events. */
  end(): Promise<readonly StreamedEvent[]>;
}

/** Subscribes like a browser, without reconnecting. */
export async function openEventStream(
  url: string,
  {lastEventId, headers = {}, fetch: send = fetch}: OpenOptions = {},
): Promise<HttpSubscriber> {
  const controller = new AbortController();
  const all = lastEventId === undefined ? headers : {...headers, 'Last-Event-ID': lastEventId};
  const response = await send(new Request(url, {headers: all, signal: controller.signal}));
  const parser = new EventStreamParser(lastEventId);
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  const waiting: StreamedEvent[] = [];
  /** @returns Whether there was more. */
  const readMore = async (): Promise<boolean> => {
    const result = await reader?.read();
    if (result === undefined || result.done) return false;
    waiting.push(...parser.take(decoder.decode(result.value, {stream: true})));
    return true;
  };
  const next = async (): Promise<StreamedEvent> => {
    while (waiting.length === 0) if (!(await readMore())) throw new Error('the stream ended');
    return waiting.shift() as StreamedEvent;
  };
  return {
    response,
    parser,
    next,
    shift: () => waiting.shift(),
    take: async count => {
      const events: StreamedEvent[] = [];
      while (events.length < count) events.push(await next());
      return events;
    },
    until: async holds => {
      while (!holds()) if (!(await readMore())) throw new Error('the stream ended');
    },
    end: async () => {
      while (await readMore());
      return waiting;
    },
    [Symbol.asyncDispose]: async () => {
      controller.abort();
      await reader?.cancel().catch(() => {});
    },
  };
}

interface OpenOptions {
  readonly lastEventId?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: (request: Request) => Promise<Response>;
}

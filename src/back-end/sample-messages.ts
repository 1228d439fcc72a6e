import {type JsonMembers, membersOf} from '../json/members.ts';
import {Refusal} from './back-end-request.ts';

/** Maximum number of messages that are kept. */
const MESSAGES_MAX = 100;

/** Messages that pilots send each other, in memory. */
export class SampleMessages {
  readonly #nowMs: () => number;
  #messages: readonly JsonMembers[];
  /** Number of messages ever, also of those that are no longer kept. */
  #count: number;

  constructor(first: unknown, nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#messages = Array.isArray(first) ? first.map(membersOf) : [];
    this.#count = this.#messages.length;
  }

  /** Returns the messages, oldest first. */
  list(): readonly JsonMembers[] {
    return this.#messages;
  }

  /**
   * Keeps a message of a pilot.
   *
   * @param body The parsed body, or the text of a form, as a published plugin sends it.
   * @throws {Refusal}
   */
  send(account: JsonMembers, body: unknown): JsonMembers {
    const message = typeof body === 'string' ? new URLSearchParams(body).get('message') : membersOf(body)['message'];
    if (typeof message !== 'string' || message === '') throw new Refusal(400, 'The member "message" is missing');
    const {dbID, firstName, lastName} = account;
    const sent = {
      messageId: ++this.#count,
      pilotId: dbID,
      pilot: `${String(firstName)} ${String(lastName)}`,
      message,
    };
    this.#messages = [...this.#messages, {...sent, timestamp: new Date(this.#nowMs()).toISOString()}].slice(
      -MESSAGES_MAX,
    );
    return {};
  }
}

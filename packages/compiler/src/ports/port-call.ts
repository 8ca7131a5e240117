import type { JsonObject } from '../json.ts';

/** What a port gets in addition to the input of a call. */
export interface PortCall {
  /** Aborted when the machine no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Passes on a part of the text while it is generated. Parts are for display only; the answer counts. */
  readonly onText: (part: string) => void;
  /** The most tokens that the answer may use, for ports that can limit their model. Absent without a limit, or far from it. */
  readonly maxTokens?: number | undefined;
  /**
   * Returns at most `last` lines of the conversation, the latest last, including the message being answered. Absent when
   * the caller of the machine does not store them.
   */
  readonly transcript?: ((last: number) => Promise<readonly SpokenLine[]>) | undefined;
  /** Reports that the work of an agent continues. Absent when the task waits for no heartbeats. */
  readonly heartbeat?: (() => void) | undefined;
  /**
   * The trace of the call, for the requests that the port sends.Absent without tracing; undefined when the call is not traced.
   * Spec: W3C Trace Context, section 3.2
   */
  readonly traceparent?: (() => Promise<string | undefined>) | undefined;
  /** When the call was decided, in milliseconds since 1970 UTC. A repeated call has the same time. */
  readonly now?: number | undefined;
  /** The time zone of the conversation, such as `Europe/Berlin`. UTC when absent. */
  readonly timeZone?: string | undefined;
  /** The instance of a host that makes the call. Absent when the machine runs without a host. */
  readonly instance?: string | undefined;
}

/** A line of the conversation. `manual` is a person who speaks for the agent. */
export interface SpokenLine {
  readonly role: 'agent' | 'contact' | 'manual';
  readonly text: string;
  /**
   * For a line of the person that belongs to the turn: whether it waits for an answer. `false` when somebody has answered it.
   * Absent where lines are not marked: then the message of the call, if there is one, comes last.
   */
  readonly isNew?: boolean | undefined;
  /** Data that the person's channel has added, such as links of attachments. It is never an instruction. */
  readonly data?: JsonObject | undefined;
}

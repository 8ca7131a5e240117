import type { Wording } from './wording.ts';

/** Messages between the page and the channel. Both import this file. Spec: docs/web-chat.md#protocol */

/** `person` is a member of the company's staff who writes by hand. */
export type Author = 'visitor' | 'agent' | 'person';

/** An attachment. The page shows it as a link. */
export interface ChatLink {
  readonly url: string;
  readonly name: string;
}

/** A file that a visitor sends. */
export interface SentFile {
  readonly name: string;
  /** Its bytes, as an address `data:` in base64. */
  readonly url: string;
}

/** A file that a visitor has sent. */
export interface KeptFile {
  readonly name: string;
  /** The host does not take it. */
  readonly isRefused?: true;
}

export interface ChatMessage {
  readonly id: string;
  /** The id of its conversation. */
  readonly conversation: string;
  readonly from: Author;
  readonly text: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly links?: readonly ChatLink[];
  readonly files?: readonly KeptFile[];
  /** The id of the visitor's message that it replaces. */
  readonly replaces?: string;
  /** Whether the visitor has seen it and all before it. Only on messages of others. */
  readonly isRead?: true;
}

/**
 * The status of the conversation. `delayed`: a call of the turn has failed and is made again. `person`: the next answer comes
 * from a person. `new`: the contact has no conversation yet.
 */
export type ChatStatus = 'new' | 'idle' | 'typing' | 'delayed' | 'person' | 'ended';

/** An event of the stream. */
export type ChatFrame =
  /** The first frame: the latest messages. `hasEarlier`: there are more. */
  | {
      readonly type: 'snapshot';
      readonly messages: readonly ChatMessage[];
      readonly hasEarlier: boolean;
      readonly status: ChatStatus;
    }
  | { readonly type: 'message'; readonly message: ChatMessage }
  /** A part of a message that is being made. `offset` is the number of characters before it; 0 begins the message again. */
  | { readonly type: 'part'; readonly id: string; readonly text: string; readonly offset: number }
  | { readonly type: 'status'; readonly status: ChatStatus };

/** The answer to `POST session`. */
export interface SessionAnswer {
  /** Sent as a bearer token with each request. */
  readonly token: string;
  /** The visitor's name, if the customer's server gave one. */
  readonly name?: string;
}

/** The answer to `POST messages`. */
export interface MessageAnswer {
  /** The id of the message in the conversation. An edit has one of its own. */
  readonly id: string;
}

/** The answer to `GET history`. */
export interface HistoryAnswer {
  readonly messages: readonly ChatMessage[];
  readonly hasEarlier: boolean;
}

/** The body of an error. Spec: RFC 9457 */
export interface ChatProblem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  /** When to send the request again, in milliseconds from now. */
  readonly retryAfterMs?: number;
}

/** The longest text of a message, in UTF-16 units. */
export const textLengthMax = 10_000;

/** The longest name of a file, in UTF-16 units. */
export const nameLengthMax = 255;

/** The most files of a message. */
export const filesMax = 20;

/** The most bytes of the files of a message. Base64 has four characters for three of them. */
export const fileBytesMax = 10_000_000;

/** The configuration that the page gets when it is opened. */
export interface PageConfig {
  readonly definition: string;
  readonly wording: Wording;
  readonly language: string;
  /** A colour such as `#1d4ed8`. */
  readonly accent: string;
  /** Sites that may say which customer is logged in. */
  readonly origins: readonly string[];
  /** Whether the agent speaks first, when a visitor opens the chat. */
  readonly greet: boolean;
  /** Whether visitors can send files. */
  readonly files: boolean;
}

/** The configuration of the launcher. */
export type LauncherConfig = Pick<PageConfig, 'accent'> & {
  readonly wording: Pick<Wording, 'open' | 'close' | 'title' | 'unread'>;
};

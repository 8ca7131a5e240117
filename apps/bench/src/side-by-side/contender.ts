import type { Json } from '@dramaturg/compiler';

/**
 * Conversations in one engine. All contenders do the same durable work in a turn: a message arrives and is stored, a port is
 * called and answers immediately, the answer is stored and then delivered, and the receipt is stored.
 */
export interface Contender {
  /** Starts a conversation, which is not measured. */
  readonly begin?: (id: string) => Promise<void>;
  /**
   * Sends one message. Fulfils when the receipt of the answer is stored. On Restate, which does not report when writes are
   * stored, it fulfils when the answer is delivered.
   *
   * @param turn the number of the message in its conversation, from 1
   */
  readonly turn: (id: string, turn: number) => Promise<void>;
  readonly close?: () => Promise<void>;
}

/** The settings of a contender, as JSON, because they are sent to another process. */
export interface ContenderSettings extends Record<string, Json> {
  /** Used by this contender only, on a disk. */
  readonly folder: string;
  /** URL of this contender's own database. Empty for contenders that need none. */
  readonly postgres: string;
  /** URL of the ingress of restate-server. Empty for contenders that need none. */
  readonly ingress: string;
  /** URL of the admin API of restate-server. Empty for contenders that need none. */
  readonly admin: string;
}

/** Opens a contender. @throws PeerError when its packages cannot be installed */
export type OpenContender = (settings: ContenderSettings, deliver: Deliver) => Promise<Contender>;

/** The channel of all contenders: it accepts every answer immediately. */
export type Deliver = (id: string, text: string) => void;

import { RejectedError } from '@dramaturg/host';

/** The place of a contact: a direct message, or a thread of a channel. */
export interface SlackPlace {
  readonly channel: string;
  /** The time stamp of the first message of the thread. */
  readonly thread?: string | undefined;
}

/** `slack:D024BE91L` is a direct message, `slack:C024BE91L:1355517523.000005` a thread. @throws RejectedError for another contact */
export function placeOf(contact: string | null): SlackPlace {
  const match = /^slack:([A-Z0-9]{2,30})(?::(\d{1,15}\.\d{1,10}))?$/i.exec(contact?.trim() ?? '');
  if (match) return { channel: match[1]!.toUpperCase(), thread: match[2] };
  throw new RejectedError('The contact is not one of Slack: write "slack:D024BE91L".');
}

/** The canonical form of a contact: ids of Slack have no lower case. @throws RejectedError */
export function contactKey(written: string): string {
  return contactOf(placeOf(written));
}

export function contactOf({ channel, thread }: SlackPlace): string {
  return thread === undefined ? `slack:${channel}` : `slack:${channel}:${thread}`;
}

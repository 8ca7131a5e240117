import type { JsonObject } from '@dramaturg/compiler';
import { digestOf } from '../host/message-id.ts';

/**
 * A place for the bytes of files that people send, such as a folder or a bucket. Names have hexadecimal digits, `-`, `/` and `.`.
 * A rejected promise is a failure that may pass.
 */
export interface AttachmentPlace {
  /** Stores a file, or replaces it. When the promise fulfils, the file is durable. */
  readonly write: (name: string, bytes: Uint8Array) => Promise<unknown>;
  /** Fulfils with undefined when there is no such file. */
  readonly read: (name: string) => Promise<Uint8Array | undefined>;
  /** The names that begin with a prefix. */
  readonly list: (prefix: string) => Promise<readonly string[]>;
  /** Deletes a file, if it exists. */
  readonly delete: (name: string) => Promise<unknown>;
}

/** What a host does with files that people send. See docs/host.md#files-that-people-send */
export interface AttachmentOptions {
  /** Where the bytes are, such as `attachmentFolder('attachments')`. */
  readonly place: AttachmentPlace;
  /** The types that are kept, such as `application/pdf` or `image/*`. Images, audio and PDF when left out. */
  readonly types?: readonly string[];
  /** The most bytes of a file. 10,000,000 when left out. */
  readonly bytesMax?: number;
  /**
   * Loads a file that its channel does not load, such as one behind a link of a front end. Links of strangers may lead into your
   * network: load only addresses that you know. Undefined leaves the file where it is.
   */
  readonly download?: (
    attachment: JsonObject,
    options: DownloadOptions,
  ) => Promise<Uint8Array | undefined>;
}

export interface DownloadOptions {
  readonly contact: string;
  readonly channel: string | undefined;
  readonly signal: AbortSignal;
  /** A longer file is not needed. */
  readonly bytesMax: number;
}

/** A message has at most so many files. */
export const attachmentsMax = 20;

/** The text of a message that has files only. Their fields come from outside. */
export function attachmentText(
  attachments: readonly { readonly name?: unknown; readonly type?: unknown }[],
): string {
  const names = attachments.slice(0, attachmentsMax).map(({ name, type }) => {
    const shown = [name, type].find((each) => typeof each === 'string') ?? 'file';
    return shown.slice(0, 100);
  });
  return `[${names.join(', ')}]`;
}

/**
 * The files of contacts in a place. The name of a file begins with a hash of its contact, so that an erase finds all of them, also
 * those whose message was never stored, and no message leads to a file of somebody else.
 */
export class AttachmentFiles {
  readonly place: AttachmentPlace;

  constructor(place: AttachmentPlace) {
    this.place = place;
  }

  /** @param message the id of the message; a repeated message has the same names */
  async nameOf(contact: string, message: string, index: number): Promise<string> {
    return `${await folderOf(contact)}${(await digestOf(message)).slice(0, 32)}-${index}`;
  }

  /** The bytes of a file of the contact; undefined when it is not kept. */
  async read(contact: string | undefined, { key }: JsonObject): Promise<Uint8Array | undefined> {
    if (contact === undefined || typeof key !== 'string') return undefined;
    if (!key.startsWith(await folderOf(contact)) || key.includes('..')) return undefined;
    return this.place.read(key);
  }

  async list(contact: string): Promise<readonly string[]> {
    return this.place.list(await folderOf(contact));
  }

  /** @returns how many files were deleted */
  async erase(contact: string): Promise<number> {
    const names = await this.list(contact);
    for (const name of names) await this.place.delete(name);
    return names.length;
  }
}

async function folderOf(contact: string): Promise<string> {
  return `${(await digestOf(contact)).slice(0, 32)}/`;
}

/** Bytes as base64, in a browser too. */
export function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (let from = 0; from < bytes.length; from += 32_768)
    binary += String.fromCharCode(...bytes.subarray(from, from + 32_768));
  return btoa(binary);
}

import type { Waits } from '../admission/deadline.ts';
import { isRecord, type JsonObject, type PortError, type Ports } from '@dramaturg/compiler';
import { backoff } from '../admission/backoff.ts';
import type { Channel } from '../channel/channel.ts';
import type { OnError } from '../host/error-reporter.ts';
import { Serial } from '../host/serial.ts';
import { askWithinLimits } from '../limits/index.ts';
import { noUsage } from '../limits/usage-total.ts';
import { AttachmentFiles, type AttachmentOptions, attachmentText } from './attachment-files.ts';

export interface AttachmentKeeperOptions {
  readonly attachments: AttachmentOptions;
  readonly channels: Readonly<Record<string, Pick<Channel, 'download'>>>;
  readonly ports: Partial<Ports>;
  readonly waits: Waits;
  readonly onError: OnError;
  /** Called once, before the first file is written. */
  readonly beforeFirst: () => Promise<void>;
}

interface SentMessage {
  readonly contact: string;
  readonly channel: string | undefined;
  /** Decides about the names of the files. */
  readonly id: string;
  readonly text: string;
  readonly data?: JsonObject | undefined;
}

const usualTypes = ['image/*', 'audio/*', 'application/pdf'];

/** Milliseconds for a download, and for a transcription. */
const timeoutMs = 60_000;

/** How often a voice message is transcribed before it is received without its text. */
const attemptsMax = 3;

/**
 * Keeps the files of a message before it is received, and writes down voice messages. A repeated message finds its files and
 * texts under the same names, so that nothing is loaded or transcribed twice. A file that cannot be loaded stays a link, and the
 * message is received; one that is inside of the message has no link, so the message is refused until the place works. Messages
 * of one contact keep their order.
 */
export class AttachmentKeeper {
  readonly #options: AttachmentKeeperOptions;
  readonly #files: AttachmentFiles;
  readonly #serial = new Serial();
  readonly #pauses = new Set<() => void>();
  #isStopped = false;
  #begun: Promise<void> | undefined;

  constructor(options: AttachmentKeeperOptions) {
    this.#options = options;
    this.#files = new AttachmentFiles(options.attachments.place);
  }

  /** Ends the pauses before the next attempts. */
  stop(): void {
    this.#isStopped = true;
    for (const end of this.#pauses) end();
  }

  /** @returns the text and the data with which the message is received */
  async keep(message: SentMessage): Promise<Pick<SentMessage, 'text' | 'data'>> {
    const { contact, data, text } = message;
    const given = data?.['attachments'];
    const attachments = Array.isArray(given) ? given.filter((each) => isRecord(each)) : [];
    if (attachments.length === 0 && !this.#serial.isBusy(contact)) return message;
    return this.#serial.run(contact, async () => {
      if (attachments.length === 0) return message;
      const kept: JsonObject[] = [];
      for (const [index, each] of (attachments as readonly JsonObject[]).entries())
        kept.push(await this.#kept(message, each, index));
      const voices = kept.flatMap(({ transcript }) =>
        typeof transcript === 'string' && transcript !== '' ? [transcript] : [],
      );
      const names = attachmentText(attachments);
      const written = text.trim() === '' || text === names ? [] : [text];
      return {
        text: [...written, ...voices].join('\n') || names,
        data: { ...data, attachments: kept },
      };
    });
  }

  async #kept(message: SentMessage, given: JsonObject, index: number): Promise<JsonObject> {
    const { key: _, transcript: _transcript, ...attachment } = given;
    const { types = usualTypes, bytesMax = 10_000_000 } = this.#options.attachments;
    const { url, ...inside } = attachment;
    const link = isDataUrl(url) ? inside : attachment;
    try {
      const key = await this.#files.nameOf(message.contact, message.id, index);
      const known = await this.#files.place.read(key);
      const bytes = known ?? (await this.#load(message, attachment, bytesMax));
      if (bytes === undefined) return isDataUrl(url) ? { ...link, refused: 'content' } : link;
      const declared = attachment['type'];
      const type = fileTypeOf(bytes, typeof declared === 'string' ? declared : '');
      const size = bytes.byteLength;
      const isTaken = types.some((each) => each === type || isBelow(each, type));
      if (size > bytesMax || !isTaken)
        return { ...link, type, size, refused: size > bytesMax ? 'size' : 'type' };
      if (!known) {
        await (this.#begun ??= this.#begin());
        await this.#files.place.write(key, bytes);
      }
      const file = { ...link, type, size, key };
      const transcript = type.startsWith('audio/') ? await this.#transcript(message, file) : '';
      return transcript === '' ? file : { ...file, transcript };
    } catch (error) {
      if (isDataUrl(url)) throw error;
      this.#options.onError(error, `keeping a file of the message ${JSON.stringify(message.id)}`);
      return link;
    }
  }

  async #begin(): Promise<void> {
    try {
      await this.#options.beforeFirst();
    } catch (error) {
      this.#begun = undefined;
      throw error;
    }
  }

  async #load(
    { contact, channel }: SentMessage,
    attachment: JsonObject,
    bytesMax: number,
  ): Promise<Uint8Array | undefined> {
    const { url, size } = attachment;
    if (isDataUrl(url)) return bytesOf(url);
    if (typeof size === 'number' && size > bytesMax) return undefined;
    const { channels, attachments } = this.#options;
    const own = channel !== undefined && Object.hasOwn(channels, channel) && channels[channel];
    const options = { contact, channel, bytesMax, signal: AbortSignal.timeout(timeoutMs) };
    const loaded = own ? await own.download?.(attachment, options) : undefined;
    return loaded ?? attachments.download?.(attachment, options);
  }

  /** The words of a voice message; empty when the host does not transcribe, or cannot. They are kept next to the file. */
  async #transcript(
    { contact, text }: SentMessage,
    file: JsonObject & { readonly key: string },
  ): Promise<string> {
    const { ports, waits, onError } = this.#options;
    const port = ports.transcribe;
    if (!port) return '';
    const name = `${file.key}.txt`;
    const known = await this.#files.place.read(name);
    if (known) return new TextDecoder().decode(known);
    const input = { key: file.key, attachment: file, text };
    const call = {
      signal: new AbortController().signal,
      onText: () => {},
      readAttachment: (each: JsonObject) => this.#files.read(contact, each),
    };
    for (let attempt = 1; ; attempt += 1) {
      const { ending } = await askWithinLimits('transcribe', port, input, call, {
        limits: {},
        timeout: timeoutMs,
        used: noUsage,
        callsRunning: () => 0,
        waits,
      });
      if ('output' in ending) {
        const said = (ending.output as { readonly text: string }).text.trim();
        await this.#files.place.write(name, new TextEncoder().encode(said));
        return said;
      }
      if (attempt === attemptsMax || !mayPass(ending.error) || this.#isStopped) {
        onError(ending.error, 'transcribing a voice message');
        return '';
      }
      await new Promise<void>((resolve) => {
        const end = () => {
          cancel();
          this.#pauses.delete(end);
          resolve();
        };
        this.#pauses.add(end);
        const cancel = waits.after(backoff(attempt, Math.random), end);
      });
    }
  }
}

/** Whether the same call may succeed later. After a time limit, the message has waited for long enough. */
function mayPass(error: unknown): boolean {
  const { code } = error as Partial<PortError>;
  return code === 'port/failed' || code === 'port/temporary';
}

function isBelow(pattern: string, type: string): boolean {
  return pattern.endsWith('*') && type.startsWith(pattern.slice(0, -1));
}

function isDataUrl(url: unknown): url is string {
  return typeof url === 'string' && url.startsWith('data:');
}

/** Undefined when the URL is not valid. Spec: RFC 2397 */
function bytesOf(url: string): Uint8Array | undefined {
  const [, base64, content] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url) ?? [];
  if (content === undefined) return undefined;
  try {
    if (base64 === undefined) return new TextEncoder().encode(decodeURIComponent(content));
    return Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** The first bytes of the types that models take, from an offset. */
const signatures: readonly (readonly [type: string, offset: number, bytes: string])[] = [
  ['image/png', 0, '\u0089PNG'],
  ['image/jpeg', 0, '\u00FF\u00D8\u00FF'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['application/pdf', 0, '%PDF-'],
  ['audio/wav', 8, 'WAVE'],
  ['audio/ogg', 0, 'OggS'],
  ['audio/mpeg', 0, 'ID3'],
  ['audio/mpeg', 0, '\u00FF\u00FB'],
  ['audio/mpeg', 0, '\u00FF\u00F3'],
];

/**
 * The type of a file by its first bytes. A provider refuses a request with a file that is not what it says, so a type that can be
 * recognised and is not becomes `application/octet-stream`.
 */
function fileTypeOf(bytes: Uint8Array, declared = ''): string {
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  const found = signatures.find(([, offset, signature]) => start.startsWith(signature, offset));
  if (found) return found[0];
  const [type = ''] = declared.toLowerCase().split(';');
  const isKnown = type === '' || signatures.some(([known]) => known === type);
  return isKnown ? 'application/octet-stream' : type;
}

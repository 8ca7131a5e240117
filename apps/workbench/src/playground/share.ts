import { isRecord } from '@dramaturg/compiler';

/** A definition in the hash of an address: it is sent to no server. */
export interface Shared {
  readonly text: string;
  readonly fileName?: string;
}

const name = 'definition=';

/** Bytes of a definition in an address at most: a short hash may unpack to very much. */
const longest = 2_000_000;

/** @throws RangeError when it is longer than what is read from an address again */
export async function toHash(shared: Shared): Promise<string> {
  const packed = new Blob([JSON.stringify(shared)]);
  if (packed.size > longest)
    throw new RangeError('The definition is too long for an address: pass it on as a file.');
  const bytes = await bytesOf(packed.stream().pipeThrough(new CompressionStream('deflate-raw')));
  return `#${name}${toBase64(bytes)}`;
}

/**
 * What an address holds; undefined when it holds none.
 *
 * @throws Error when what it holds cannot be read
 */
export async function fromHash(hash: string): Promise<Shared | undefined> {
  if (!hash.startsWith(`#${name}`)) return undefined;
  try {
    const bytes = fromBase64(hash.slice(1 + name.length));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return sharedIn(JSON.parse(new TextDecoder().decode(await bytesOf(stream, longest))));
  } catch (cause) {
    const message = 'The definition in the address cannot be read: it may have been cut off.';
    throw new Error(message, { cause });
  }
}

function sharedIn(value: unknown): Shared {
  if (!isRecord(value) || typeof value['text'] !== 'string') throw new TypeError('It has no text.');
  const { text, fileName } = value as Partial<Shared> & Pick<Shared, 'text'>;
  return typeof fileName === 'string' ? { text, fileName } : { text };
}

async function bytesOf(stream: ReadableStream<Uint8Array>, most = Infinity): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stream) {
    length += part.length;
    if (length > most) throw new RangeError('It is too long.');
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}

/** Of an address: without the characters that mean something in one. */
function toBase64(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(decoded, (character) => character.charCodeAt(0));
}

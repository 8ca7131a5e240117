import { isRecord } from '@dramaturg/compiler';

/** A definition in the hash of an address. Browsers do not send the hash to a server. */
export interface Shared {
  readonly text: string;
  readonly fileName?: string;
}

const name = 'definition=';

/** The maximum size of an unpacked definition, in bytes: a short hash can unpack to very many. */
const bytesMax = 2_000_000;

/** @throws RangeError when the definition is longer than `fromHash` would read */
export async function toHash(shared: Shared): Promise<string> {
  const packed = new Blob([JSON.stringify(shared)]);
  if (packed.size > bytesMax)
    throw new RangeError('The definition is too long for an address. Send it as a file.');
  const bytes = await bytesOf(packed.stream().pipeThrough(new CompressionStream('deflate-raw')));
  return `#${name}${toBase64(bytes)}`;
}

/**
 * Reads the definition in an address.
 *
 * @returns undefined when there is none
 * @throws Error when it cannot be read
 */
export async function fromHash(hash: string): Promise<Shared | undefined> {
  if (!hash.startsWith(`#${name}`)) return undefined;
  try {
    const bytes = fromBase64(hash.slice(1 + name.length));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return sharedIn(JSON.parse(new TextDecoder().decode(await bytesOf(stream, bytesMax))));
  } catch (cause) {
    const message = 'The definition in the address cannot be read. The address may be incomplete.';
    throw new Error(message, { cause });
  }
}

function sharedIn(value: unknown): Shared {
  if (!isRecord(value) || typeof value['text'] !== 'string') throw new TypeError('It has no text.');
  const { text, fileName } = value as Partial<Shared> & Pick<Shared, 'text'>;
  return typeof fileName === 'string' ? { text, fileName } : { text };
}

async function bytesOf(stream: ReadableStream<Uint8Array>, max = Infinity): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stream) {
    length += part.length;
    if (length > max) throw new RangeError('It is too long.');
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}

/** Encodes bytes in Base64, without characters that have a meaning in addresses. */
function toBase64(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(decoded, (character) => character.charCodeAt(0));
}

/** A definition in the hash of an address: it is sent to no server. */
export interface Shared {
  readonly text: string;
  readonly fileName?: string;
}

const name = 'definition=';

export async function toHash(shared: Shared): Promise<string> {
  const stream = new Blob([JSON.stringify(shared)]).stream();
  const bytes = await bytesOf(stream.pipeThrough(new CompressionStream('deflate-raw')));
  return `#${name}${toBase64(bytes)}`;
}

/** Characters of a definition from an address at most: a short hash may unpack to very much. */
const longest = 2_000_000;

/** What an address holds; undefined when it holds none that can be read. */
export async function fromHash(hash: string): Promise<Shared | undefined> {
  if (!hash.startsWith(`#${name}`)) return undefined;
  try {
    const bytes = fromBase64(hash.slice(1 + name.length));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    const value = JSON.parse(new TextDecoder().decode(await bytesOf(stream, longest))) as Shared;
    return typeof value.text === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
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

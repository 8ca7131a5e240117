/** Shorter strings are not protected: their letters occur everywhere. */
const shortest = 4;
/** A string from this length on is also recognised by its fragments. */
const shortestInFragments = 8;
const longestFragment = 8;

/** Secrets made of words, as in `secret-of-the-webhook`: ordinary texts have pieces of them too. */
const words = /^[a-z]+(?:[ _.-][a-z]+)*$/i;

/** Replaces a secret in texts. */
export const redacted = '[redacted]';

/**
 * Recognises secrets in a text: plain, URL-encoded, JSON-escaped, in base64 or in hexadecimal digits. Also recognises a piece of
 * a secret, because gateways and logs cut texts: any 8 consecutive characters of it, or half of a secret that is shorter than 16
 * or consists of words.
 */
export class Fragments {
  /** By their length in UTF-16 units. */
  readonly #byLength = new Map<number, Set<string>>();
  /** The hashes of the first characters of all fragments, so that most positions of a text cost one look-up. */
  readonly #beginnings = new Uint8Array(65_536);

  add(secret: string): void {
    if (secret.length < shortest || isPlaceholder(secret)) return;
    const length = fragmentLength(secret);
    for (const form of plainForms(secret)) this.#addForm(form, length);
    if (secret.length < shortestInFragments) return;
    const bytes = new TextEncoder().encode(secret);
    for (const form of base64Forms(bytes)) this.#addForm(form, Math.ceil((length * 4) / 3));
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    for (const form of [hex, hex.toUpperCase()]) this.#addForm(form, length * 2);
  }

  /** Replaces every fragment; neighbours are replaced together. */
  replace(text: string): string {
    if (this.#byLength.size === 0) return text;
    let result = '';
    let end = 0;
    for (let at = 0; at < text.length; at += 1) {
      const length = this.#longestAt(text, at);
      if (length === 0) continue;
      if (at > end || end === 0) result += `${text.slice(end, at)}${redacted}`;
      end = Math.max(end, at + length);
    }
    return result + text.slice(end);
  }

  #addForm(form: string, length: number): void {
    if (form.length < length) return;
    const known = this.#byLength.get(length) ?? new Set();
    this.#byLength.set(length, known);
    for (let at = 0; at + length <= form.length; at += 1) {
      known.add(form.slice(at, at + length));
      this.#beginnings[hashAt(form, at)] = 1;
    }
  }

  #longestAt(text: string, at: number): number {
    if (this.#beginnings[hashAt(text, at)] === 0) return 0;
    let longest = 0;
    for (const [length, known] of this.#byLength)
      if (length > longest && known.has(text.slice(at, at + length))) longest = length;
    return longest;
  }
}

/** A short word, such as the `none` that a self-hosted server takes as its key. */
function isPlaceholder(secret: string): boolean {
  return secret.length < shortestInFragments && /^[a-z]+$/i.test(secret);
}

function fragmentLength(secret: string): number {
  if (secret.length < shortestInFragments) return secret.length;
  const half = Math.ceil(secret.length / 2);
  if (words.test(secret)) return Math.max(shortestInFragments, half);
  return Math.min(longestFragment, Math.max(6, half));
}

/** A hash of three characters, which every fragment has. */
function hashAt(text: string, at: number): number {
  const beginning = text.charCodeAt(at) * 31 + text.charCodeAt(at + 1);
  return (beginning * 31 + text.charCodeAt(at + 2)) & 0xffff;
}

function plainForms(secret: string): Set<string> {
  const encoded = encodeURIComponent(secret.replace(/\p{Surrogate}/gu, '\u{FFFD}'));
  const escaped = JSON.stringify(secret).slice(1, -1);
  return new Set([
    secret,
    encoded,
    encoded.replaceAll('%20', '+'),
    encoded.replace(/%../g, (code) => code.toLowerCase()),
    escaped,
    escaped.replaceAll('/', String.raw`\/`),
    JSON.stringify(escaped).slice(1, -1),
  ]);
}

/** The secret in base64, also where it follows one or two other bytes, as in `user:password`. */
function base64Forms(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = btoa('\0'.repeat(before) + String.fromCodePoint(...bytes));
    // The first and the last character may also have bits of a neighbour.
    const own = text.slice(before === 0 ? 0 : before + 1).replace(/.?=+$/, '');
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

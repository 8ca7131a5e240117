/** The longest id of a received message that is kept unchanged, in characters. */
const longestId = 200;

export function isTooLong(id: unknown): id is string {
  return typeof id === 'string' && id.length > longestId;
}

/** The id under which a message is received: a long id of a provider is hashed. */
export async function messageIdOf(id: string): Promise<string> {
  return isTooLong(id) ? `sha256:${await digestOf(id)}` : id;
}

/** The SHA-256 of a text, in hexadecimal digits. */
export async function digestOf(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

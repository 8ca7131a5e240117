/**
 * Encodes an author's id as a key in `states` and as part of a node id. XState separates paths with dots, escapes with
 * backslashes and marks ids with `#`; JavaScript moves keys that look like array indexes to the front and gives `__proto__` a
 * meaning of its own. All of these are percent-encoded; every other id is unchanged, and no two ids give the same key.
 */
export function nodeKey(id: string): string {
  if (id === '') return '%';
  const encoded = id.replace(/[%.#\\]/g, percentEncode);
  if (encoded === '__proto__') return '%5F_proto__';
  if (/^\d+$/.test(encoded)) return percentEncode(encoded[0]!) + encoded.slice(1);
  return encoded;
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

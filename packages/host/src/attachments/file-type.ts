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
export function fileTypeOf(bytes: Uint8Array, declared = ''): string {
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  const found = signatures.find(([, offset, signature]) => start.startsWith(signature, offset));
  if (found) return found[0];
  const [type = ''] = declared.toLowerCase().split(';');
  const isKnown = type === '' || signatures.some(([known]) => known === type);
  return isKnown ? 'application/octet-stream' : type;
}

/**
 * Encodes a name for Postgres, whose strings cannot have the character NUL. NUL becomes `␀0`, and the symbol `␀` becomes `␀1`.
 * Other names do not change.
 */
export function storedName(name: string): string {
  return /[\0␀]/.test(name) ? name.replaceAll('␀', '␀1').replaceAll('\0', '␀0') : name;
}

/** @param stored a result of `storedName` */
export function nameOf(stored: string): string {
  return stored.includes('␀')
    ? stored.replace(/␀([01])/g, (_, digit) => (digit === '0' ? '\0' : '␀'))
    : stored;
}

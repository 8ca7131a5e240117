/**
 * Names may have the character NUL, which no text of Postgres can have. It is written as `␀0`, and the symbol `␀` itself as
 * `␀1`. All other names are written as they are.
 */
export function storedName(name: string): string {
  return /[\0␀]/.test(name) ? name.replaceAll('␀', '␀1').replaceAll('\0', '␀0') : name;
}

/** @param stored what `storedName` has made */
export function nameOf(stored: string): string {
  return stored.includes('␀')
    ? stored.replace(/␀([01])/g, (_, digit) => (digit === '0' ? '\0' : '␀'))
    : stored;
}

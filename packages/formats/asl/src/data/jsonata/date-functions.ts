import { LimitError } from '../work.ts';
import type { Evaluating, OwnFunction } from './evaluating.ts';
import { libraryFunction } from './library.ts';
import { CodedError } from './values.ts';

/** The most characters of a picture, and of a string that is read by it. The library analyses pictures in quadratic time. */
const pictureMax = 1_000;
/** The highest number in Roman numerals: the library writes an M for each thousand. */
const romanMax = 1_000_000;

/** The library's functions for dates and pictures, limited to arguments with which they terminate. */
export const dateFunctions: Readonly<Record<string, OwnFunction>> = {
  formatInteger(value: number | undefined, picture: string) {
    requireShort('formatInteger', picture);
    if (value === undefined) return undefined;
    this.work.spend(picture.length + Math.min(Math.abs(value), romanMax) / 4_000);
    if (!Number.isFinite(value)) throw new CodedError('D1001', { value: String(value) });
    if (/^i/i.test(picture) && Math.abs(value) > romanMax)
      throw new LimitError(`$formatInteger writes Roman numerals up to ${romanMax}`);
    return libraryFunction('formatInteger')(value, picture);
  },
  parseInteger(text: string | undefined, picture: string) {
    requireShort('parseInteger', picture, text);
    this.work.spend(picture.length + (text?.length ?? 0));
    return libraryFunction('parseInteger')(text, picture);
  },
  fromMillis,
  now(picture?: string, timezone?: string) {
    return fromMillis.call(this, this.world.now(), picture, timezone);
  },
  millis() {
    return this.world.now();
  },
  toMillis(text?: string, picture?: string) {
    if (text === undefined) return undefined;
    requireShort('toMillis', picture, text);
    this.work.spend(50 + text.length + (picture?.length ?? 0) * 20);
    if (picture !== undefined && !isQuickToRead(text, picture))
      throw new LimitError('$toMillis: the text can be read in too many ways');
    const environment = { timestamp: new Date(this.world.now()) };
    const millis = libraryFunction('toMillis').call({ environment }, text, picture);
    if (Number.isNaN(millis) || (picture === undefined && !hasDay(text)))
      throw new CodedError('D3110', { value: text });
    return millis;
  },
};

/** Whether the month of a timestamp has its day: JavaScript takes 30 February for 2 March. */
function hasDay(timestamp: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(timestamp) ?? [];
  return day === undefined || Number(day) <= new Date(Number(year), Number(month), 0).getDate();
}

/** `[PN]`: am or pm in upper case. */
const upperCaseMarker = /(?<!\[)(\[\s*P\s*N(?!n)[^\]]*\])/;

function fromMillis(
  this: Evaluating,
  millis?: number,
  picture?: string,
  timezone?: string,
): string | undefined {
  requireShort('fromMillis', picture, timezone);
  this.work.spend(50 + (picture?.length ?? 0) * 2);
  if (millis === undefined) return undefined;
  // The library takes the hours and minutes of an offset from one number.
  const offset = timezone === undefined ? 0 : Number.parseInt(timezone, 10);
  const minutes = Math.floor(offset / 100) * 60 + (offset % 100);
  if (Number.isNaN(new Date(millis + minutes * 60_000).getTime()))
    throw new LimitError(`$fromMillis: ${millis} is not a date that can be shown`);
  const parts = picture?.split(upperCaseMarker) ?? [picture];
  const shown = parts.map((part) => {
    if (part === '') return '';
    const text = libraryFunction('fromMillis')(millis, part, timezone) as string;
    return upperCaseMarker.test(part ?? '') ? text.toUpperCase() : text;
  });
  return shown.join('');
}

/** A width such as `[Y,4-99999]`, which the library fills with zeros. */
const longWidth = /\[[^\]]*,[^\]]*\d{4}/;

function requireShort(name: string, picture = '', text = ''): void {
  if (picture.length > pictureMax || text.length > pictureMax || longWidth.test(picture))
    throw new LimitError(`$${name} takes ${pictureMax} characters and widths of 999 at most`);
}

/** The most ways to read a string: trying them takes some milliseconds. */
const mostWays = 1_000_000;

/**
 * Whether the library can read a string by a picture such as `[Y0001]-[M01]` quickly. Its patterns have no length
 * limit, so it tries every way to split a string among parts without a separator.
 */
function isQuickToRead(text: string, picture: string): boolean {
  const pieces = picture.match(/\[\[|\[[^\]]*\]?|[^[]+/g) ?? [];
  const hasWords = pieces.some((piece) => /^\[\s*\w\s*[wW]/.test(piece));
  const separator = hasWords ? /[^A-Za-z0-9 ,-]/ : /[^A-Za-z0-9]/;
  let shares = 0;
  let isFree = false;
  for (const piece of pieces) {
    if (piece.startsWith('[') && piece !== '[[') {
      if (isFree) shares += 1;
      isFree = true;
    } else if (separator.test(piece)) isFree = false;
  }
  return shares === 0 || waysOf(text.length, shares + 1) <= mostWays;
}

/** The number of ways to choose positions in a string. */
function waysOf(length: number, places: number): number {
  let ways = 1;
  for (let place = 0; place < places && ways <= mostWays; place += 1) {
    ways = (ways * Math.max(length - place, 1)) / (place + 1);
  }
  return ways;
}
